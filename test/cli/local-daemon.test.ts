import { createServer } from 'node:http'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isAlive } from '../../core/base/file-lock.ts'
import { startDaemon } from '../support/daemon-process.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** An empty home, and commands that use it; a daemon that they start is ended. */
async function newHome() {
  const folder = await temporaryFolder()
  const home = join(folder.path, 'home')
  const environment = { ...process.env, DEPOSIT_HOME: home }
  const deposit = (...args: readonly string[]) => runCli(args, { environment })
  return {
    home,
    deposit,
    readPid: async (): Promise<number> => {
      const daemon: unknown = JSON.parse(await readFile(join(home, 'daemon.json'), 'utf8'))
      return typeof daemon === 'object' && daemon && 'pid' in daemon ? Number(daemon.pid) : 0
    },
    [Symbol.asyncDispose]: async () => {
      await deposit('daemon', 'stop')
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Kills a daemon once, at the first upload of a file. */
const dyingOfUpload = (trigger: string): string => `
import { subscribe } from 'node:diagnostics_channel'
import { rmSync } from 'node:fs'
subscribe('http.server.request.start', ({ request }) => {
  if (request.method !== 'PUT') return
  try {
    rmSync(${JSON.stringify(trigger)})
  } catch {
    return
  }
  process.kill(process.pid, 'SIGKILL')
})
`

describe('deposit daemon', () => {
  it('starts, shows its status, and stops', async () => {
    await using world = await newHome()
    const start = await world.deposit('daemon', 'start')
    const again = await world.deposit('daemon', 'start')
    const status = await world.deposit('daemon', 'status', '--json', 'url,pid')
    const pid = await world.readPid()
    const logs = await world.deposit('daemon', 'logs')
    const stop = await world.deposit('daemon', 'stop')

    expect(start.status).toBe(0)
    expect(start.stdout).toMatch(/^http:\S+\n$/)
    expect(again.stderr).toContain('runs already')
    expect(JSON.parse(status.stdout)).toEqual({ url: start.stdout.trim(), pid })
    expect(logs.stdout).not.toBe('')
    expect(stop).toMatchObject({ status: 0, stdout: '' })
    expect(isAlive(pid)).toBe(false)
    expect(await world.deposit('daemon', 'status')).toMatchObject({ status: 6, stdout: '' })
    expect(await world.deposit('daemon', 'stop')).toMatchObject({ status: 0 })
  })

  it('refuses unknown commands', async () => {
    await using world = await newHome()

    expect(await world.deposit('daemon', 'dance')).toMatchObject({ status: 2, stdout: '' })
  })
})

describe('the local daemon', () => {
  it('is started only once by concurrent commands', async () => {
    await using world = await newHome()

    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => world.deposit('daemon', 'start')),
    )

    expect(new Set(outcomes.map(({ stdout }) => stdout)).size).toBe(1)
    expect(outcomes.filter(({ stderr }) => stderr.startsWith('Started'))).toHaveLength(1)
    expect(outcomes.filter(({ status }) => status !== 0)).toEqual([])
  })

  it('uses another port if its own is taken', async () => {
    await using world = await newHome()
    await using other = await newHome()

    const [one, two] = [
      await world.deposit('daemon', 'start'),
      await other.deposit('daemon', 'start'),
    ]

    expect([one.status, two.status]).toEqual([0, 0])
    expect(one.stdout).not.toBe(two.stdout)
  })

  it('keeps that port, so that addresses of its records stay good', async () => {
    await using world = await newHome()
    await using other = await newHome()
    const all = [world, other]
    const first = []
    for (const each of all) first.push((await each.deposit('daemon', 'start')).stdout)
    for (const each of all) await each.deposit('daemon', 'stop')

    const again = []
    for (const each of all.toReversed()) again.push((await each.deposit('daemon', 'start')).stdout)

    const address = (text: string): string => /http\S+/.exec(text)?.[0] ?? ''
    expect(again.map(address).toReversed()).toEqual(first.map(address))
  })

  it('is restarted if it dies during an upload, and the upload completes', async () => {
    await using folder = await temporaryFolder({ trigger: '', 'data/a.txt': 'alpha' })
    const trigger = join(folder.path, 'trigger')
    await writeFile(join(folder.path, 'plant.mjs'), dyingOfUpload(trigger))
    // It has its own port: another daemon could start on the usual one while this one is down.
    await using daemon = await startDaemon({
      NODE_OPTIONS: `--import=${join(folder.path, 'plant.mjs')}`,
    })
    const environment = { ...process.env, DEPOSIT_HOME: daemon.home }
    const deposit = (...args: readonly string[]) => runCli(args, { environment })
    const { stdout } = await deposit('create', '--title', 'Tides', '--quiet')
    const id = stdout.trim()

    const outcome = await deposit('upload', id, join(folder.path, 'data'))
    await deposit('daemon', 'stop')

    expect(existsSync(trigger)).toBe(false)
    expect(outcome.stderr).toMatch(
      /Lost 127\.0\.0\.1:\d+; trying again\n[^]*Started the local daemon/,
    )
    expect(outcome).toMatchObject({ status: 0, stdout: 'a.txt\n' })
  })

  it('is started after a crash left its daemon.json behind', async () => {
    await using world = await newHome()
    await mkdir(world.home, { mode: 0o700 })
    const stale = { pid: 2 ** 22 - 3, url: 'http://127.0.0.1:1', version: '0', started: '' }
    await writeFile(join(world.home, 'daemon.json'), JSON.stringify(stale))

    expect(await world.deposit('list')).toMatchObject({ status: 0 })
  })

  it('is not confused with another program on its port, which gets no key and no signal', async () => {
    const seen: unknown[] = []
    const stranger = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.end('{"status":"ok","version":"9.9.9"}')
    })
    await once(stranger.listen(0, '127.0.0.1'), 'listening')
    const address = stranger.address()
    const port = typeof address === 'object' ? address?.port : 0
    await using world = await newHome()
    await mkdir(world.home, { mode: 0o700 })
    const forged = { pid: process.pid, url: `http://127.0.0.1:${port}`, version: '0', started: '' }
    await writeFile(join(world.home, 'daemon.json'), JSON.stringify(forged))
    await writeFile(join(world.home, 'owner.key'), 'key', { mode: 0o600 })
    await writeFile(join(world.home, 'daemon.lock'), '')

    expect(await world.deposit('daemon', 'stop')).toMatchObject({ status: 0 })
    expect(await world.deposit('daemon', 'status')).toMatchObject({ status: 6 })
    expect(seen).toEqual([undefined, undefined])
    stranger.close()
  })

  it('gives exit status 6 and a reason if it does not start', async () => {
    await using folder = await temporaryFolder({ home: 'a file where the home should be' })
    const environment = { ...process.env, DEPOSIT_HOME: join(folder.path, 'home') }

    const { status, stdout, stderr } = await runCli(['list'], { environment })

    expect({ status, stdout }).toEqual({ status: 6, stdout: '' })
    expect(stderr).toMatch(/^deposit: could not start the local daemon\n {2}.+\n {2}next: .+\n$/)
  })
})
