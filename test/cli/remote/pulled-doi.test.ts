import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../../support/run-cli.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'
import type { FakeService } from '../../support/services/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const kind = remoteKinds['Zenodo of today']
const metadata = `title: Tides
creators: [{name: Ada}]
publication_date: "2026"
resource_type: dataset
license: CC0-1.0
`

let service: FakeService
let doi = ''
const run = (...args: readonly string[]) => runCli(args, { stdin: kind?.token ?? '' })

beforeAll(async () => {
  if (kind === undefined) throw new Error('there is no such kind')
  service = await kind.start()
  await using folder = await temporaryFolder({ 'metadata.yaml': metadata, 'a.csv': '1' })
  const name = `r${randomUUID().slice(0, 8)}`
  await run('remote', 'add', name, '--kind=zenodo', `--url=${service.url}`)
  const { stdout } = await run('push', folder.path, '--to', name, '--publish', '--yes')
  doi = stdout.trim().slice('https://doi.org/'.length)
})
afterAll(() => service[Symbol.asyncDispose]())

const pull = (record: string) => run('pull', record, '--dry-run', '--retries', '0')

describe('a pull by a DOI', () => {
  it('finds the record that has it, also as an address', async () => {
    for (const record of [doi, `https://doi.org/${doi}`, doi.toUpperCase()]) {
      const { status, stderr } = await pull(record)
      expect({ record, status }).toEqual({ record, status: 0 })
      expect(stderr).toContain('Would make a draft of http')
    }
  })

  it.each(['10.9999', '10.5281', '10.50'])(
    'takes no record that has the same number under another prefix: %s',
    async (prefix) => {
      const number = doi.split('/')[1] ?? ''
      for (const record of [`${prefix}/${number}`, `https://doi.org/${prefix}/${number}`]) {
        const { status, stdout, stderr } = await pull(record)
        expect({ record, status, stdout }).toEqual({ record, status: 3, stdout: '' })
        expect(stderr).toContain('no such record')
      }
    },
  )

  it('takes none whose DOI only begins or ends alike', async () => {
    for (const record of [`${doi}1`, doi.slice(0, -1)]) {
      const { status } = await pull(record)
      expect({ record, status }).toEqual({ record, status: 3 })
    }
  })

  it('says which remote has no such record, and which could not be asked', async () => {
    const other = await kind.start()
    await runCli(['remote', 'add', 'stale', '--kind=zenodo', `--url=${other.url}`], {
      stdin: 'an-old-token',
    })
    expect(await pull(doi)).toMatchObject({ status: 0 })
    for (const record of ['10.5281/zenodo.1101', 'https://doi.org/10.5072/zenodo.999999']) {
      const { status, stderr } = await pull(record)
      expect({ record, status }).toEqual({ record, status: 3 })
      expect(stderr).toMatch(
        /\n {2}r\w+ has no such record; stale could not be asked: \S+ answers 401: /,
      )
    }
    // One that does not answer may have it.
    await other[Symbol.asyncDispose]()
    const unanswered = await pull('10.5281/zenodo.1101')
    expect(unanswered.status).toBe(6)
    expect(unanswered.stderr).toContain('stale could not be asked: no answer from')
    await run('remote', 'remove', 'stale')
  })
})
