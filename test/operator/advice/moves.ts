import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect } from 'vitest'
import { advice } from '../../../daemon/advice.ts'
import { shellWord } from '../../../core/base/shell-word.ts'
import { spawnDepositd } from '../../support/depositd.ts'
import {
  ada,
  at,
  done,
  refused,
  scene,
  serves,
  usedHome,
  type Environment,
  type Rows,
} from './scene.ts'

const eve = 'eve@example.org'

export const moveRows = {
  moveAgain: async (skip) => {
    const { postgres } = scene()
    if (!postgres) return skip('no PostgreSQL is installed')
    const home = await usedHome()
    const url = await postgres.database('move_again')
    const bytes = bucket()
    const env = { ...bytes.env, DEPOSIT_DATABASE_URL: url }
    const there = await emptyHome()
    await killedMove(home, url, bytes)

    const bare = url.replace(/:[^:@]*@/, '@')
    const command = `depositd move --to ${bare} --storage ${shellWord(bytes.url)}`
    const made = [`the database ${nameOf(url)}`, ...bytes.places]
    const hint = advice.moveAgain(home, command, made)
    await refused(hint, there, ['user', 'list'], env)
    // The command of the hint, without a password and as an operator gives it.
    expect(hint).toContain(' and the password of the database, which the address below leaves out')
    const again = ['move', '--to', bare, '--storage', bytes.url]
    const { status } = await refused(advice.givePassword(), home, again)
    expect(status).toBe(78)
    process.env['PGPASSWORD'] = decodeURIComponent(new URL(url).password)
    try {
      await done(home, again)
    } finally {
      delete process.env['PGPASSWORD']
    }
    await serves(there, [], env)
    expect((await done(there, ['user', 'list'], env)).stdout).toContain(ada)

    // Given up: the places can be those of a new service.
    const other = await usedHome('other')
    const further = bucket()
    const folder = at('folder')
    await killedMove(other, folder, further)
    const inFolder = `depositd move --to ${folder} --storage ${shellWord(further.url)}`
    const whole = advice.moveAgain(other, inFolder, [folder, ...further.places])
    await refused(whole, folder, ['user', 'list'], further.env)
    await rm(folder, { recursive: true })
    further.remove()
    await serves(folder, [], further.env)
    expect((await done(folder, ['user', 'list'], further.env)).stdout).not.toContain(ada)

    const last = bucket()
    const given = await postgres.database('given_up')
    await killedMove(other, given, last)
    await dropDatabase(given)
    last.remove()
    const anew = { ...last.env, DEPOSIT_DATABASE_URL: await postgres.database('given_up') }
    await serves(await emptyHome('anew'), [], anew)
    await done(there, ['check'], env)
  },
  startWhereUsed: async (skip) => {
    const { postgres } = scene()
    if (!postgres) return skip('no PostgreSQL is installed')
    const [url, other] = [await postgres.database('used'), await postgres.database('unused')]
    const bytes = bucket()
    const home = await usedHome()
    const move = (to: string): readonly string[] => ['move', '--to', to, '--storage', bytes.url]
    await done(home, move(url))
    const env = { ...bytes.env, DEPOSIT_DATABASE_URL: url }
    await done(home, ['user', 'add', eve], env)
    const settings = `with DEPOSIT_DATABASE_URL naming ${nameOf(url)} and DEPOSIT_STORAGE_URL=${bytes.url}`
    const hint = advice.startWhereUsed(settings, 'make an empty database for it')
    await refused(hint, home, move(url))
    // It was used there.
    await serves(home, [], env)
    expect((await done(home, ['user', 'list'], env)).stdout).toContain(eve)
    await done(home, ['check'], env)

    // It was used here alone.
    const here = await usedHome('here')
    const before = bucket()
    const moveOn = (to: string): readonly string[] => ['move', '--to', to, '--storage', before.url]
    await done(here, moveOn(other))
    await rm(join(here, 'stores.json'))
    await done(here, ['user', 'add', eve])
    await refused('make an empty database for it', here, moveOn(other))
    await dropDatabase(other)
    await done(here, moveOn(await postgres.database('unused')))
    const all = { ...before.env, DEPOSIT_DATABASE_URL: other }
    expect((await done(here, ['user', 'list'], all)).stdout).toContain(eve)
    await serves(here, [], all)
    await done(here, ['user', 'add', 'max@example.org'], all)

    // Back to the folder that it came from, with the old rows in it.
    await refused(`move ${join(here, 'deposit.db')} away`, here, ['move', '--to', here], all)
    for (const name of ['deposit.db', 'deposit.db-wal'])
      await rename(join(here, name), at(name)).catch(() => {})
    await done(here, ['move', '--to', here], all)
    expect((await done(here, ['user', 'list'])).stdout).toContain('max@example.org')
    await done(here, ['move', '--to', at('old')])
    await done(here, ['user', 'add', 'ida@example.org'])
    await refused('name a new folder', here, ['move', '--to', at('old')])
    await done(here, ['move', '--to', at('new')])
  },
} satisfies Partial<Rows>

/** A bucket of its own, and the places in it that a move makes. */
function bucket() {
  const name = crypto.randomUUID()
  const url = `s3://${name}?endpoint=${scene().s3.endpoint}&region=x&create_bucket=true`
  const env: Environment = { DEPOSIT_STORAGE_URL: url }
  const places = ['blobs/', 'records/', 'service.json'].map((place) => `s3://${name}/${place}`)
  const remove = (): void => {
    const { objects } = scene().s3
    const isMade = (key: string): boolean =>
      places.some((place) => key.startsWith(place.slice('s3://'.length)))
    for (const key of [...objects.keys()].filter(isMade)) objects.delete(key)
  }
  return { name, url, env, places, remove }
}

/** Kills a move when it is about to write its first file into the bucket. */
async function killedMove(
  home: string,
  to: string,
  { name, url }: ReturnType<typeof bucket>,
): Promise<void> {
  const { objects } = scene().s3
  const set = objects.set.bind(objects)
  const child = spawnDepositd(home, ['move', '--to', to, '--storage', url])
  objects.set = (key, object) => {
    if (key.startsWith(`${name}/blobs/`)) child.kill('SIGKILL')
    return set(key, object)
  }
  expect((await child.ended).status).toBe(null)
  objects.set = set
}

async function emptyHome(name = 'empty'): Promise<string> {
  await mkdir(at(name), { mode: 0o700 })
  return at(name)
}

function nameOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `postgres://${host}${pathname}`
}

async function dropDatabase(url: string): Promise<void> {
  const server = new URL(url)
  const name = server.pathname.slice(1)
  server.pathname = '/postgres'
  const client = new Client({ connectionString: server.href })
  await client.connect()
  await client.query(`DROP DATABASE "${name}" WITH (FORCE)`)
  await client.end()
}
