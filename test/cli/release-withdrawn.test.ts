import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { refusals } from '../../core/contract/refusals.ts'
import { deposit, expectFailure, namesOf, useDaemon } from '../support/cli-at-daemon.ts'
import { releasable, release } from '../support/release.ts'
import type { Outcome } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

async function total(): Promise<number> {
  const { stdout } = await deposit(['list', '--json'])
  return Number(/"total": (\d+)/.exec(stdout)?.[1])
}

async function run({ path }: TemporaryFolder, ...args: readonly string[]): Promise<Outcome> {
  return deposit(args, { folder: path })
}

async function works(folder: TemporaryFolder, ...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await run(folder, ...args)
  expect(status, stderr).toBe(0)
  return stdout.trim()
}

const nameOf = (record: string): string => record.split('/').at(-1) ?? ''

/** Releases the folder in several ways: none publishes anything. */
async function refuses(folder: TemporaryFolder, words: string): Promise<void> {
  const before = await total()
  for (const more of [[], ['--yes'], ['--dry-run'], ['--after-withdrawal', 'other']])
    expectFailure(await run(folder, 'release', 'data', ...more), 5, words)
  expect(await total()).toBe(before)
}

const change = async ({ path }: TemporaryFolder, text: string): Promise<void> =>
  writeFile(join(path, 'data/a.csv'), text)

describe('deposit release after a withdrawal', () => {
  it('publishes nothing before the withdrawn version is named, changed or not', async () => {
    await using folder = await temporaryFolder(releasable)
    const record = await release(folder)
    const destroy = ['--reason', 'personal-data', '--destroy-bytes', '--yes']
    await works(folder, 'withdraw', './data', ...destroy)
    const day = new Date().toISOString().slice(0, 10)
    const words = `${record} was withdrawn on ${day} (it has personal data)`

    await refuses(folder, words)
    const named = ['--after-withdrawal', nameOf(record)]
    const same = await run(folder, 'release', 'data', '--dry-run', ...named)
    expect(same.stderr).toContain('a version that has just these is refused')
    const refused = await run(folder, 'release', 'data', '--yes', ...named)
    expectFailure(refused, 5, refusals.destroyed_files.message)
    await change(folder, 'corrected')
    await refuses(folder, ` --after-withdrawal ${nameOf(record)}\` publishes the folder`)

    const rehearsed = await run(folder, 'release', 'data', '--dry-run', ...named)
    expect(rehearsed.status).toBe(0)
    expect(rehearsed.stderr).toContain(`Note: ${words}\n`)
    const next = await release(folder, ...named)
    expect(next).not.toBe(record)
    await change(folder, 'later')
    expect(await release(folder)).not.toBe(next)
  })

  it('knows of it in a chain, from any version and from a copy of the folder', async () => {
    await using folder = await temporaryFolder(releasable)
    const first = await release(folder)
    await change(folder, '2')
    const second = await release(folder)
    await using older = await temporaryFolder({})
    await cp(join(folder.path, 'data'), join(older.path, 'data'), { recursive: true })
    await change(folder, 'secret')
    const third = await release(folder)
    await works(folder, 'withdraw', third, '--reason', 'personal-data', '--yes')

    await refuses(folder, `${third} was withdrawn`)
    // Nothing is published where the folder is as the newest version that is public.
    expect(await release(older)).toBe(second)
    await change(older, 'secret')
    await refuses(older, `${third} was withdrawn`)
    await rm(join(older.path, 'data/.deposit.json'))
    const of = await run(older, 'release', 'data', '--of', first)
    expectFailure(of, 5, `${third} was withdrawn`)
    const next = await release(older, '--of', first, '--after-withdrawal', third)
    expect([first, second, third]).not.toContain(next)
  })

  it('does not take an unchanged folder for published', async () => {
    await using folder = await temporaryFolder(releasable)
    const record = await release(folder)
    const id = await works(folder, 'withdraw', './data', '--reason', 'test', '--yes', '--quiet')

    await refuses(folder, `deposit restore-record ${id}`)
    const next = await release(folder, '--after-withdrawal', record)
    expect(await namesOf(next)).toEqual(['a.csv'])
  })

  it('asks for the name of each withdrawal', async () => {
    await using folder = await temporaryFolder(releasable)
    const first = await release(folder)
    await works(folder, 'withdraw', './data', '--reason', 'test', '--yes')
    await change(folder, '2')
    const named = ['--after-withdrawal', first]
    const second = await release(folder, ...named)
    await works(folder, 'withdraw', './data', '--reason', 'test', '--yes')

    expectFailure(await run(folder, 'release', 'data', ...named), 5, `${second} was withdrawn`)
  })

  it('finishes no draft of the next version without it', async () => {
    await using folder = await temporaryFolder(releasable)
    const record = await release(folder)
    await works(folder, 'newversion', './data')
    await works(folder, 'withdraw', record, '--reason', 'test', '--yes')

    await refuses(folder, `${record} was withdrawn`)
    expect(await release(folder, '--after-withdrawal', record)).not.toBe(record)
  })

  it('finds it by an idempotency key too', async () => {
    await using folder = await temporaryFolder(releasable)
    const record = await release(folder, '--idempotency-key', 'withdrawn')
    await works(folder, 'withdraw', record, '--reason', 'test', '--yes')
    await rm(join(folder.path, 'data/.deposit.json'))

    const again = await run(folder, 'release', 'data', '--idempotency-key', 'withdrawn')
    expectFailure(again, 5, `${record} was withdrawn`)
  })
})

describe('a withdrawal is told', () => {
  const day = new Date().toISOString().slice(0, 10)

  it('by status, of the deposit of the folder and of a newer version', async () => {
    await using folder = await temporaryFolder(releasable)
    await release(folder)
    await using older = await temporaryFolder({})
    await cp(join(folder.path, 'data'), join(older.path, 'data'), { recursive: true })
    await change(folder, '2')
    const second = await release(folder)
    await works(folder, 'withdraw', './data', '--reason', 'retracted', '--yes')
    await change(older, '2')

    const said = `${second} was withdrawn on ${day} (its authors retracted it)`
    for (const each of [folder, older])
      expect(await works(each, 'status', 'data')).toContain(`\nWithdrawn: ${said}\n`)
    const asked = await works(older, 'status', 'data', '--json', 'withdrawn')
    expect(JSON.parse(asked)).toMatchObject({
      withdrawn: { url: second, reason: 'retracted', at: expect.stringContaining(day) as string },
    })
    await works(folder, 'newversion', './data')
    expect(await works(folder, 'status', 'data')).toContain(`\nWithdrawn: ${said}\n`)
  })

  it('by newversion, publish and sync', async () => {
    await using folder = await temporaryFolder(releasable)
    const record = await release(folder)
    await works(folder, 'withdraw', './data', '--reason', 'spam', '--yes')
    await change(folder, '2')
    const said = `${record} was withdrawn on ${day}`

    expectFailure(await run(folder, 'sync', 'data'), 5, said)
    const begun = await run(folder, 'newversion', './data')
    expect(begun.stderr).toContain(`Note: ${said}`)
    expect(begun.stderr).toContain('the draft has its metadata and files\n')
    await works(folder, 'sync', 'data')
    const published = await run(folder, 'publish', './data')
    expect(published.status).toBe(0)
    expect(published.stderr).toContain(`Note: ${said}`)
  })
})
