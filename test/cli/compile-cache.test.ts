import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readVersion } from '../../cli/version.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const program = fileURLToPath(new URL('../../cli/bin.mjs', import.meta.url))

let cache: TemporaryFolder
let kept: string

beforeEach(async () => {
  cache = await temporaryFolder()
  kept = join(cache.path, 'deposit/compiled')
})

afterEach(() => cache[Symbol.asyncDispose]())

/** Runs `deposit --help` as a process, which has to succeed. */
function help(environment: NodeJS.ProcessEnv = {}): void {
  const env = { ...process.env, XDG_CACHE_HOME: cache.path, ...environment }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--help'], {
    env,
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain('deposit help TOPIC')
}

/** Paths of the files that were kept. */
async function files(): Promise<readonly string[]> {
  const found = await readdir(kept, { recursive: true, withFileTypes: true })
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

describe('what Node.js compiled of a command', () => {
  it('is kept for the next one, where nobody else can read or write', async () => {
    help()

    const before = await Promise.all(
      (await files()).map(async (path) => (await stat(path)).mtimeMs),
    )
    expect(before.length).toBeGreaterThan(5)
    for (const folder of [kept, join(kept, readVersion())])
      expect((await stat(folder)).mode & 0o777).toBe(0o700)
    help()
    const after = await Promise.all((await files()).map(async (path) => (await stat(path)).mtimeMs))
    expect(after).toEqual(before)
  })

  it('is kept of one version alone', async () => {
    await mkdir(join(kept, '0.0.1'), { recursive: true, mode: 0o700 })
    await chmod(kept, 0o700)
    await writeFile(join(kept, '0.0.1/code'), '')

    help()

    expect(await readdir(kept)).toEqual([readVersion()])
  })

  it('is not kept in a folder that others may write', async () => {
    for (const folder of [kept, join(kept, readVersion())]) {
      await mkdir(folder, { recursive: true })
      await chmod(kept, 0o700)
      await chmod(folder, 0o777)
      help()

      expect(await files()).toEqual([])
    }
  })

  it('is not kept where its folder cannot be made', async () => {
    await writeFile(join(cache.path, 'deposit'), '')

    help()
  })

  it('is not kept where the user turned that off', async () => {
    help({ NODE_DISABLE_COMPILE_CACHE: '1' })

    expect(await readdir(cache.path)).toEqual([])
  })
})
