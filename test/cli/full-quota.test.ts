import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { exitCodes } from '../../cli/exit-codes.ts'
import { deposit, daemonHome, useDaemon, workFolder } from '../support/cli-at-daemon.ts'
import { runDepositd } from '../support/depositd.ts'

useDaemon()

interface Me {
  readonly email: string
  readonly used: number
}

async function readMe(): Promise<Me> {
  return JSON.parse((await deposit(['whoami', '--json'])).stdout) as Me
}

/** Lets the user have `more` bytes than they have. */
async function leave(more: number): Promise<void> {
  const { email, used } = await readMe()
  const { status } = await runDepositd(daemonHome(), ['user', 'quota', email, String(used + more)])
  expect(status).toBe(0)
}

async function works(...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await deposit(args)
  expect(stderr).not.toMatch(/quota/i)
  expect(status, stderr).toBe(exitCodes.done)
  return stdout.trim()
}

/** A deposit whose answers alone are more than is kept beyond a full quota. */
async function createLong(): Promise<string> {
  const file = join(workFolder(), 'long.json')
  await writeFile(file, JSON.stringify({ title: 'Tides', notes: 'x'.repeat(150_000) }))
  return works('create', '--metadata', file, '--quiet')
}

describe('at a full quota', () => {
  let id = ''
  beforeAll(async () => {
    id = await createLong()
    await works('upload', id, 'extra.txt')
    await works('publish', id, '--quiet')
  })

  beforeEach(() => leave(1_000_000))

  it('discard works, and with --idempotency-key says that it works without', async () => {
    await works('edit', id)
    await leave(0)

    const keyed = await deposit(['discard', id, '--yes', '--idempotency-key', 'k'])

    expect(keyed.status).toBe(exitCodes.failed)
    expect(keyed.stderr).toContain('send the request without the key')
    await works('discard', id, '--yes')
  })

  it('rm and delete work', async () => {
    const other = await works('create', '--title', 'Other', '--quiet')
    await works('upload', other, 'extra.txt')
    await leave(0)

    await works('rm', other, 'extra.txt')
    await works('delete', other, '--yes')
  })

  it('what has room works, though its answer has none', async () => {
    const other = await works('create', '--title', 'Other', '--quiet')
    await works('upload', other, 'extra.txt')
    await writeFile(join(workFolder(), 'extra.txt'), 'other')
    // A version counts 512 bytes beside its content.
    await leave(600)
    await works('upload', other, 'extra.txt', '--replace')
    await leave(100)
    const made = await works('create', '--title', 'Third', '--quiet')
    await leave(100)
    await works('publish', made, '--quiet')
  })

  it('whoami shows what it is used by, as the advice says', async () => {
    await leave(0)
    const { email, used } = await readMe()
    const told = await runDepositd(daemonHome(), ['user', 'quota', email, String(used), '--json'])
    const { usage } = JSON.parse(told.stdout) as {
      readonly usage: Readonly<Record<string, number>>
    }
    expect(Object.keys(usage)).toEqual(['files', 'uploads', 'metadata', 'answers'])
    expect(Object.values(usage).reduce((sum, bytes) => sum + bytes)).toBe(used)
    const said = await runDepositd(daemonHome(), ['user', 'quota', email, String(used)])
    expect(said.stderr).toMatch(
      /uses .*: .* of files, .* of answers kept for an Idempotency-Key\.$/m,
    )
    const refused = await deposit(['create', '--title', 'More'])
    expect(refused.status).toBe(exitCodes.failed)
    expect(refused.stderr).toContain('`deposit whoami` shows what your quota is used by')
    const shown = await works('whoami')
    expect(shown).toMatch(
      /^Quota: .* of .* used: .* of files, .* of metadata and revisions, .* of answers kept for an Idempotency-Key$/m,
    )
  })

  it('batch begins no further row, says so once, and continues when there is room', async () => {
    const rows = Array.from({ length: 40 }, (_, at) => ({ title: `${at}`, notes: 'x'.repeat(900) }))
    const file = join(workFolder(), 'rows.jsonl')
    await writeFile(file, rows.map((row) => JSON.stringify(row)).join('\n'))
    const args = ['batch', 'rows.jsonl', '--publish', '--jobs', '2']
    await leave(30_000)

    const refused = await deposit([...args, '--report', 'done.csv'])

    expect(refused.status).toBe(exitCodes.failed)
    expect(refused.stdout + refused.stderr).not.toContain('failed')
    expect(refused.stderr).toMatch(/^deposit: could not \w.* of row \d+ \(line \d+, \d+\)$/m)
    expect((refused.stdout + refused.stderr).match(/The quota of/g)).toHaveLength(1)
    expect(refused.stderr).toMatch(/^\d published, 3\d not done(?: \(\d with a draft\))?$/m)
    expect(refused.stderr).toContain('`deposit whoami` shows what your quota is used by; then run ')
    expect(refused.stderr).toContain(
      '`deposit batch rows.jsonl --publish --jobs 2 --report done.csv`; no row is done twice',
    )
    const report = await readFile(join(workFolder(), 'done.csv'), 'utf8')
    expect(report.match(/,not done,\r\n/g)?.length).toBeGreaterThanOrEqual(30)
    // Those that met the full quota say so.
    expect(report).toMatch(/,not done,could not \w.*: there is no room in the quota\r\n/)
    // Those that were under way may have a draft.
    expect(report.match(/,\w{32},[^,]*,not done,/g)?.length ?? 0).toBeLessThanOrEqual(2)

    const json = await deposit([...args, '--json'])
    expect(json.status).toBe(exitCodes.failed)
    const told = JSON.parse(json.stdout) as readonly { status: string; message: string | null }[]
    expect(told).toHaveLength(40)
    const left = told.filter(({ status }) => status === 'not done')
    expect(left.length).toBeGreaterThanOrEqual(30)
    const said = left.flatMap(({ message }) => message ?? [])
    expect([1, 2]).toContain(said.length)
    for (const message of said) expect(message).toMatch(/: there is no room in the quota$/)

    await leave(10_000_000)
    const { status, stderr } = await deposit(args)
    expect({ status, stderr }).toMatchObject({ status: exitCodes.done })
    expect(stderr).toMatch(/^\d+ (?:already done|published), \d+ (?:already done|published)$/m)
  })

  it('batch tells how many rows are not done where none was begun', async () => {
    await writeFile(join(workFolder(), 'more.jsonl'), '{"title": "A"}\n{"title": "B"}\n')
    await leave(0)

    const refused = await deposit(['batch', 'more.jsonl', '--jobs', '1'])

    expect({ ...refused, stderr: '' }).toEqual({ status: exitCodes.failed, stdout: '', stderr: '' })
    expect(refused.stderr).toMatch(
      /^2 not done\ndeposit: could not create a deposit of row 1 \(line 1, A\)\n/m,
    )
  })

  it('batch sends nothing where its files have no room, as its rehearsal says', async () => {
    const rows = ['title,files']
    for (const name of ['a.bin', 'b.bin']) {
      await writeFile(join(workFolder(), name), name.repeat(400_000))
      rows.push(`${name},${name}`)
    }
    await writeFile(join(workFolder(), 'files.csv'), rows.join('\n'))
    await leave(3_000_000)
    const { used } = await readMe()
    const args = ['batch', 'files.csv', '--publish']

    const rehearsed = await deposit([...args, '--dry-run'])
    const refused = await deposit([...args, '--report', 'none.csv'])

    for (const { status, stdout, stderr } of [rehearsed, refused]) {
      expect({ status, stdout }).toEqual({ status: exitCodes.failed, stdout: '' })
      expect(stderr).toContain('The files need 4.0 MB, and your quota has ')
    }
    expect((await readMe()).used).toBe(used)
    expect(await readFile(join(workFolder(), 'none.csv'), 'utf8')).toMatch(/,not done,\r\n$/)
  })

  it('batch counts on the room that deleted files give way to', async () => {
    const other = await works('create', '--title', 'Other', '--quiet')
    await writeFile(join(workFolder(), 'old.bin'), 'o'.repeat(400_000))
    await works('upload', other, 'old.bin')
    await works('rm', other, 'old.bin')
    await writeFile(join(workFolder(), 'new.bin'), 'n'.repeat(300_000))
    await writeFile(join(workFolder(), 'room.csv'), 'title,files\nRoom,new.bin\n')
    await leave(100_000)

    await works('batch', 'room.csv', '--publish', '--dry-run')
    await works('batch', 'room.csv', '--publish')
  })

  it('upload says it once for many files', async () => {
    const names = Array.from({ length: 100 }, (_, at) => `many/${at}.txt`)
    await mkdir(join(workFolder(), 'many'))
    for (const name of names) await writeFile(join(workFolder(), name), 'x'.repeat(1000))
    const other = await works('create', '--title', 'Many', '--quiet')
    await leave(20_000)

    for (const command of [
      ['upload', other, 'many'],
      ['sync', 'many', other],
    ]) {
      const refused = await deposit(command)
      expect({ ...refused, stderr: '' }).toMatchObject({ status: exitCodes.failed, stdout: '' })
      expect(refused.stderr.match(/The quota of/g)).toHaveLength(1)
    }
  })
})
