import { cp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { actionsScope, writeScope } from '../../../core/contract/scopes.ts'
import { advice } from '../../../daemon/advice.ts'
import { operateHere, spawnDepositd } from '../../support/depositd.ts'
import { testDaemon } from '../../support/test-daemon.ts'
import { User } from '../../support/user.ts'
import {
  ada,
  at,
  done,
  follow,
  makeRows,
  noteRebuild,
  refused,
  scene,
  serves,
  usedHome,
  type Environment,
  type Rows,
} from './scene.ts'

/** Hints for rows that are older than the bytes they are used with. */
export const olderRows = {
  useLatestHome: async () => {
    const { env, older, newer } = await twoHomes('latest')
    const [text, mark] = ['{"service":"any"}', markIn(env)]
    const hint = advice.useLatestHome([text, mark])
    for (const command of [['gc'], ['config', 'check']]) await refused(hint, older, command, env)
    const child = spawnDepositd(older, ['serve', '--port', '0'], env)
    const { status, stderr } = await child.ended
    expect([status, stderr]).toEqual([78, expect.stringContaining(hint)])
    await serves(newer, [], env)
    // It is lost.
    accept(env)
    await serves(older, [], env)
    const { stdout } = await operateHere(older, ['check'], env)
    expect(stdout.match(/^strange\tmanifest\t/gm)).toHaveLength(1)
    expect((await done(older, ['gc'], env)).stderr).toContain(advice.useOtherRows('bucket'))
  },
  useLatestRows: async () => {
    const home = await usedHome()
    const older = at('snapshot')
    await cp(home, older, { recursive: true, preserveTimestamps: true })
    await serves(home)
    await rm(join(older, 'blobs'), { recursive: true })
    await cp(join(home, 'blobs'), join(older, 'blobs'), { recursive: true })
    const text = '{"mark":{"service":"any"}}'
    const file = join(older, 'stores.json')
    const hint = advice.useLatestRows(join(older, 'blobs'), [text, file])
    for (const command of [['gc'], ['config', 'check']]) await refused(hint, older, command)
    await serves(home)
    await writeFile(file, text)
    await serves(older)
    await done(older, ['gc'])
  },
  useOtherRows: async () => {
    // In a home.
    const home = await olderHome()
    const { stderr } = await done(home, ['gc'])
    expect(stderr).toContain(advice.useOtherRows('folder'))
    await moveDatabaseAway(home)
    await done(home, ['rebuild'])
    await hasAll(home)
    // On a bucket: the newer home, or an empty one.
    const { env, older, newer } = await twoHomes('bucket')
    accept(env)
    expect((await done(older, ['gc'], env)).stderr).toContain(advice.useOtherRows('bucket'))
    await hasAll(newer, env)
    await done(at('empty'), ['rebuild'], env)
    await hasAll(at('empty'), env)
    // On a server.
    const { postgres } = scene()
    if (!postgres) return
    const there = await twoHomes('server')
    const url = await postgres.database('older')
    accept(there.env)
    await done(there.older, ['move', '--to', url], there.env)
    const old = { ...there.env, DEPOSIT_DATABASE_URL: url }
    const gc = await done(there.older, ['gc'], old)
    expect(gc.stderr).toContain(advice.useOtherRows('server'))
    expect(gc.stderr).toContain('revisions of 1 manifest, such as ')
    await rm(join(there.older, 'stores.json'))
    const made = { ...there.env, DEPOSIT_DATABASE_URL: await postgres.database('made') }
    await done(there.older, ['rebuild'], made)
    await hasAll(there.older, made)
  },
  rebuildFromStart: async () => {
    // On a bucket: of the manifests, and of a storage root.
    const home = await usedHome()
    const url = `s3://${crypto.randomUUID()}?endpoint=${scene().s3.endpoint}`
    const env = { DEPOSIT_STORAGE_URL: `${url}&region=x&create_bucket=true` }
    await done(home, ['move', '--storage', env.DEPOSIT_STORAGE_URL])
    await done(home, ['export-ocfl', at('from')], env)
    for (const [name, root] of [['manifests'], ['root', at('from')]] as const) {
      const killed = at(`killed-${name}`)
      await makeRows(killed)
      noteRebuild(killed, root, 'another')
      const hint = advice.rebuildFromStart('bucket', root)
      const again = root === undefined ? ['rebuild'] : ['rebuild', '--from-ocfl', root]
      await refused(hint, killed, again, env)
      if (root === undefined) await serves(home, [], env)
      await follow(at(`empty-${name}`), hint, env)
      await serves(at(`empty-${name}`), [], env)
    }
    // In a home.
    const own = await usedHome('own')
    await moveDatabaseAway(own)
    await makeRows(own)
    noteRebuild(own, undefined, 'another')
    const hint = advice.rebuildFromStart('folder', undefined)
    await refused(hint, own, ['rebuild'])
    await moveDatabaseAway(own)
    await follow(own, hint)
    await serves(own)
  },
  keepSource: async () => {
    // In a home.
    const [home, there] = [await olderHome(), at('there')]
    const moved = await done(home, ['move', '--to', there])
    const hint = advice.keepSource(`with DEPOSIT_HOME=${there}`, home, 'folder')
    expect(moved.stderr).toContain(hint)
    await serves(there)
    await moveDatabaseAway(home)
    await done(home, ['rebuild'])
    await hasAll(home)
    // On a bucket.
    const { env, older, newer } = await twoHomes('left')
    accept(env)
    const on = await done(older, ['move', '--to', at('further')], env)
    const settings = `with DEPOSIT_HOME=${at('further')}, without DEPOSIT_STORAGE_URL`
    const place = markIn(env).replace('/service.json', '')
    expect(on.stderr).toContain(advice.keepSource(settings, place, 'bucket'))
    await serves(at('further'))
    await hasAll(newer, env)
    await done(at('empty'), ['rebuild'], env)
    await hasAll(at('empty'), env)
  },
  mendManifest: async () => {
    const home = await olderHome()
    const { stdout } = await operateHere(home, ['check'])
    const [, value = ''] = /^strange\tmanifest\t(\S+)@0\t/m.exec(stdout) ?? []
    const manifest = join(home, 'records', value, '0.json')
    await cp(manifest, at('backup.json'))
    await writeFile(manifest, '{}')
    await refusedGc(home)
    await cp(at('backup.json'), manifest)
    await done(home, ['gc'])
    await writeFile(manifest, '{}')
    await refusedGc(home)
    await rename(manifest, at('away.json'))
    await done(home, ['gc'])
  },
} satisfies Partial<Rows>

async function refusedGc(home: string): Promise<void> {
  const { status, stderr } = await operateHere(home, ['gc'])
  expect([status, stderr]).toEqual([1, expect.stringContaining(advice.mendManifest())])
}

/** A home with the database of a day on which it had a record less. */
async function olderHome(): Promise<string> {
  const home = await usedHome()
  await cp(join(home, 'deposit.db'), at('older.db'))
  await publishOne(home)
  await moveDatabaseAway(home)
  await cp(at('older.db'), join(home, 'deposit.db'))
  return home
}

/** A home on a bucket, and a copy of it with which a record more was published there. */
async function twoHomes(name: string) {
  const bucket = `s3://${crypto.randomUUID()}?endpoint=${scene().s3.endpoint}`
  const env = { DEPOSIT_STORAGE_URL: `${bucket}&region=x&create_bucket=true` }
  const [older, newer] = [await usedHome(`${name}-older`), at(`${name}-newer`)]
  await done(older, ['move', '--storage', env.DEPOSIT_STORAGE_URL])
  // The home knows a process that used the bucket.
  await serves(older, [], env)
  await cp(older, newer, { recursive: true, preserveTimestamps: true })
  await publishOne(newer, env)
  return { env, older, newer }
}

function markIn(env: Environment): string {
  const { host } = new URL(env['DEPOSIT_STORAGE_URL'] ?? '')
  return `s3://${host}/service.json`
}

/** Says that what was done with a newer home may be lost. */
function accept(env: Environment): void {
  const object = { bytes: Buffer.from('{"service":"any"}'), checksum: '', modified: new Date() }
  scene().s3.objects.set(markIn(env).slice('s3://'.length), object)
}

async function publishOne(home: string, env: Environment = {}): Promise<void> {
  const scope = `${writeScope} ${actionsScope}`
  const create = ['token', 'create', '--user', ada, '--scope', scope]
  const token = (await done(home, create, env)).stdout.trim()
  await using daemon = await testDaemon({ home, env })
  const user = new User(daemon.url, async () => token)
  await user.publish(await user.createDraftWith('c.csv'))
}

async function moveDatabaseAway(home: string): Promise<void> {
  for (const name of await readdir(home))
    if (name.startsWith('deposit.db')) await rm(join(home, name))
}

/** Looks for records that the rows do not know, and serves the home. */
async function hasAll(home: string, env: Environment = {}): Promise<void> {
  await done(home, ['check'], env)
  await serves(home, [], env)
}
