import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fileDigest } from '../../cli/client/file-digest.ts'
import { withKnownDigests } from '../../cli/transfer/known-digests.ts'
import { readConfig } from '../../cli/config.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

describe('digests remembered for a folder', () => {
  let folder: TemporaryFolder

  beforeEach(async () => {
    folder = await temporaryFolder({ 'data/a.csv': 'one' })
    await utimes(path(), 1e9, 1e9)
    // A file that has just changed is not remembered.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 })
  })

  afterEach(async () => {
    vi.useRealTimers()
    await folder[Symbol.asyncDispose]()
  })

  const own = 'sha256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed'
  const remembered = 'sha256:remembered'

  const path = (): string => join(folder.path, 'data/a.csv')

  async function digest(): Promise<string> {
    const config = { ...readConfig({}, folder.path), cacheFolder: async () => folder.path }
    const { size } = await stat(path())
    return withKnownDigests({ config, folder: folder.path }, 'data', (digestOf) =>
      digestOf({ path: path(), key: 'a.csv', size }),
    )
  }

  async function cacheFile(): Promise<string> {
    const [name = ''] = await readdir(join(folder.path, 'digests'))
    return join(folder.path, 'digests', name)
  }

  /** Shows where the digest comes from: reading the file gives another one. */
  async function markCache(): Promise<void> {
    const file = await cacheFile()
    await writeFile(file, (await readFile(file, 'utf8')).replace(own, remembered))
  }

  it('spare an unchanged file to be read again', async () => {
    expect(await digest()).toBe(own)
    await markCache()

    expect(await digest()).toBe(remembered)
  })

  it('do not count for other bytes of the same size, even with the time of before', async () => {
    await digest()
    await markCache()
    await writeFile(path(), 'two')
    await utimes(path(), 1e9, 1e9)

    expect(await digest()).toBe(await fileDigest({ path: path(), size: 3 }))
  })

  it('do not hold files that changed within two seconds', async () => {
    vi.setSystemTime((await stat(path())).ctimeMs + 1000)

    expect(await digest()).toBe(own)
    expect(await readdir(folder.path)).toEqual(['data'])
  })

  it('are computed again where their file is damaged', async () => {
    await digest()
    await writeFile(await cacheFile(), '[["a')

    expect(await digest()).toBe(own)
    expect(await readFile(await cacheFile(), 'utf8')).toContain(own)
  })
})
