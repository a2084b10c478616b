import { execFileSync } from 'node:child_process'
import { cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Client } from 'pg'
import { expect } from 'vitest'
import { advice } from '../../../daemon/advice.ts'
import { objectsOf } from '../../support/ocfl.ts'
import {
  ada,
  at,
  backup,
  done,
  follow,
  newHome,
  refused,
  runIn,
  scene,
  serves,
  servesNot,
  usedHome,
  type Environment,
  type Rows,
} from './scene.ts'

export const backupRows = {
  dumpRows: async (skip) => {
    const { postgres } = scene()
    if (!postgres) return skip('no PostgreSQL is installed')
    const url = await postgres.database('dump')
    const env = { DEPOSIT_DATABASE_URL: url }
    const home = await newHome('home', env)
    await refused(advice.dumpRows(), home, ['backup', at('backup')], env)
    execFileSync('pg_dump', ['--format=custom', '--file', at('rows.dump'), url])
  },
  restoreRows: async (skip) => {
    const { postgres } = scene()
    if (!postgres) return skip('no PostgreSQL is installed')
    const [from, to] = [await postgres.database('from'), await postgres.database('to')]
    const home = await newHome('home', { DEPOSIT_DATABASE_URL: from })
    await done(home, ['user', 'add', ada], { DEPOSIT_DATABASE_URL: from })
    execFileSync('pg_dump', ['--format=custom', '--file', at('rows.dump'), from])
    const env = { DEPOSIT_DATABASE_URL: to }
    await refused(advice.restoreRows(), at('new'), ['restore', backup()], env)
    execFileSync('pg_restore', ['--dbname', to, at('rows.dump')])
    await rm(at('new'), { recursive: true, force: true })
    await mkdir(at('new'), { mode: 0o700 })
    expect((await done(at('new'), ['user', 'list'], env)).stdout).toContain(ada)
  },
  copyIntoFolder: async () => {
    const env = bucket()
    const home = await newHome('home', env)
    await refused(advice.copyIntoFolder(), home, ['backup', at('backup')], env)
    await done(home, ['move', '--to', at('copy')], env)
    await done(at('copy'), ['backup', at('backup')])
  },
  restoreAgain: async () => {
    const home = at('home')
    await mkdir(join(home, 'restore.incomplete'), { recursive: true, mode: 0o700 })
    for (const command of [['init'], ['config', 'check']])
      await refused(advice.restoreAgain(), home, command)
    await servesNot(advice.restoreAgain(), home, {})
    await done(home, ['restore', backup()])
    await serves(home)
  },
  restoreThenMove: async () => {
    const env = bucket()
    const restore = ['restore', backup()]
    await refused(advice.restoreThenMove(), at('home'), restore, env)
    await done(at('home'), restore)
    await done(at('home'), ['move', '--storage', env['DEPOSIT_STORAGE_URL'] ?? ''])
    await done(at('home'), ['check'], env)
  },
  useEmptyHome: async () => {
    const home = await newHome()
    const restore = ['restore', backup()]
    await refused(advice.useEmptyHome(), home, restore)
    await done(at('empty'), restore)
  },
  backupOutside: async () => {
    const home = await newHome()
    await refused(advice.backupOutside(), home, ['backup', join(home, 'copy')])
    await done(home, ['backup', at('copy')])
  },
  nameNew: async () => {
    const home = await usedHome()
    await done(home, ['backup', at('copy')])
    await refused(advice.nameNew(), home, ['backup', at('copy')])
    await done(home, ['backup', at('other')])
    const second = await newHome('second')
    await done(second, ['user', 'add', 'eve@example.org'])
    for (const to of [second, scene().stock, join(second, 'deposit.db')])
      await refused(advice.nameNew(), home, ['move', '--to', to])
    await done(home, ['move', '--to', at('third')])
  },
  findRoot: async () => {
    const home = await usedHome()
    const rebuild = (folder: string) => ['rebuild', '--from-ocfl', folder]
    await done(home, ['export-ocfl', at('root')])
    await refused(advice.findRoot(), at('new'), rebuild(at('other')))
    await done(at('new'), rebuild(at('root')))
  },
  removeDestroyed: async () => {
    const home = await usedHome()
    await done(home, ['export-ocfl', at('root')])
    const [object] = await objectsOf(at('root'))
    const value = object?.inventory.id.split('/').at(-1) ?? ''
    await done(home, ['record', 'withdraw', value, '--reason', 'test', '--destroy-bytes'])
    const hint = advice.removeDestroyed(at('root'))
    expect((await done(home, ['export-ocfl', at('root')])).stderr).toContain(hint)
    await follow(home, hint)
    expect((await done(home, ['export-ocfl', at('root')])).stderr).not.toContain(hint)
  },
  nameObjects: async () => {
    const home = await usedHome()
    const { stderr } = await done(home, ['export-ocfl', at('root')])
    expect(stderr).toContain(advice.nameObjects())
    await rm(at('root'), { recursive: true })
    const named = { DEPOSIT_PUBLIC_URL: 'https://data.example.org' }
    const again = await done(home, ['export-ocfl', at('root')], named)
    expect(again.stderr).not.toContain(advice.nameObjects())
  },
  makeParent: async () => {
    const home = await newHome()
    const target = join(at('backups'), 'monday')
    const { stderr } = await refused(advice.makeParent(at('backups')), home, ['backup', target])
    runIn(stderr, 'mkdir')
    await done(home, ['backup', target])
  },
  moveAway: async () => {
    const home = await newHome()
    await mkdir(at('copy.incomplete'))
    const foreign = join(at('copy.incomplete'), 'thesis.odt')
    await writeFile(foreign, 'mine')
    await refused(advice.moveAway(foreign), home, ['backup', at('copy')])
    await rename(foreign, at('thesis.odt'))
    await done(home, ['backup', at('copy')])
  },
  moveDatabaseAway: async () => {
    const home = await usedHome()
    await refused(advice.moveDatabaseAway(), home, ['rebuild'])
    await mkdir(at('away'))
    for (const name of await readdir(home))
      if (name.startsWith('deposit.db')) await rename(join(home, name), join(at('away'), name))
    await done(home, ['rebuild'])
  },
  useEmptyDatabase: async (skip) => {
    const { postgres } = scene()
    if (!postgres) return skip('no PostgreSQL is installed')
    const full = { DEPOSIT_DATABASE_URL: await postgres.database('full') }
    const home = await newHome('other', full)
    await done(home, ['user', 'add', ada], full)
    await cp(join(scene().stock, 'home', 'records'), join(home, 'records'), { recursive: true })
    await refused(advice.useEmptyDatabase(), home, ['rebuild'], full)
    const used = await usedHome()
    const to = full.DEPOSIT_DATABASE_URL
    await refused(advice.useEmptyDatabase(), used, ['move', '--to', to])
    const foreign = await postgres.database('foreign')
    const client = new Client({ connectionString: foreign })
    await client.connect()
    await client.query('CREATE TABLE mine (id int)')
    await client.end()
    await refused(advice.useEmptyDatabase(), used, ['move', '--to', foreign])
    await done(used, ['move', '--to', await postgres.database('emptied')])
    const empty = { DEPOSIT_DATABASE_URL: await postgres.database('rebuilt') }
    const rebuilt = await usedHome('rebuilt')
    await rm(join(rebuilt, 'stores.json'))
    await done(rebuilt, ['rebuild'], empty)
  },
  makeAgain: async () => {
    const home = await usedHome()
    for (const name of await readdir(home))
      if (name.startsWith('deposit.db')) await rm(join(home, name))
    expect((await done(home, ['rebuild'])).stderr).toContain(advice.makeAgain())
    await done(home, ['user', 'add', 'eve@example.org', '--admin'])
    await done(home, ['token', 'create', '--user', 'eve@example.org'])
  },
  nameTarget: async () => {
    const home = await newHome()
    await refused(advice.nameTarget(), home, ['move'])
    const storage = ['--storage', bucket()['DEPOSIT_STORAGE_URL'] ?? '']
    await done(home, ['move', '--to', at('there')])
    await done(home, ['move', '--to', at('rows'), ...storage])
    await done(home, ['move', ...storage])
  },
  runAgain: async () => {
    const home = await usedHome()
    for (const command of [['move', '--to', at('there')], ['backup', at('copy')], ['check']]) {
      const before = process.listenerCount('SIGTERM')
      const stopped = refused(advice.runAgain(), home, command)
      while (process.listenerCount('SIGTERM') === before) await setImmediate()
      process.emit('SIGTERM')
      await stopped
      await done(home, command)
    }
  },
  startThere: async () => {
    const home = await usedHome()
    const { stderr } = await done(home, ['move', '--to', at('there')])
    expect(stderr).toContain(advice.startThere(`with DEPOSIT_HOME=${at('there')}`, home, ''))
    await rm(home, { recursive: true })
    await serves(at('there'))
    await done(at('there'), ['check'])
    // From a bucket that no other home uses.
    const env = bucket()
    const url = env['DEPOSIT_STORAGE_URL'] ?? ''
    await done(at('there'), ['move', '--storage', url])
    const back = await done(at('there'), ['move', '--to', at('back')], env)
    const settings = `with DEPOSIT_HOME=${at('back')}, without DEPOSIT_STORAGE_URL`
    const store = `s3://${new URL(url).host}/`
    const leftovers = `${at('there')}, ${store}blobs/ and ${store}records/`
    expect(back.stderr).toContain(advice.startThere(settings, leftovers, '', store.slice(0, -1)))
    await rm(at('there'), { recursive: true })
    const { objects } = scene().s3
    const start = store.slice('s3://'.length)
    for (const key of [...objects.keys()].filter((one) => one.startsWith(start)))
      objects.delete(key)
    await serves(at('back'))
    await done(at('back'), ['check'])
  },
} satisfies Partial<Rows>

function bucket(): Environment {
  const name = crypto.randomUUID()
  const url = `s3://${name}?endpoint=${scene().s3.endpoint}&region=x&create_bucket=true`
  return { DEPOSIT_STORAGE_URL: url }
}
