import { execFileSync, spawnSync } from 'node:child_process'
import { appendFile, cp, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { advice, type Advice } from '../../../daemon/advice.ts'
import {
  listeningUrl,
  operateHere,
  runDepositd,
  spawnDepositd,
  type Ended,
} from '../../support/depositd.ts'
import { hasS3, s3Credentials, startS3 } from '../../support/s3.ts'
import { strangeServer } from '../../support/strange-server.ts'
import {
  ada,
  at,
  backup,
  done,
  follow,
  makeRows,
  newHome,
  noteRebuild,
  refused,
  scene,
  serves,
  servesNot,
  upload,
  usedHome,
  type Environment,
  type Rows,
} from './scene.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const program = join(root, 'daemon/bin.mjs')

export const storeRows = {
  useNewer: async () => {
    const older = await olderProgram()
    const home = await usedHome()
    const list = run(process.execPath, [older, 'user', 'list'], process.env)
    expect([list.status, list.stderr]).toEqual([65, expect.stringContaining(advice.useNewer())])
    const newer = await runDepositd(home, ['user', 'list'])
    expect(newer.stdout).toContain(ada)
    await done(at('empty'), ['restore', backup()])
    expect((await done(at('empty'), ['user', 'list'])).stdout).toContain(ada)
  },
  stopDaemon: async () => {
    const home = await newHome()
    const child = spawnDepositd(home, ['serve', '--port', '0'])
    await listeningUrl(child)
    const move = ['move', '--to', at('there')]
    await refused(advice.stopDaemon(), home, move)
    child.kill()
    await child.ended
    await done(home, move)
  },
  useOneService: async () => {
    const theirs = bucket()
    await serves(await newHome('theirs', theirs.env), [], theirs.env)
    const home = await usedHome()
    await rm(join(home, 'stores.json'))
    const [text, hint] = forAnybody(advice.useOneService, theirs.mark)
    await refused(hint, home, ['gc'], theirs.env)
    await done(home, ['gc'])
    await rm(join(home, 'stores.json'), { force: true })
    putObject(theirs.mark, text)
    await done(home, ['gc'], theirs.env)
    await serves(home, [], theirs.env)
  },
  findBytes: async () => {
    const { env } = bucket()
    const home = await usedHome()
    const url = env['DEPOSIT_STORAGE_URL'] ?? ''
    await done(home, ['move', '--storage', url])
    const [wrong, copy] = [bucket(), bucket()]
    await rm(join(home, 'stores.json'))
    const [text, hint] = forAnybody(advice.findBytes, wrong.mark)
    for (const command of [['gc'], ['config', 'check']])
      await refused(hint, home, command, wrong.env)
    await servesNot(hint, home, wrong.env)
    // The URL was wrong.
    await serves(home, [], env)
    // A copy of the store, with its mark.
    await rm(join(home, 'stores.json'))
    copyBucket(env, copy.env)
    await serves(home, [], copy.env)
    // The bytes are lost.
    await rm(join(home, 'stores.json'))
    putObject(wrong.mark, text)
    await serves(home, [], wrong.env)
    expect((await operateHere(home, ['check'], wrong.env)).stdout).toContain('damage')
  },
  followBytes: async () => {
    const [one, two] = [bucket(), bucket()]
    const url = (of: { readonly env: Environment }) => of.env['DEPOSIT_STORAGE_URL'] ?? ''
    const home = await usedHome()
    await done(home, ['move', '--storage', url(one)])
    await done(home, ['move', '--storage', url(two)], one.env)
    await rm(join(home, 'stores.json'))
    const place = two.mark.replace('/service.json', '')
    const hint = advice.followBytes(place)
    for (const command of [['gc'], ['config', 'check']]) await refused(hint, home, command, one.env)
    await servesNot(hint, home, one.env)
    await serves(home, [], two.env)
    await done(home, ['move', '--storage', url(one)], two.env)
    await serves(home, [], one.env)
  },
  rebuildThere: async () => {
    const home = await usedHome()
    for (const name of await readdir(home))
      if (name.startsWith('deposit.db')) await rm(join(home, name))
    const hint = advice.rebuildThere(join(home, 'deposit.db'))
    await refused(hint, home, ['init'])
    await servesNot(hint, home, {})
    await refused(hint, home, ['config', 'check'])
    await serves(await newHome('empty'))
    const { env } = bucket()
    await done(home, ['rebuild'])
    await done(home, ['gc'])
    await serves(await newHome('other', env), [], env)
    // The home was wrong, which has no rows.
    const own = await usedHome('own')
    const moved = bucket().env
    await done(own, ['move', '--storage', moved['DEPOSIT_STORAGE_URL'] ?? ''])
    const inNew = advice.rebuildThere(join(at('typo'), 'deposit.db'))
    await refused(inNew, at('typo'), ['init'], moved)
    const elsewhere = bucket().env
    await serves(await newHome('typo', elsewhere), [], elsewhere)
    await serves(own, [], moved)
    // The database was wrong.
    const { postgres } = scene()
    if (!postgres) return
    const [right, wrong] = [await postgres.database('right'), await postgres.database('typo')]
    await done(own, ['move', '--to', right], moved)
    const server = at('server')
    await mkdir(server, { mode: 0o700 })
    const { host } = new URL(wrong)
    const named = advice.rebuildThere(`postgres://${host}/typo`)
    await refused(named, server, ['init'], { ...moved, DEPOSIT_DATABASE_URL: wrong })
    await servesNot(named, server, { ...moved, DEPOSIT_DATABASE_URL: wrong })
    await refused(named, server, ['gc'], { ...moved, DEPOSIT_DATABASE_URL: wrong })
    expect(await readdir(server)).not.toContain('stores.json')
    await done(server, ['gc'], { ...moved, DEPOSIT_DATABASE_URL: right })
    await done(server, ['check'], { ...moved, DEPOSIT_DATABASE_URL: right })
  },
  mountBytes: async () => {
    const home = await usedHome()
    const text = '{"mark":{"service":"any"}}'
    const hint = advice.mountBytes([text, join(home, 'stores.json')])
    const bytes = (await readdir(home)).filter((name) => /^(?:blobs|small-blobs)/.test(name))
    await mkdir(at('unmounted'))
    for (const name of bytes) await rename(join(home, name), join(at('unmounted'), name))
    for (const command of [['gc'], ['check'], ['config', 'check']])
      await refused(hint, home, command)
    await servesNot(hint, home, {})
    for (const name of bytes) await rename(join(at('unmounted'), name), join(home, name))
    await cp(home, at('saved'), { recursive: true, preserveTimestamps: true })
    await serves(home)
    await done(home, ['check'])
    // They are put back from a backup.
    for (const name of bytes) {
      await rm(join(home, name), { recursive: true })
      await cp(join(at('saved'), name), join(home, name), { recursive: true })
    }
    await refused(hint, home, ['check'])
    await servesNot(hint, home, {})
    await writeFile(join(home, 'stores.json'), text)
    await serves(home)
    await done(home, ['check'])
    // The disk is lost alone, and its files put back from a backup: newer small files are there still.
    await upload(home, 'large.csv', 'x'.repeat(100_000))
    await done(home, ['backup', at('backup')])
    await upload(home, 'newer.csv', 'small')
    await rm(join(home, 'blobs'), { recursive: true })
    await refused(hint, home, ['check'])
    await cp(join(at('backup'), 'blobs'), join(home, 'blobs'), { recursive: true })
    await writeFile(join(home, 'stores.json'), text)
    await serves(home)
    await done(home, ['check'])
    // They are lost.
    for (const name of bytes) await rm(join(home, name), { recursive: true })
    await writeFile(join(home, 'stores.json'), text)
    await serves(home)
    await serves(home)
    expect((await operateHere(home, ['check'])).stdout).toContain('damage')
  },
  rebuildAgain: async () => {
    for (const from of ['manifests', 'root'] as const) {
      const home = await usedHome(from)
      const root = from === 'root' ? at('storage-root') : undefined
      if (root !== undefined) await done(home, ['export-ocfl', root])
      for (const name of await readdir(home))
        if (name.startsWith('deposit.db')) await rm(join(home, name))
      await makeRows(home)
      noteRebuild(home, root)
      const hint = advice.rebuildAgain(root)
      await refused(hint, home, ['gc'])
      await servesNot(hint, home, {})
      await follow(home, hint)
      await serves(home)
    }
  },
  stopThere: async () => {
    const { env } = bucket()
    const home = await usedHome()
    await done(home, ['move', '--storage', env['DEPOSIT_STORAGE_URL'] ?? ''])
    const child = spawnDepositd(home, ['serve', '--port', '0'], env)
    await listeningUrl(child)
    const { stderr } = await refused('Stop that daemon first', at('other'), ['rebuild'], env)
    const [, seconds = ''] = /in (\d+) s/.exec(stderr) ?? []
    expect(stderr).toContain(advice.stopThere(Number(seconds), 'daemon'))
    const elsewhere = bucket().env
    await serves(await newHome('elsewhere', elsewhere), [], elsewhere)
    child.kill()
    await child.ended
    await done(at('other'), ['rebuild'], env)
  },
  lookIntoBackup: async () => {
    const { draft } = scene()
    const home = await usedHome()
    expect(await ask('DELETE', home, draft)).toBe(204)
    await refused(advice.lookIntoBackup(), home, ['undelete', draft])
    await done(at('empty'), ['restore', backup()])
    expect(await ask('GET', at('empty'), draft)).toBe(200)
  },
  useLocalDisk: async (skip) => {
    if (spawnSync('strace', ['-o', '/dev/null', 'true']).status !== 0) skip('needs strace')
    const home = await newHome()
    const remote = onNfs()
    expect([remote.status, remote.stderr]).toEqual([
      78,
      expect.stringContaining(advice.useLocalDisk()),
    ])
    expect(onNfs({ DEPOSIT_ALLOW_NETWORK_FS: 'true' }).status).toBe(0)
    await done(home, ['user', 'list'])
  },
  useUtf8: async (skip) => {
    const { postgres } = scene()
    if (!postgres) return skip('no PostgreSQL is installed')
    const latin = "ENCODING 'LATIN1' LOCALE 'C'"
    const url = await postgres.database('latin', latin)
    await refused(advice.useUtf8(), at('home'), ['init'], { DEPOSIT_DATABASE_URL: url })
    const [program = '', ...options] = advice.useUtf8().split(': ')[1]?.split(' ') ?? []
    const server = new URL(postgres.url)
    const place = ['--host', server.hostname, '--port', server.port, '--username', server.username]
    const named = options.map((option) => (option === 'NAME' ? 'unicode' : option))
    const env = { ...process.env, PGPASSWORD: server.password }
    execFileSync(program, [...place, ...named], { env })
    await rm(at('home'), { recursive: true, force: true })
    await newHome('home', { DEPOSIT_DATABASE_URL: `${postgres.url}unicode` })
  },
  givePassword: async (skip) => {
    const { postgres } = scene()
    if (!postgres) return skip('no PostgreSQL is installed')
    const url = new URL(await postgres.database('locked'))
    const { hostname, port, pathname, username, password } = url
    url.password = ''
    const env = { ...process.env, DEPOSIT_DATABASE_URL: url.href }
    const init = (passfile: string): Ended =>
      run(process.execPath, [program, 'init'], { ...env, PGPASSFILE: passfile })
    const { status, stderr } = init('/none')
    expect([status, stderr]).toEqual([78, expect.stringContaining(advice.givePassword())])
    const line = /[A-Z]+(?::[A-Z]+){4}/.exec(advice.givePassword())?.[0] ?? ''
    const values = {
      HOST: hostname,
      PORT: port,
      DATABASE: pathname.slice(1),
      USER: username,
      PASSWORD: password,
    }
    const text = line.replace(/[A-Z]+/g, (name) => values[name as keyof typeof values])
    await writeFile(at('pgpass'), text, { mode: 0o600 })
    expect(init(at('pgpass'))).toMatchObject({ status: 0 })
  },
  writeStorage: async () => {
    const bad = ['s3://', 's3://b?acl=public', 's3://b/%', 's3://b?endpoint=host']
    for (const url of bad)
      await refused(advice.writeStorage(), at('home'), ['config', 'check'], storage(url))
    const good = /s3:\S+/.exec(advice.writeStorage())?.[0] ?? ''
    const values = { BUCKET: 'given', PREFIX: 'files', URL: scene().s3.endpoint, REGION: 'eu-1' }
    const url = good.replace(/[A-Z]+/g, (name) => values[name as keyof typeof values])
    await done(at('home'), ['config', 'check'], storage(url))
  },
  // No installable server refuses such names; Amazon's does, with a status alone.
  correctBucket: async () => {
    await using server = await strangeServer(({ url = '' }, response) => {
      const isRefused = /^\/(?:b1|two\.\.dots)(?:\/|$)/.test(url)
      // There is the bucket, and nothing in it.
      const status = isRefused ? 400 : url.includes('/files/') ? 404 : 200
      response.writeHead(status).end()
    })
    const at3 = (bucket: string): Environment =>
      storage(`s3://${bucket}/files?endpoint=${server.url}`)
    for (const bucket of ['b1', 'two..dots']) {
      const hint = advice.correctBucket()
      const { stderr } = await refused(hint, at('home'), ['config', 'check'], at3(bucket))
      expect(stderr).toContain(`no bucket ${bucket} at `)
    }
    await done(at('home'), ['config', 'check'], at3('b12'))
  },
  makeBucket: async (skip) => {
    if (!hasS3()) return skip('no S3 server is installed')
    await using s3 = await startS3()
    const url = `s3://missing/files?endpoint=${s3.endpoint}`
    const env = { ...process.env, ...s3Credentials }
    const check = (): Ended =>
      run(process.execPath, [program, 'config', 'check'], { ...env, ...storage(url) })
    expect(check().stderr).toContain(advice.makeBucket())
    const parameter = /\S+=true/.exec(advice.makeBucket())?.[0] ?? ''
    await serves(at('home'), [], { ...s3Credentials, ...storage(`${url}&${parameter}`) })
    expect(check().status).toBe(0)
  },
  setKeys: async (skip) => {
    if (!hasS3()) return skip('no S3 server is installed')
    await using s3 = await startS3()
    const env = storage(s3.store('files'))
    const check = (values: Environment): Ended => {
      const { AWS_ACCESS_KEY_ID: _id, AWS_SECRET_ACCESS_KEY: _secret, ...others } = process.env
      return run(process.execPath, [program, 'config', 'check'], { ...others, ...values })
    }
    const wrong = { AWS_ACCESS_KEY_ID: 'nobody', AWS_SECRET_ACCESS_KEY: 'wrong' }
    const inAddress = storage('s3://key:secret@bucket')
    for (const values of [
      { ...env, ...wrong },
      { ...s3Credentials, ...inAddress },
    ]) {
      const { status, stderr } = check(values)
      expect([status, stderr]).toEqual([78, expect.stringContaining(advice.setKeys())])
    }
    expect(check({ ...env, ...s3Credentials }).status).toBe(0)
    const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = s3Credentials
    const file = `[default]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`
    await writeFile(at('keys'), file, { mode: 0o600 })
    expect(check({ ...env, AWS_SHARED_CREDENTIALS_FILE: at('keys') }).status).toBe(0)
  },
} satisfies Partial<Rows>

/** A bucket of its own with its settings, and the mark in it. */
function bucket() {
  const name = crypto.randomUUID()
  const url = `s3://${name}?endpoint=${scene().s3.endpoint}&region=x&create_bucket=true`
  return { env: storage(url), mark: `s3://${name}/service.json` }
}

/** The text that gives a store to its next user, and the hint that names it. */
function forAnybody(
  hint: (step: readonly [text: string, file: string]) => Advice,
  mark: string,
): readonly [text: string, hint: Advice] {
  const text = '{"service":"any"}'
  return [text, hint([text, mark])]
}

function putObject(mark: string, text: string): void {
  const object = { bytes: Buffer.from(text), checksum: '', modified: new Date() }
  scene().s3.objects.set(mark.slice('s3://'.length), object)
}

/** Copies the objects of a bucket into another one. */
function copyBucket(from: Environment, to: Environment): void {
  const [source, target] = [from, to].map((env) => new URL(env['DEPOSIT_STORAGE_URL'] ?? '').host)
  const { objects } = scene().s3
  for (const [key, object] of objects) {
    if (key.startsWith(`${source}/`)) objects.set(key.replace(`${source}`, `${target}`), object)
  }
}

const storage = (url: string): Environment => ({ DEPOSIT_STORAGE_URL: url })

/** Sends a daemon a request for a deposit as its owner; returns the status. */
async function ask(method: string, home: string, id: string): Promise<number> {
  const create = ['token', 'create', '--user', ada, '--scope', 'deposit:write']
  const token = (await done(home, create)).stdout.trim()
  const child = spawnDepositd(home, ['serve', '--port', '0'])
  const url = await listeningUrl(child)
  const headers = { authorization: `Bearer ${token}` }
  const { status } = await fetch(`${url}/api/deposits/${id}`, { method, headers })
  child.kill()
  await child.ended
  return status
}

/** Runs a program on the row's home with these variables alone. */
function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Ended {
  return spawnSync(command, args, { encoding: 'utf8', env: { ...env, DEPOSIT_HOME: at('home') } })
}

/** The path of an older program, without the last migration. */
async function olderProgram(): Promise<string> {
  const folder = at('older')
  for (const part of ['dist', 'daemon/bin.mjs', 'core/launch.mjs', 'package.json'])
    await cp(join(root, part), join(folder, part), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const programs = join(folder, 'dist/depositd')
  const [schema = ''] = (await readdir(programs)).filter((name) => name.startsWith('schema-'))
  await appendFile(join(programs, schema), '\nmigrations.pop()\n')
  return join(folder, 'daemon/bin.mjs')
}

/** Runs a command for which statfs(2) reports that the home is on NFS. */
function onNfs(env: Environment = {}): Ended {
  const inject = 'inject=statfs:poke_exit=@arg2=6969000000000000'
  const trace = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=statfs', '-e', inject]
  const command = [process.execPath, program, 'user', 'list']
  return run('strace', [...trace, ...command], { ...process.env, ...env })
}
