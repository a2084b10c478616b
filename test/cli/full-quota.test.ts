import { writeFile } from 'node:fs/promises'
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
})
