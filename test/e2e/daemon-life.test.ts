import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { unless } from '../faults/obstacle.ts'
import { listeningUrl, runDepositd, spawnDepositd } from '../support/depositd.ts'
import { head } from '../support/raw-request.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { beginUpload, createDraft, freshDaemon, runningDaemon } from './running-daemon.ts'

const notRoot = process.getuid?.() === 0 ? undefined : 'giving a folder to another user needs root'

describe('SIGTERM', () => {
  it('closes every database, the search index on its thread as well', async () => {
    await using daemon = await freshDaemon()
    const token = await daemon.token()
    // A text of this size moves the index from memory to its file.
    const body = JSON.stringify({ title: 'large', notes: 'word '.repeat(190_000) })
    const authorization = `Bearer ${token}`
    const headers = { authorization, 'content-type': 'application/json' }
    await fetch(`${daemon.url}/api/deposits/`, { method: 'POST', headers, body })
    await fetch(`${daemon.url}/api/deposits/?q=large`, { headers: { authorization } })
    const files = async () => (await readdir(daemon.home, { recursive: true })).toSorted()
    await expect.poll(files).toContain(join('search', 'deposits.db'))
    expect((await files()).filter((name) => name.endsWith('-wal'))).not.toEqual([])

    daemon.child.kill('SIGTERM')
    expect((await daemon.ended).status).toBe(0)
    // What is in a log may be of a file that was destroyed since.
    expect((await files()).filter((name) => name.endsWith('-wal'))).toEqual([])
  })

  it('lets running uploads finish, refuses new requests, and ends with 0', async () => {
    await using daemon = await freshDaemon()
    const token = await daemon.token()
    const draft = await createDraft(daemon, token)
    const keys = ['a', 'b', 'c']
    const uploads = await Promise.all(keys.map((key) => beginUpload(draft, token, key)))
    const underWay = async () => (await fetch(`${daemon.url}/metrics`)).text()
    await expect.poll(underWay).toContain('deposit_uploads_under_way 3\n')

    daemon.child.kill('SIGTERM')
    const answer = () =>
      fetch(`${daemon.url}/health`).then(
        ({ status }) => status,
        () => 'refused',
      )
    await expect.poll(answer).not.toBe(200)
    const refused = await answer()
    const answers = await Promise.all(uploads.map((upload) => upload.finish()))

    expect(['refused', 503]).toContain(refused)
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    expect((await daemon.ended).status).toBe(0)
  })

  it('answers the first request on an accepted connection, and none after it', async () => {
    await using daemon = await freshDaemon()
    const { hostname, port, host } = new URL(daemon.url)
    const request = head('GET /api/records', { host })
    const waiting = connect(Number(port), hostname)
    const answered = new Promise<string>((resolve) => {
      const chunks: Buffer[] = []
      waiting.on('data', (chunk) => chunks.push(chunk))
      waiting.on('close', () => resolve(Buffer.concat(chunks).toString()))
    })
    await once(waiting, 'connect')
    await fetch(`${daemon.url}/health`)

    daemon.child.kill('SIGTERM')
    await expect.poll(() => fetch(daemon.url).catch(() => 'refused')).toBe('refused')
    waiting.write(request + request)

    const answer = await answered
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer).toMatch(/connection: close/i)
    expect(answer.match(/^HTTP\/1\.1 /gm)).toHaveLength(1)
    expect((await daemon.ended).status).toBe(0)
  })

  it('cuts requests that exceed the limit, and ends with 0', async () => {
    await using daemon = await freshDaemon({ DEPOSIT_DRAIN_SECONDS: '1' })
    const token = await daemon.token()
    const upload = await beginUpload(await createDraft(daemon, token), token, 'a')
    upload.request.on('error', () => {})

    daemon.child.kill('SIGTERM')

    const { status, stderr } = await daemon.ended
    expect(status).toBe(0)
    expect(stderr).toContain('requests were aborted')
    expect(await readdir(join(daemon.home, 'tmp'))).toEqual([])
  })

  it('ends the daemon at once when it comes a second time', async () => {
    await using daemon = await freshDaemon({ DEPOSIT_DRAIN_SECONDS: '3600' })
    const token = await daemon.token()
    const upload = await beginUpload(await createDraft(daemon, token), token, 'a')
    upload.request.on('error', () => {})

    daemon.child.kill('SIGTERM')
    await expect.poll(() => fetch(daemon.url).catch(() => 'refused')).toBe('refused')
    daemon.child.kill('SIGTERM')

    expect(await daemon.ended).toMatchObject({ status: 0 })
  })
})

describe('an uncaught error', () => {
  it.for([
    ['thrown', `process.on('SIGUSR2', () => { throw new Error('planted') })`],
    ['of a promise', `process.on('SIGUSR2', () => { void Promise.reject(new Error('planted')) })`],
  ])('%s ends the daemon with 70, and is logged', async ([, script]) => {
    await using folder = await temporaryFolder({ 'plant.mjs': script ?? '' })
    const plant = `--import=${join(folder.path, 'plant.mjs')}`
    await using daemon = await freshDaemon({ NODE_OPTIONS: plant })

    daemon.child.kill('SIGUSR2')

    const { status, stderr } = await daemon.ended
    expect(status).toBe(70)
    expect(stderr).toContain('planted')
  })
})

describe('a signal of a program that rotates logs', () => {
  it('reopens the log, and neither ends the daemon nor starts the debugger', async () => {
    await using folder = await temporaryFolder()
    const [home, log] = [join(folder.path, 'home'), join(folder.path, 'depositd.log')]
    const child = spawnDepositd(home, ['serve', '--port', '0', '--log-file', log])
    const url = (await listeningUrl(child)) ?? ''
    for (const [index, signal] of (['SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const).entries()) {
      await rename(log, `${log}.${index}`)
      child.kill(signal === 'SIGUSR2' ? 'SIGHUP' : signal)
      child.kill(signal)
      await expect.poll(() => existsSync(log)).toBe(true)

      expect((await fetch(`${url}/api/deposits/`)).status).toBe(401)
      // An entry is written once its answer is sent.
      await expect.poll(() => readFile(log, 'utf8')).toContain('"status":401')
    }
    child.kill('SIGTERM')
    const { status, stderr } = await child.ended
    expect(status).toBe(0)
    expect(stderr).not.toContain('Debugger')
  })
})

/** Makes every watch of a file fail, as on a machine without free watches. */
const noWatches = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
fs.watch = () => { throw Object.assign(new Error('planted'), { code: 'ENOSPC' }) }
syncBuiltinESMExports()
`

describe('a home that is removed while the daemon uses it', () => {
  it.for([
    { watches: 'with watches', script: '' },
    { watches: 'without free watches', script: noWatches },
  ])('ends the daemon with 73 and a message, on a machine $watches', async ({ script }) => {
    await using folder = await temporaryFolder()
    await using planted = await temporaryFolder({ 'plant.mjs': script })
    const home = join(folder.path, 'home')
    const plant = `--import=${join(planted.path, 'plant.mjs')}`
    await using daemon = await runningDaemon(home, { NODE_OPTIONS: plant })

    await rename(home, join(folder.path, 'elsewhere'))

    const { status, stderr } = await daemon.ended
    expect(status).toBe(73)
    expect(stderr).toContain(`${home} was removed or replaced while the daemon used it`)
    expect(await readdir(folder.path)).toEqual(['elsewhere'])
  })
})

describe('a daemon whose output is lost', () => {
  it('continues when its output is closed', async () => {
    await using daemon = await freshDaemon()
    daemon.child.stdout?.destroy()
    daemon.child.stderr?.destroy()

    for (let request = 0; request < 20; request += 1) await fetch(`${daemon.url}/api/deposits/`)

    expect((await fetch(`${daemon.url}/health`)).status).toBe(200)
  })

  it('continues when its terminal is closed', async () => {
    await using daemon = await freshDaemon()

    daemon.child.kill('SIGHUP')
    await wait(200)

    expect((await fetch(`${daemon.url}/health`)).status).toBe(200)
  })
})

describe('a second daemon on the same home', () => {
  it('ends with 75 at once, and names process and address of the first', async () => {
    await using daemon = await freshDaemon()

    const { status, stderr } = await runDepositd(daemon.home, ['serve', '--port', '0'])

    expect(status).toBe(75)
    expect(stderr).toContain(`(process ${daemon.child.pid}, ${daemon.url})`)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect((await fetch(`${daemon.url}/health`)).status).toBe(200)
  })
})

describe('files left by a killed daemon', () => {
  it('do not keep the next one from starting', async () => {
    await using folder = await temporaryFolder()
    const first = await runningDaemon(folder.path)
    await first[Symbol.asyncDispose]()
    const said = JSON.parse(await readFile(join(folder.path, 'daemon.json'), 'utf8')) as object
    // The process id may belong to another program by now.
    const text = JSON.stringify({ ...said, pid: process.pid })
    await writeFile(join(folder.path, 'daemon.json'), text)

    await using second = await runningDaemon(folder.path)

    expect((await fetch(`${second.url}/health`)).status).toBe(200)
  })
})

describe('the home', () => {
  it('and everything in it can be read only by its owner, with any umask', async () => {
    await using folder = await temporaryFolder()
    const home = join(folder.path, 'home')
    await mkdir(home)
    await chmod(home, 0o777)
    const before = process.umask(0)
    await using daemon = await runningDaemon(home).finally(() => process.umask(before))
    const token = await daemon.token()
    const upload = await beginUpload(await createDraft(daemon, token), token, 'a')
    await upload.finish()

    const entries = await readdir(home, { recursive: true, withFileTypes: true })
    const paths = [home, ...entries.map(({ parentPath, name }) => join(parentPath, name))]
    const modes = await Promise.all(paths.map(async (path) => (await stat(path)).mode & 0o077))
    expect(modes.filter((mode) => mode !== 0)).toEqual([])
  })

  it('may be a link to a folder', async () => {
    await using folder = await temporaryFolder()
    await mkdir(join(folder.path, 'real'))
    await symlink(join(folder.path, 'real'), join(folder.path, 'link'))

    await using daemon = await runningDaemon(join(folder.path, 'link'))

    expect(await readdir(join(folder.path, 'real'))).toContain('daemon.json')
    expect(daemon.url).toMatch(/^http/)
  })

  it('in a folder that everyone can write to is served, with a warning', async () => {
    await using folder = await temporaryFolder()
    await chmod(folder.path, 0o777)
    await using daemon = await runningDaemon(join(folder.path, 'home'))

    daemon.child.kill('SIGTERM')

    const { stderr } = await daemon.ended
    expect(stderr).toMatch(/"level":"warn".*Anybody can replace/)
  })

  it('that is a file is refused with 73 and one line', async () => {
    await using folder = await temporaryFolder({ home: '' })

    const { status, stderr } = await runDepositd(join(folder.path, 'home'), ['serve'])

    expect(status).toBe(73)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  const isSkipped = unless('a home of another user', notRoot)
  it.skipIf(isSkipped)(
    'of another user is refused with 77, and nothing is made there',
    async () => {
      await using folder = await temporaryFolder()
      const { chownSync } = await import('node:fs')
      chownSync(folder.path, 65_534, 65_534)

      const { status, stderr } = await runDepositd(folder.path, ['serve'])

      expect(status).toBe(77)
      expect(stderr).toContain('belongs to another user')
      expect(await readdir(folder.path)).toEqual([])
    },
  )

  it('of a newer schema is refused with 65, and the database is not touched', async () => {
    await using folder = await temporaryFolder()
    const first = await runningDaemon(folder.path)
    first.child.kill('SIGTERM')
    await first.ended
    const path = join(folder.path, 'deposit.db')
    const sqlite = new Sqlite(path)
    sqlite.pragma('user_version = 999')
    sqlite.close()
    const before = await stat(path)

    const { status, stderr } = await runDepositd(folder.path, ['serve', '--port', '0'])

    expect(status).toBe(65)
    expect(stderr).toContain('schema version 999')
    expect((await stat(path)).mtimeMs).toBe(before.mtimeMs)
  })

  it('with a deposit.db that is not a database is refused with 65', async () => {
    await using folder = await temporaryFolder({ 'deposit.db': 'x'.repeat(5000) })

    const { status, stderr } = await runDepositd(folder.path, ['serve', '--port', '0'])

    expect(status).toBe(65)
    expect(stderr).toContain('The database is damaged')
  })
})

describe('a configuration that cannot be served', () => {
  it('ends the daemon with 69 if its port is taken', async () => {
    await using folder = await temporaryFolder()
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo

    const { status, stderr } = await runDepositd(folder.path, ['serve', '--port', String(port)])

    server.close()
    expect(status).toBe(69)
    expect(stderr).toContain(`Port ${port} is taken`)
  })

  it.for([
    ['--port', '70000'],
    ['--port', 'x'],
  ])('ends the daemon with 78 and one line if an option is invalid (%s %s)', async (flags) => {
    await using folder = await temporaryFolder()

    const { status, stderr } = await runDepositd(folder.path, ['serve', ...flags])

    expect(status).toBe(78)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})

describe('a supervisor with NOTIFY_SOCKET', () => {
  it('is notified when the daemon is ready and when it stops', async () => {
    await using folder = await temporaryFolder()
    const said = join(folder.path, 'said')
    const tool = join(folder.path, 'systemd-notify')
    await writeFile(tool, `#!/bin/sh\necho "$@" >> ${said}\n`, { mode: 0o755 })
    const env = { PATH: `${folder.path}:${process.env['PATH']}`, NOTIFY_SOCKET: '@planted' }
    const child = spawnDepositd(join(folder.path, 'home'), ['serve', '--port', '0'], env)
    const words = () => readFile(said, 'utf8').catch(() => '')
    await expect.poll(words).toContain('READY=1')

    child.kill('SIGTERM')
    await child.ended

    expect((await words()).trim().split('\n')).toEqual([
      `--pid=${child.pid} READY=1`,
      `--pid=${child.pid} STOPPING=1`,
    ])
  })
})
