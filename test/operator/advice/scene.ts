import { execFileSync } from 'node:child_process'
import { chmod, cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect } from 'vitest'
import type { advice, Advice } from '../../../daemon/advice.ts'
import { homeAt } from '../../../daemon/home/home.ts'
import { openDatabase } from '../../../daemon/stores/open-stores.ts'
import { listeningUrl, operateHere, spawnDepositd, type Ended } from '../../support/depositd.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../../support/postgres.ts'
import { startStrictS3, type StrictS3 } from '../../support/strict-s3.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { testDaemon } from '../../support/test-daemon.ts'

export type Environment = Readonly<Record<string, string>>

/** Follows a hint; calls `skip` if this machine cannot. */
export type Row = (skip: (why: string) => never) => Promise<void>
export type Rows = Readonly<Record<keyof typeof advice, Row>>

/** Stores that all rows share, and a folder of the current row. */
interface Scene extends AsyncDisposable {
  /** A home with a record, a draft and a user, and a backup of it. */
  readonly stock: string
  /** Id of the draft. */
  readonly draft: string
  readonly postgres: PostgresServer | undefined
  readonly s3: StrictS3
  folder: string
}

export const ada = 'ada@example.org'
export const isRoot = process.getuid?.() === 0

let made: Scene | undefined

export function scene(): Scene {
  if (!made) throw new Error('openScene comes first')
  return made
}

export async function openScene(): Promise<Scene> {
  const stock = await temporaryFolder()
  const home = join(stock.path, 'home')
  let draft = ''
  {
    await using daemon = await testDaemon({ home })
    const user = daemon.as('ada')
    await user.publish(await user.createDraftWith('a.csv'))
    draft = (await user.createDraftWith('b.csv')).id
  }
  await done(home, ['backup', join(stock.path, 'backup')])
  const s3 = await startStrictS3()
  const postgres = hasPostgres()
    ? await startPostgres({ settings: { authentication_timeout: '10min' } })
    : undefined
  process.env['AWS_ACCESS_KEY_ID'] ??= 'test'
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test'
  made = {
    stock: stock.path,
    draft,
    postgres,
    s3,
    folder: stock.path,
    [Symbol.asyncDispose]: async () => {
      await postgres?.[Symbol.asyncDispose]()
      await s3[Symbol.asyncDispose]()
      await stock[Symbol.asyncDispose]()
    },
  }
  return made
}

/** A path in the folder of the row. */
export const at = (name: string): string => join(scene().folder, name)

export const backup = (): string => join(scene().stock, 'backup')

/** The row's own home, with a record, a draft and a user. */
export async function usedHome(name = 'home'): Promise<string> {
  await cp(join(scene().stock, 'home'), at(name), { recursive: true, preserveTimestamps: true })
  await chmod(at(name), 0o700)
  return at(name)
}

export async function newHome(name = 'home', env: Environment = {}): Promise<string> {
  await done(at(name), ['init'], env)
  return at(name)
}

/** Rows without a service, as a command begins with. */
export async function makeRows(home: string): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  await (await openDatabase(homeAt(home), () => {}))[Symbol.asyncDispose]()
}

/**
 * Leaves the rows as a rebuild that was killed does.
 *
 * @param before the state of the bytes when it began; earlier versions did not note it
 */
export function noteRebuild(home: string, root: string | undefined, before?: string): void {
  const sqlite = new Sqlite(join(home, 'deposit.db'))
  const note = JSON.stringify({ run: 'killed', root, before })
  sqlite.prepare("INSERT INTO shared_secrets (name, value) VALUES ('rebuild', ?)").run(note)
  sqlite.close()
}

/** Runs a command that is refused with this hint after the reason. */
export async function refused(
  hint: string,
  home: string | undefined,
  args: readonly string[],
  env: Environment = {},
): Promise<Ended> {
  const ended = await operateHere(home, args, env)
  expect(ended.status).not.toBe(0)
  expect(ended.stderr).toMatch(/^depositd: /m)
  expect(ended.stderr).toContain(hint)
  return ended
}

export async function done(
  home: string | undefined,
  args: readonly string[],
  env: Environment = {},
): Promise<Ended> {
  const ended = await operateHere(home, args, env)
  expect({ args, status: ended.status, stderr: ended.stderr }).toEqual({
    args,
    status: 0,
    stderr: ended.stderr,
  })
  return ended
}

/** Starts the daemon, and ends it once it listens. */
export async function serves(home: string, args: readonly string[] = [], env: Environment = {}) {
  const child = spawnDepositd(home, ['serve', '--port', '0', ...args], env)
  const url = await listeningUrl(child)
  child.kill()
  expect([url, (await child.ended).status]).toEqual([expect.stringMatching(/^http/), 0])
}

/** The command at the end of a message. */
export const commandIn = (text: string, name: string): readonly string[] =>
  (new RegExp(`\\b${name} .*`).exec(text)?.[0] ?? '').trim().split(' ')

export function runIn(text: string, name: string): void {
  const [program = '', ...args] = commandIn(text, name)
  execFileSync(program, args)
}

/** Runs the command of a hint that names `depositd`. */
export function follow(home: string, hint: string, env: Environment = {}): Promise<Ended> {
  return done(home, commandIn(hint.replace(/\.$/, ''), 'depositd').slice(1), env)
}

export async function upload(home: string, name: string, content: string): Promise<void> {
  await using daemon = await testDaemon({ home })
  const user = daemon.as(name)
  expect((await user.upload(await user.createDraft(), name, content)).status).toBe(201)
}

export async function servesNot(hint: Advice, home: string, env: Environment): Promise<void> {
  const { status, stderr } = await spawnDepositd(home, ['serve', '--port', '0'], env).ended
  expect([status, stderr]).toEqual([78, expect.stringContaining(hint)])
}
