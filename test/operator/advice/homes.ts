import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { foundation } from '../../../core/adapters/database/schema/0001-foundation.ts'
import { openWriter } from '../../../core/adapters/database/sqlite-database.ts'
import { advice } from '../../../daemon/advice.ts'
import { canMount, readOnlyView } from '../../support/small-disk.ts'
import { runDepositd } from '../../support/depositd.ts'
import {
  at,
  backup,
  done,
  isRoot,
  newHome,
  refused,
  runIn,
  scene,
  serves,
  usedHome,
  type Rows,
} from './scene.ts'

const program = fileURLToPath(new URL('../../../daemon/bin.mjs', import.meta.url))

const settings = async (content: string, mode = 0o600): Promise<string> => {
  await writeFile(at('deposit.env'), content, { mode })
  await chmod(at('deposit.env'), mode)
  return at('deposit.env')
}

export const homeRows = {
  findHome: async () => {
    const home = await usedHome()
    const check = ['check', '--quick']
    await refused(advice.findHome(), at('typo'), check)
    await done(home, check)
    const file = await settings(`DEPOSIT_HOME=${home}\n`)
    await done(undefined, ['--environment-file', file, ...check])
    delete process.env['DEPOSIT_HOME']
    await done(at('typo'), ['init'])
    await done(at('typo'), check)
    await rm(join(home, 'deposit.db'))
    await refused(advice.findHome(), home, check)
    await done(home, ['rebuild'])
    await done(home, check)
  },
  findManifests: async () => {
    const home = await usedHome()
    await refused(advice.findManifests(), at('typo'), ['rebuild'])
    await rm(join(home, 'deposit.db'))
    await done(home, ['rebuild'])
    await done(at('restored'), ['restore', backup()])
  },
  useWholePath: async () => {
    await refused(advice.useWholePath(), '~/home', ['init'])
    await done(at('home'), ['init'])
  },
  migrate: async () => {
    await mkdir(at('home'), { mode: 0o700 })
    {
      using connection = openWriter(join(at('home'), 'deposit.db'))
      await foundation(connection.db.schema)
      connection.sqlite.pragma('user_version = 1')
    }
    await cp(at('home'), at('other'), { recursive: true })
    await chmod(at('other'), 0o700)
    await refused(advice.migrate(), at('home'), ['user', 'list'])
    await done(at('home'), ['migrate'])
    await done(at('home'), ['user', 'list'])
    await serves(at('other'))
    await done(at('other'), ['user', 'list'])
    for (const home of [at('home'), at('other')])
      expect(await readdir(join(home, 'backup'))).toHaveLength(1)
  },
  loadSettings: async () => {
    const home = await newHome()
    const path = join(home, 'stores.json')
    const store = `s3://${crypto.randomUUID()}`
    await writeFile(path, JSON.stringify({ storage: store }))
    const hint = advice.loadSettings('storage', path)
    await refused(hint, home, ['check', '--quick'])
    const url = `${store}?endpoint=${scene().s3.endpoint}&region=x&create_bucket=true`
    const file = await settings(`DEPOSIT_STORAGE_URL="${url}"\n`)
    await done(home, ['--environment-file', file, 'check', '--quick'])
    delete process.env['DEPOSIT_STORAGE_URL']
    await rm(path)
    await done(home, ['check', '--quick'])
  },
  useFolder: async () => {
    await writeFile(at('file'), '')
    await refused(advice.useFolder(), join(at('file'), 'home'), ['init'])
    await newHome()
  },
  copyHome: async (skip) => {
    if (!canMount()) skip('mounting needs root')
    const home = await usedHome()
    await using seen = await readOnlyView(home)
    const hint = advice.copyHome(seen.path)
    for (const args of [['gc'], ['serve', '--port', '0']]) await refused(hint, seen.path, args)
    for (const args of [['check'], ['backup', at('saved')], ['user', 'list'], ['config', 'check']])
      await done(seen.path, args)
    const copy = /cp -a \S+ COPY/.exec(hint)?.[0] ?? ''
    runIn(copy.replace('COPY', at('copy')), 'cp')
    await done(at('copy'), ['gc'])
    await serves(at('copy'))
  },
  useOtherTemporary: async (skip) => {
    if (!canMount()) skip('mounting needs root')
    await using seen = await readOnlyView(await newHome())
    const { status, stderr } = await runDepositd(seen.path, ['check'], { TMPDIR: at('nowhere') })
    expect([status, stderr]).toEqual([
      74,
      expect.stringMatching(/Set TMPDIR to a folder with room/),
    ])
    await done(seen.path, ['check'], { TMPDIR: scene().folder })
  },
  restoreOrRebuild: async () => {
    const home = await usedHome()
    await writeFile(join(home, 'deposit.db'), 'x'.repeat(8192))
    await refused(advice.restoreOrRebuild(), home, ['check'])
    await done(at('empty'), ['restore', backup()])
    await done(at('empty'), ['check'])
    await mkdir(at('away'))
    for (const name of await readdir(home))
      if (name.startsWith('deposit.db')) await rename(join(home, name), join(at('away'), name))
    await done(home, ['rebuild'])
    await done(home, ['check'])
  },
  useOtherPort: async () => {
    const home = await newHome()
    const server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const { status, stderr } = await runDepositd(home, ['serve', '--port', String(port)])
    server.close()
    expect(status).toBe(69)
    expect(stderr).toContain(`Port ${port} is taken. ${advice.useOtherPort()}`)
    await serves(home)
  },
  setPublicUrl: async () => {
    const home = await newHome()
    const args = ['serve', '--port', '0', '--host', '0.0.0.0']
    const { status, stderr } = await runDepositd(home, args)
    expect(status).toBe(78)
    expect(stderr).toContain(advice.setPublicUrl())
    const env = { DEPOSIT_PUBLIC_URL: 'https://deposit.example.org' }
    await serves(home, ['--host', '0.0.0.0'], env)
  },
  runAsOwner: async (skip) => {
    if (!isRoot) skip('giving a home to another user needs root')
    if (asNobody('--version').status !== 0) skip('no other user may read this program')
    const home = await newHome()
    await chown(home, 65_534, 65_534)
    await refused(advice.runAsOwner(), home, ['user', 'list'])
    for (const name of await readdir(home, { recursive: true }))
      await chown(join(home, name), 65_534, 65_534)
    await chmod(scene().folder, 0o755)
    expect(asNobody('user', 'list').stderr).toContain(home)
  },
  nameBeside: async (skip) => {
    const home = await newHome()
    const [inside, beside] = [join(home, 'new'), `${home}-moved`]
    await refused(advice.nameBeside(beside, undefined), home, ['move', '--to', inside])
    await done(home, ['move', '--to', beside])
    const next = `${beside}-2`
    await refused(advice.nameBeside(next, undefined), home, ['move', '--to', inside])
    if (!isRoot) return
    if (asNobody('--version').status !== 0) skip('no other user may read this program')
    await chmod(scene().folder, 0o755)
    await chown(home, 65_534, 65_534)
    for (const name of await readdir(home)) await chown(join(home, name), 65_534, 65_534)
    const { status, stderr } = asNobody('move', '--to', inside)
    expect([status, stderr]).toEqual([1, expect.stringContaining(advice.nameBeside(next, 65_534))])
    runIn(stderr, 'install')
    expect(asNobody('move', '--to', next)).toMatchObject({ status: 0 })
  },
  closeHome: () => closes((home) => chmod(home, 0o770), advice.closeHome),
  closeFile: async () => {
    const home = await newHome()
    const path = join(home, 'deposit.config.json')
    await writeFile(path, '{}')
    await chmod(path, 0o664)
    runIn((await refused(advice.closeFile(path), home, ['check'])).stderr, 'chmod')
    await done(home, ['check'])
  },
  closeFolder: async () => {
    const home = await newHome()
    await mkdir(at('open'))
    const path = join(at('open'), 'settings.json')
    await writeFile(path, '{}')
    await chmod(at('open'), 0o777)
    const env = { DEPOSIT_CONFIG: path }
    runIn((await refused(advice.closeFolder(at('open')), home, ['check'], env)).stderr, 'chmod')
    await done(home, ['check'], env)
  },
  takeOver: async (skip) => {
    if (!isRoot) skip('giving a file to another user needs root')
    const home = await newHome()
    const path = join(home, 'owner.key')
    await chown(path, 65_534, 65_534)
    const { stderr } = await refused(advice.takeOver(path, 0), home, ['check'])
    runIn(stderr, 'chown')
    await done(home, ['check'])
  },
  useKey: async () => {
    await mkdir(at('home'), { mode: 0o700 })
    const path = join(at('home'), 'deposit.config.json')
    await writeFile(path, '{"DEPOSIT_QUOTAS": "5 GB"}', { mode: 0o600 })
    await refused(advice.useKey('DEPOSIT_QUOTA'), at('home'), ['config', 'check'])
    await writeFile(path, '{"DEPOSIT_QUOTA": "5 GB"}')
    await done(at('home'), ['config', 'check'])
    const env = { DEPOSIT_MAX_FILE: '5GB' }
    const { stderr } = await done(at('home'), ['config', 'check'], env)
    expect(stderr).toContain(advice.useKey('DEPOSIT_MAX_FILES'))
    await done(at('home'), ['config', 'check'], { DEPOSIT_MAX_FILES: '5' })
  },
  setOne: async () => {
    const one = { DEPOSIT_REST_ENDPOINTS: '{"depid": {"list_route": "/a"}}' }
    const other = { DEPOSIT_SEARCH_API: '/api/b' }
    await refused(advice.setOne(), at('home'), ['config', 'check'], { ...one, ...other })
    for (const env of [one, other]) await done(at('home'), ['config', 'check'], env)
  },
  setBoth: async () => {
    const id = { DEPOSIT_ISSUER_CLIENT_ID: 'depositd' }
    const secret = { DEPOSIT_ISSUER_CLIENT_SECRET: 'secret' }
    for (const half of [id, secret])
      await refused(advice.setBoth(), at('home'), ['config', 'check'], {
        DEPOSIT_ISSUER: 'https://issuer.example.org',
        ...half,
      })
    const issuer = { DEPOSIT_ISSUER: 'https://issuer.example.org' }
    for (const env of [{ ...issuer, ...id, ...secret }, {}])
      await done(at('home'), ['config', 'check'], env)
  },
  removeLine: async () => {
    const check = async (content: string): Promise<readonly string[]> => [
      '--environment-file',
      await settings(content),
      'config',
      'check',
    ]
    const wrong = await check('DEPOSIT_QUOTA=5GB\nNODE_OPTIONS=--inspect\n')
    await refused(advice.removeLine(), at('home'), wrong)
    await done(at('home'), await check('DEPOSIT_QUOTA=5GB\n'))
    delete process.env['DEPOSIT_QUOTA']
  },
} satisfies Partial<Rows>

async function closes(
  open: (home: string) => Promise<void>,
  hint: (path: string) => string,
): Promise<void> {
  const home = await newHome()
  await open(home)
  runIn((await refused(hint(home), home, ['check'])).stderr, 'chmod')
  await done(home, ['check'])
}

function asNobody(...args: readonly string[]) {
  const as = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, program]
  const env = { ...process.env, DEPOSIT_HOME: at('home') }
  return spawnSync('setpriv', [...as, ...args], { encoding: 'utf8', env })
}
