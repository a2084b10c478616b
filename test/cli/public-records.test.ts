import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  daemonHome,
  daemonUrl,
  deposit,
  expectFailure,
  newPublished,
  useDaemon,
} from '../support/cli-at-daemon.ts'
import { credentialsFile } from '../support/house.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { runDepositd } from '../support/depositd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

interface Shown {
  readonly id: string
  readonly links: { readonly record: string; readonly record_html: string }
}

let own: Shown
let value = ''
const people: Record<string, Readonly<Record<string, string>>> = {}

beforeAll(async () => {
  const id = await newPublished()
  own = JSON.parse((await deposit(['show', id, '--json'])).stdout) as Shown
  value = own.links.record.split('/').at(-1) ?? ''
  const email = 'eve@example.org'
  await runDepositd(daemonHome(), ['user', 'add', email])
  const made = await runDepositd(daemonHome(), ['token', 'create', '--user', email])
  const alone = { DEPOSIT_URL: daemonUrl(), DEPOSIT_HOME: '/nonexistent' }
  await rm(credentialsFile)
  people['nobody'] = alone
  people['another user'] = { ...alone, DEPOSIT_TOKEN: made.stdout.trim().split('\n').at(-1) ?? '' }
})

describe.for(['nobody', 'another user'])('the public record of another, for %s', (person) => {
  const as = (args: readonly string[], folder?: string): Promise<Outcome> =>
    runCli(args, { environment: people[person] ?? {}, ...(folder !== undefined && { folder }) })

  it('is shown, with its files, and cited, by its identifier and by its address', async () => {
    for (const named of [value, own.links.record, own.links.record_html]) {
      const shown = await as(['show', named])
      expect(shown).toMatchObject({ status: 0, stderr: '' })
      expect(shown.stdout).toContain('Water levels')
      expect(shown.stdout).not.toContain(own.id)
      expect((await as(['files', named])).stdout).toContain('README.md')
      expect((await as(['cat', named, 'README.md'])).stdout).toBe('# Read me')
      expect((await as(['cite', named])).stdout).toContain('Water levels')
      expect((await as(['export', named, '--as', 'bibtex'])).stdout).toContain('Water levels')
    }
  })

  it('is downloaded into a folder of its name, and again', async () => {
    await using folder = await temporaryFolder()
    expect(await as(['download', value], folder.path)).toMatchObject({ status: 0 })
    expect(await readFile(join(folder.path, value, 'b/a.csv'), 'utf8')).toBe('1,2')
    expect((await as(['download', value], folder.path)).stderr).toContain('already')
  })

  it('is exported as every package, and verified', async () => {
    await using folder = await temporaryFolder()
    for (const format of ['bagit', 'ro-crate', 'datapackage', 'zip', 'ocfl']) {
      const saved = await as(['export', value, '--as', format, '--output', format], folder.path)
      expect(saved).toMatchObject({ status: 0 })
    }
    for (const format of ['bagit', 'ro-crate', 'datapackage', 'ocfl']) {
      const verified = await as(['verify', format], folder.path)
      expect([format, verified.status, verified.stdout]).toEqual([format, 0, expect.any(String)])
    }
    expect(await as(['verify', 'zip', value], folder.path)).toMatchObject({ status: 0 })
  })

  it('is not changed, nor read as a deposit', async () => {
    expectFailure(await as(['edit', value]), 4, 'next:')
    expectFailure(await as(['show', own.id]), person === 'nobody' ? 4 : 1, 'next:')
  })
})
