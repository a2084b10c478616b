import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import {
  daemonUrl,
  deposit,
  expectFailure,
  namesOf,
  newDraft,
  newPublished,
  read,
  useDaemon,
} from '../support/cli-at-daemon.ts'
import type { Outcome } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

async function conceptOf(id: string): Promise<string> {
  return ((await read(id)) as DepositBody).pids.concept.value
}

/** Two versions; the ids of their deposits. */
async function twoVersions(): Promise<readonly [first: string, second: string]> {
  const first = await newPublished()
  const second = (await deposit(['newversion', first, '--quiet'])).stdout.trim()
  await deposit(['update', second, '--set', 'version=2.0', '--set', 'title=Second'])
  await deposit(['publish', second, '--yes'])
  return [first, second]
}

describe('the identifier of a concept', () => {
  it('is shown with the deposit', async () => {
    const id = await newDraft()

    expect((await deposit(['show', id])).stdout).toContain(
      `\nAll versions: ${await conceptOf(id)}\n`,
    )
  })

  it('stands for the newest version, alone or in an address', async () => {
    const [first, second] = await twoVersions()
    const concept = await conceptOf(first)
    const [record] = [((await read(second)) as DepositBody).links['record_html'] ?? '']

    for (const given of [
      concept,
      `${daemonUrl()}/records/${concept}`,
      `${daemonUrl()}/api/records/${concept}`,
    ]) {
      expect((await deposit(['show', given, '--quiet'])).stdout.trim()).toBe(second)
    }
    const cited = (await deposit(['cite', concept])).stdout
    expect(cited).toContain('Second. (2026)')
    expect(cited.trim()).toMatch(new RegExp(`/records/${concept}$`))
    expect((await deposit(['export', concept, '--as', 'bibtex'])).stdout).toContain(record)
    expect(await namesOf(concept)).toEqual(await namesOf(second))
    await using folder = await temporaryFolder()
    await deposit(['download', concept, '--output', folder.path])
    expect(await readFile(join(folder.path, 'README.md'), 'utf8')).toBe('# Read me')
    const draft = (await deposit(['newversion', concept, '--quiet'])).stdout.trim()
    expect((await deposit(['newversion', first, '--quiet'])).stdout.trim()).toBe(draft)
  })

  it('of which nothing is published stands for its draft', async () => {
    const id = await newDraft('data')
    const concept = await conceptOf(id)

    expect((await deposit(['show', concept, '--quiet'])).stdout.trim()).toBe(id)
    expectFailure(await deposit(['show', '00000-00000']), 3, 'There is no record')
  })

  it('is taken by release, which publishes the next version', async () => {
    const [first, second] = await twoVersions()
    await using folder = await temporaryFolder({ 'a.csv': '1', 'metadata.yaml': 'title: Third\n' })
    const { stdout, status } = await at(
      folder,
      'release',
      '.',
      '--of',
      await conceptOf(first),
      '--yes',
    )

    expect(status).toBe(0)
    const third = (await deposit(['show', stdout.trim(), '--json'])).stdout
    const { links, pids } = JSON.parse(third) as DepositBody
    expect(pids.concept.value).toBe(await conceptOf(second))
    expect(links['previous_version']).toBe(((await read(second)) as DepositBody).links['record'])
  })
})

const at = ({ path }: TemporaryFolder, ...args: readonly string[]): Promise<Outcome> =>
  deposit(args, { folder: path })

describe('a folder whose draft of the next version was deleted', () => {
  it('continues with the newest version', async () => {
    await using folder = await temporaryFolder({ 'a.csv': '1', 'metadata.yaml': 'title: Tides\n' })
    const record = (await at(folder, 'create', '.', '--publish')).stdout.trim()
    const draft = (await at(folder, 'newversion', '--quiet')).stdout.trim()
    await deposit(['delete', draft, '--yes'])

    const { stdout, stderr } = await at(folder, 'show')
    expect(stderr).toContain(`Draft ${draft} of the next version was deleted`)
    expect(stdout).toContain(record)
    await writeFile(join(folder.path, 'b.csv'), '2')
    expect((await at(folder, 'release', '.', '--yes')).stdout).toMatch(/\/records\//)
  })
})
