import { describe, expect, it } from 'vitest'
import { runCli } from '../../support/run-cli.ts'

const add = (url: string, stdin = 'a-token-of-a-user') =>
  runCli(['remote', 'add', 'there', '--replace', '--kind=zenodo', `--url=${url}`], { stdin })

describe('the address of a remote', () => {
  it.each([
    ['https://zenodo.org/deposit', 'https://zenodo.org'],
    ['https://zenodo.org/deposit/12/', 'https://zenodo.org'],
    ['https://sandbox.zenodo.org/api', 'https://sandbox.zenodo.org'],
    ['https://data.example.org/zenodo/records/7', 'https://data.example.org/zenodo'],
    ['https://data.example.org/dataverse/root', 'https://data.example.org'],
  ])('is not that of a page or of its interface: %s', async (url, own) => {
    const { status, stderr } = await add(url)
    expect(status).toBe(2)
    expect(stderr).toContain(`its own address is ${own}\n`)
    expect(await add(own)).toMatchObject({ status: 0 })
  })

  it.each(['https://data.example.org/deposit/zenodo', 'https://api.example.org'])(
    'may have a path, and a name of those: %s',
    async (url) => {
      expect(await add(url)).toMatchObject({ status: 0 })
    },
  )
})

describe('the token of a remote', () => {
  it('is no short word: it is left out of all that the repository answers', async () => {
    const { status, stderr } = await add('https://zenodo.org', 'ada')
    expect(status).toBe(2)
    expect(stderr).toContain('the token has fewer than 8 characters')

    await add('https://zenodo.org')
    const environment = { DEPOSIT_REMOTE_THERE_TOKEN: 'ada' }
    const checked = await runCli(['remote', 'check', 'there'], { environment })
    expect(checked.status).toBe(4)
    expect(checked.stderr).toContain('the token for there has fewer than 8 characters')
  })
})
