import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const example = join(root, 'examples/tide-gauge')
/** The folder remembers its deposit, so it is a copy. */
const data = (): string => join(folder.path, 'tide-gauge')

let folder: TemporaryFolder
let environment: NodeJS.ProcessEnv

beforeAll(async () => {
  folder = await temporaryFolder()
  await cp(example, data(), { recursive: true })
  const { DEPOSIT_URL: _url, DEPOSIT_TOKEN: _token, ...rest } = process.env
  environment = {
    ...rest,
    HOME: folder.path,
    XDG_CONFIG_HOME: join(folder.path, 'config'),
    DEPOSIT_HOME: join(folder.path, 'home'),
  }
})

afterAll(async () => {
  await deposit('daemon', 'stop')
  await folder[Symbol.asyncDispose]()
})

/** Runs the real program in its own process. */
async function deposit(...args: readonly string[]) {
  const program = [join(root, 'cli/bin.mjs'), ...args]
  const child = spawn(process.execPath, program, { cwd: root, env: environment })
  child.stdin.end()
  const [stdout, stderr] = await Promise.all([
    child.stdout.toArray(),
    child.stderr.toArray(),
    once(child, 'close'),
  ])
  return { status: child.exitCode, stdout: stdout.join(''), stderr: stderr.join('') }
}

/** Every file below `path` with its bytes. */
async function contentOf(path: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name))
  const files = names.map(async (name): Promise<[string, Buffer]> => [
    name.slice(path.length + 1).normalize('NFC'),
    await readFile(name),
  ])
  return new Map((await Promise.all(files)).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

async function readRecord(url: string): Promise<unknown> {
  const reply = await fetch(url, { headers: { accept: 'application/json' } })
  expect(reply.status).toBe(200)
  return reply.json()
}

describe('a folder of data', () => {
  it('becomes a published record, and is downloaded byte for byte', async () => {
    const created = await deposit('create', data(), '--publish')

    expect(created.status).toBe(0)
    expect(created.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/records\/\S+\n$/)
    expect(created.stderr).toMatch(/Started the local daemon.*\n(.*\n)*Uploaded 5 files\n$/)
    const url = created.stdout.trim()
    expect(await readRecord(url)).toHaveProperty('metadata.title')

    const id = (await deposit('list', '--quiet')).stdout.trim()
    const target = join(folder.path, 'down')
    expect(await deposit('download', id, '--output', target)).toMatchObject({ status: 0 })
    await rm(join(target, 'metadata.yaml'), { force: true })
    const original = new Map(await contentOf(example))
    original.delete('metadata.yaml')
    expect(await contentOf(target)).toEqual(original)
  })

  it('is edited, published again, and a further change is discarded', async () => {
    const id = (await deposit('list', '--quiet')).stdout.trim()

    await deposit('edit', id)
    await deposit('update', id, '--set', 'title=Second edition')
    const url = (await deposit('publish', id)).stdout.trim()
    expect(await readRecord(url)).toMatchObject({ metadata: { title: 'Second edition' } })

    await deposit('edit', id)
    await deposit('update', id, '--set', 'title=Never seen')
    expect(await deposit('discard', id)).toMatchObject({ status: 0 })
    const { stdout } = await deposit('show', id, '--json', 'metadata.title')
    expect(JSON.parse(stdout)).toEqual({ 'metadata.title': 'Second edition' })
    expect(await readRecord(url)).toMatchObject({ metadata: { title: 'Second edition' } })
  })

  it('survives a restart of the daemon', async () => {
    const before = await deposit('list', '--quiet')

    expect(await deposit('daemon', 'stop')).toMatchObject({ status: 0 })
    expect(await deposit('daemon', 'status')).toMatchObject({ status: 6 })
    expect(await deposit('list', '--quiet')).toEqual(before)
  })

  it('cannot be published twice: exit status 5', async () => {
    const id = (await deposit('list', '--quiet')).stdout.trim()
    const { status, stdout, stderr } = await deposit('publish', id)

    expect({ status, stdout }).toEqual({ status: 5, stdout: '' })
    expect(stderr).toContain('(invalid_action')
  })
})
