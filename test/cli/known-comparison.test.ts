import { randomUUID } from 'node:crypto'
import { chmod, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import { startDeposit } from '../support/deposit-process.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

let daemon: DaemonProcess
let folder: TemporaryFolder
let id: string

beforeAll(async () => {
  daemon = await startDaemon()
})

afterAll(() => daemon[Symbol.asyncDispose]())

beforeEach(async () => {
  folder = await temporaryFolder({ 'metadata.yaml': 'title: Tides\n', 'a.csv': 'one', 'b.csv': '' })
  id = await deposit('create', '.')
  // A file that has just changed could change again unseen.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 })
})

afterEach(async () => {
  vi.useRealTimers()
  await folder[Symbol.asyncDispose]()
})

async function deposit(...args: readonly string[]): Promise<string> {
  const environment = { DEPOSIT_HOME: daemon.home }
  const { status, stdout, stderr } = await runCli(args, { environment, folder: folder.path })
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.trim()
}

async function changes(): Promise<string | undefined> {
  return /^Changes: (.*)$/m.exec(await deposit('status'))?.[1]
}

/** Lists of files that the daemon was asked for so far: its log has them before a later request. */
async function lists(): Promise<number> {
  const later = `/${randomUUID()}`
  await fetch(daemon.url + later)
  await vi.waitFor(() => expect(daemon.log()).toContain(later))
  return daemon.log().match(new RegExp(`"GET".*"path":"[^"]*/${id}/files"`, 'g'))?.length ?? 0
}

describe('deposit status in a folder that is as it was', () => {
  beforeEach(async () => {
    expect(await changes()).toBe('none')
  })

  it('asks for no list of files', async () => {
    const before = await lists()
    expect(before).toBeGreaterThan(0)

    expect(await changes()).toBe('none')
    expect(await lists()).toBe(before)
  })

  it('tells changed metadata', async () => {
    await writeFile(join(folder.path, 'metadata.yaml'), 'title: High tides\n')

    expect(await changes()).toBe('1 metadata change (title)')
  })

  it('tells other bytes of the same size and time', async () => {
    const path = join(folder.path, 'a.csv')
    const { atime, mtime } = await stat(path)
    await writeFile(path, 'two')
    await utimes(path, atime, mtime)

    expect(await changes()).toBe('1 replaced')
  })

  it('refuses a file that cannot be read any more', async () => {
    await chmod(join(folder.path, 'a.csv'), 0)
    // Root can read everything unless it drops its capabilities.
    const wrap =
      process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : []
    const options = { folder: folder.path, wrap }
    using run = startDeposit(['status'], { DEPOSIT_HOME: daemon.home }, options)

    const { status, stderr } = await run.ended
    expect(stderr).toContain('you may not read them: a.csv')
    expect(status).toBe(2)
  })

  it('tells a file that was removed at the server', async () => {
    await deposit('rm', id, 'b.csv')

    expect(await changes()).toBe('1 added')
  })

  it('tells a file that is ignored no more', async () => {
    await writeFile(join(folder.path, '.depositignore'), 'b.csv\n')
    expect(await changes()).toBe('none')
    await writeFile(join(folder.path, '.depositignore'), '')
    expect(await changes()).toBe('none')
    await deposit('rm', id, 'b.csv')
    await writeFile(join(folder.path, '.depositignore'), 'b.csv\n')
    expect(await changes()).toBe('none')
    await writeFile(join(folder.path, '.depositignore'), '')

    expect(await changes()).toBe('1 added')
  })
})

describe('deposit status in a folder that has just changed', () => {
  it('lists the files each time', async () => {
    vi.setSystemTime((await stat(join(folder.path, 'a.csv'))).ctimeMs + 1000)
    await changes()
    const before = await lists()

    expect(await changes()).toBe('none')
    expect(await lists()).toBe(before + 1)
  })
})
