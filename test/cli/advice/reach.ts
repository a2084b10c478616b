import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, vi } from 'vitest'
import { advice, type Advice } from '../../../cli/advice.ts'
import { isAlive } from '../../../core/base/file-lock.ts'
import { cuttingProxy } from '../../support/cutting-proxy.ts'
import { startDeposit } from '../../support/deposit-process.ts'
import { send } from '../../support/http.ts'
import { startInstitution } from '../../support/institution.ts'
import { credentialsFile } from '../../support/house.ts'
import { runCli } from '../../support/run-cli.ts'
import { answerJson, strangeServer, type StrangeServer } from '../../support/strange-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { testDaemon } from '../../support/test-daemon.ts'
import {
  ada,
  at,
  atHome,
  atHomeWith,
  commandsIn,
  correct,
  daemon,
  draft,
  follow,
  followInShell,
  logsIn,
  pathTo,
  published,
  refuse,
  run,
  shown,
} from './rig.ts'

/** A server with one file, which has wrong bytes until it is mended. */
async function damagedServer(sent: string): Promise<StrangeServer & { mend: () => void }> {
  let content = sent
  const server = await strangeServer((request, response) => {
    if (!request.url?.endsWith('/files')) return void response.end(content)
    const links = { self: '/f', download: '/f' }
    const digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    const file = { id: '1', filename: 'a.txt', filesize: 3, version_id: '1', storage_class: 'S' }
    answerJson(response, [{ ...file, checksum: `sha256:${digest}`, links }])
  })
  return { ...server, mend: () => void (content = 'abc') }
}

async function atDamagedServer(sent: string, hint: Advice): Promise<void> {
  await using server = await damagedServer(sent)
  const download = `deposit download abc --output ${sent}`
  await refuse(download, hint, at(server.url))
  server.mend()
  await follow(download, at(server.url))
}

/** Denies a device, as a person does on its page. */
async function deny(user_code: string): Promise<void> {
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    send('POST', daemon.origin + path, { body: new URLSearchParams({ user_code, ...fields }) })
  const page = (await post('/device', {})).bytes.toString()
  const [, ticket = ''] = /name="ticket" value="([^"]+)"/.exec(page) ?? []
  expect((await post('/device/approve', { ticket, decision: 'deny' })).status).toBe(200)
}

/** Runs `work` with the home of a local daemon that is not started yet. */
async function atNewHome(
  files: Readonly<Record<string, string>>,
  work: (home: string, environment: Record<string, string | undefined>) => Promise<void>,
): Promise<void> {
  await using home = await temporaryFolder(files)
  await chmod(home.path, 0o700)
  const environment = { ...atHome().environment, DEPOSIT_HOME: home.path }
  try {
    await work(home.path, environment)
  } finally {
    await runCli(['daemon', 'stop'], { environment })
  }
}

async function store(credentials: unknown): Promise<void> {
  await rm(credentialsFile, { force: true })
  await mkdir(dirname(credentialsFile), { recursive: true })
  await writeFile(credentialsFile, JSON.stringify(credentials), { mode: 0o600 })
}

/** Hints for a server that cannot be reached, or is not what it should be. */
export const ofReach = {
  checkServer: async () => {
    const away = { environment: { DEPOSIT_URL: 'http://127.0.0.1:1' } }
    await refuse('deposit list', advice.checkServer(), away)
    const doctor = await run(commandsIn(advice.checkServer())[0] ?? '', away)
    expect(doctor.stdout).toContain('BAD server')
    await follow('deposit list')
  },
  runAgainOnceBack: async () => {
    await using proxy = await cuttingProxy(daemon.origin)
    const environment = { DEPOSIT_URL: proxy.url }
    const update = `deposit update ${await draft()} --set title=x`
    proxy.cut(/^PUT/, 1)
    await refuse(update, advice.runAgainOnceBack(), { environment })
    await follow(update, { environment })
  },
  checkUrl: async () => {
    await using server = await strangeServer((_, response) => void response.end('<h1>Hello</h1>'))
    await refuse('deposit list', advice.checkUrl(), at(server.url))
    await follow('deposit list')
  },
  setUrl: async () => {
    await refuse('deposit list', advice.setUrl(), { environment: { DEPOSIT_URL: 'localhost' } })
    const { port } = new URL(daemon.origin)
    await follow('deposit list', { environment: { DEPOSIT_URL: `http://127.0.0.1:${port}` } })
  },
  setOrUnsetUrl: async () => {
    await refuse('deposit list', advice.setOrUnsetUrl(), { environment: { DEPOSIT_URL: '' } })
    await follow('deposit list', { environment: { DEPOSIT_URL: daemon.origin } })
  },
  talkTo: async () => {
    await using server = await strangeServer((_, response) =>
      answerJson(response, { endpoints: {} }),
    )
    const id = await draft()
    const show = `deposit show ${daemon.origin}/deposit/${id}`
    await refuse(show, advice.talkTo(daemon.origin, id), at(server.url))
    await follow('deposit doctor')
    await follow(show)
    const { links, metadata } = await published()
    const value = String(metadata._deposit?.value)
    // The address of the record from before its service had moved here.
    const before = 'https://old.example.org'
    const path = new URL(links['record_html'] ?? '').pathname
    for (const command of ['show', 'download'])
      await refuse(`deposit ${command} ${before}${path}`, advice.talkTo(before, value))
    const [, name = ''] = /name (\S+) alone/.exec(advice.talkTo(before, value)) ?? []
    await follow(`deposit show ${name}`)
  },
  followTo: async () => {
    await using old = await strangeServer(({ url = '' }, response) => {
      response.writeHead(308, { location: daemon.origin + url }).end()
    })
    const hint = advice.followTo(daemon.origin)
    const asked = { environment: { DEPOSIT_URL: old.url } }
    for (const command of ['deposit list', 'deposit create', 'deposit login'])
      await refuse(command, hint, asked)
    const told = /http\S+(?=, set)/.exec(hint)?.[0] ?? ''
    await follow('deposit list', { environment: { DEPOSIT_URL: told } })
  },
  useHttps: async () => {
    await using server = await strangeServer((_, response) => answerJson(response, shown))
    const { port } = new URL(server.url)
    const other = { environment: { DEPOSIT_URL: `http://0.0.0.0:${port}` } }
    await refuse('deposit show abc --json', advice.useHttps(), other)
    await follow('deposit show abc --json --insecure', other)
  },
  matchVersion: async () => {
    let version = '2'
    await using server = await strangeServer((_, response) => {
      response.setHeader('deposit-api-version', version)
      answerJson(response, shown)
    })
    await refuse('deposit show abc --json', advice.matchVersion(), at(server.url))
    version = '1'
    await follow('deposit show abc --json', at(server.url))
  },
  tellIfAgain: () => atDamagedServer('xyz', advice.tellIfAgain()),
  distrustServer: () => atDamagedServer('abcd', advice.distrustServer()),
  leaveUrl: async () => {
    const url = 'http://127.0.0.1:1'
    const file = { pid: 1, url, version: '1.0.0', started: '2026-01-01T00:00:00Z' }
    const files = { 'daemon.json': JSON.stringify(file) }
    await atNewHome(files, async (home, environment) => {
      const hint = advice.leaveUrl(join(home, 'daemon.json'))
      await refuse('deposit list', hint, { environment: { ...environment, DEPOSIT_URL: url } })
      const other = { ...environment, DEPOSIT_URL: daemon.origin }
      await rm(join(home, 'daemon.json'))
      await follow(commandsIn(hint)[0], { environment: other })
      const { authorization = '' } = await ada.authorization()
      const DEPOSIT_TOKEN = authorization.replace('Bearer ', '')
      await follow('deposit list', { environment: { ...other, DEPOSIT_TOKEN } })
    })
  },
  readLog: () =>
    atNewHome({ 'deposit.config.json': '{"DEPOSIT_QUOTA":"x"}' }, async (home, environment) => {
      const log = join(home, 'logs/depositd.log')
      await refuse('deposit list', advice.readLog(log), { environment })
      expect(await follow('deposit daemon logs', { environment })).toContain('DEPOSIT_QUOTA')
      await follow('deposit list', { environment: { DEPOSIT_HOME: home } })
    }),
  startDaemon: () =>
    atNewHome({}, async (_, environment) => {
      await refuse('deposit daemon status', advice.startDaemon(), { environment })
      await follow(commandsIn(advice.startDaemon())[0], { environment })
      await follow('deposit daemon status', { environment })
    }),
  endProcess: () =>
    atNewHome({}, async (home, environment) => {
      await follow('deposit daemon start', { environment })
      const running = JSON.parse(await readFile(join(home, 'daemon.json'), 'utf8')) as {
        pid: number
      }
      const old = { ...running, started: '2026-01-01T00:00:00.000Z' }
      await writeFile(join(home, 'daemon.json'), JSON.stringify(old))
      await writeFile(join(home, 'owner.key'), randomBytes(32).toString('base64url'))
      await refuse('deposit list', advice.endProcess(running.pid), { environment })
      process.kill(running.pid)
      await vi.waitUntil(() => !isAlive(running.pid))
      await follow('deposit list', { environment })
    }),
}

/** Hints about signing in. */
export const ofSignIn = {
  logIn: async () => {
    const { stderr } = await runCli(['list'], { environment: { DEPOSIT_URL: daemon.origin } })
    expect(stderr).toContain(`next: ${advice.logIn()}`)
    await follow('deposit list')
    await follow(commandsIn(advice.logIn())[0], atHome())
    await follow('deposit list', atHome())
  },
  logInForScopes: async () => {
    await follow('deposit login --scope deposit:write', atHome())
    const id = (await follow('deposit create --title x', atHome())).trim()
    const hint = advice.logInForScopes()
    expect(await refuse(`deposit publish ${id}`, hint, atHome())).toContain('deposit:actions')
    const [login, whoami] = commandsIn(hint)
    expect(await follow(whoami, atHome())).toContain('Scopes: deposit:write\n')
    await follow(login, atHome())
    await follow(`deposit publish ${id}`, atHome())
  },
  replaceToken: async () => {
    const hint = advice.replaceToken()
    await refuse('deposit list', hint, atHomeWith('wrong'))
    const [login, create] = commandsIn(hint)
    await follow(login, atHome())
    const narrow = await follow('deposit token create --scope deposit:write', atHome())
    const id = (await follow('deposit create --title x', atHome())).trim()
    await refuse(`deposit publish ${id}`, hint, atHomeWith(narrow.trim()))
    const token = await follow(create, atHome())
    await follow(`deposit publish ${id}`, atHomeWith(token.trim()))
  },
  unsetToken: async () => {
    const told = await refuse('deposit login', advice.unsetToken(), atHomeWith('wrong'))
    expect(told).toMatch(/^DEPOSIT_TOKEN is set: other commands use it, and not this sign-in\n/)
    await follow('deposit login', atHome())
    await follow('deposit list', atHome())
  },
  approveLogin: async () => {
    const elsewhere = { DEPOSIT_HOME: pathTo('elsewhere'), DEPOSIT_URL: daemon.origin }
    using denied = startDeposit(['login'], elsewhere)
    const [, code = ''] = await denied.told(/code (\S+)/)
    await deny(code)
    expect((await denied.ended).stderr).toContain(`next: ${advice.approveLogin()}`)
    await logsIn(elsewhere)
  },
  registerClient: async () => {
    await using institution = await startInstitution()
    await using service = await testDaemon({ env: institution.env })
    const environment = { DEPOSIT_HOME: pathTo('elsewhere'), DEPOSIT_URL: service.origin }
    const asked = { environment: { ...environment, DEPOSIT_TOKEN: undefined } }
    await refuse('deposit login', advice.registerClient(), asked)
    await institution.addCommandLine()
    using login = startDeposit(['login'], environment)
    const [, code = ''] = await login.told(/code (\S+)/)
    await institution.approve(code)
    expect(await login.ended).toMatchObject({ status: 0 })
    await follow('deposit list', asked)
  },
  confirmIssuer: async () => {
    const expired = { token: 'x', expires: '2026-01-01T00:00:00.000Z', refresh: 'y' }
    await store({ [daemon.origin]: { ...expired, issuer: 'https://issuer.example.org/' } })
    const elsewhere = { DEPOSIT_HOME: pathTo('elsewhere'), DEPOSIT_URL: daemon.origin }
    const asked = { environment: { ...elsewhere, DEPOSIT_TOKEN: undefined } }
    await refuse('deposit list', advice.confirmIssuer(), asked)
    await logsIn(elsewhere)
    await follow('deposit list', asked)
  },
  protectFile: async () => {
    await follow('deposit login', atHome())
    await chmod(credentialsFile, 0o644)
    const hint = advice.protectFile(credentialsFile)
    await refuse('deposit list', hint, atHome())
    followInShell(commandsIn(hint)[0])
    await follow('deposit list', atHome())
  },
  removeFile: async () => {
    await rm(credentialsFile, { force: true })
    await mkdir(dirname(credentialsFile), { recursive: true })
    await symlink(pathTo('a.csv'), credentialsFile)
    const hint = advice.removeFile(credentialsFile)
    await refuse('deposit list', hint, atHome())
    followInShell(commandsIn(hint)[0])
    await follow('deposit list', atHome())
  },
  nameScopes: () =>
    correct(
      'deposit token create --scope all',
      advice.nameScopes(),
      'deposit token create --scope deposit:write,deposit:actions',
    ),
  setToken: async () => {
    await refuse('deposit list', advice.setToken(), atHomeWith('two words'))
    const [create] = commandsIn(advice.setToken())
    const token = await follow(`${create} --scope deposit:write`, atHome())
    await follow('deposit list', atHomeWith(token))
  },
  giveToken: async () => {
    const login = 'deposit login --with-token'
    await refuse(login, advice.giveToken(), { ...atHome(), stdin: 'two words' })
    const token = await follow('deposit token create --scope deposit:write')
    await follow(login, { ...atHome(), stdin: token })
    await follow('deposit logout', atHome())
  },
  seeSignIns: async () => {
    await refuse('deposit logout --sign-in 00000000', advice.seeSignIns())
    await follow(commandsIn(advice.seeSignIns())[0])
  },
  seeTokens: async () => {
    await follow('deposit token create --scope deposit:write --name passing')
    await refuse('deposit token revoke 00000000', advice.seeTokens())
    const list = await follow(commandsIn(advice.seeTokens())[0])
    const [, id] = /^(\S+)\tpassing\t/m.exec(list) ?? []
    await follow(`deposit token revoke ${id}`)
  },
  signInThere: async () => {
    const id = await draft()
    const url = `${daemon.origin}/deposit/${id}`
    await refuse(`deposit open ${id} --link`, advice.signInThere(url))
    expect((await fetch(url)).status).toBe(200)
  },
}
