import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolders } from '../../core/base/durable-files.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('making folders', () => {
  it('makes all missing folders, each with the mode', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'a/b/c')

    makeFolders(path, 0o700)
    makeFolders(path, 0o700)

    for (const each of ['a', 'a/b', 'a/b/c']) {
      expect((await stat(join(folder.path, each))).mode & 0o777).toBe(0o700)
    }
  })

  it('does not replace a file', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'file'), '')

    expect(() => makeFolders(join(folder.path, 'file'))).toThrow('EEXIST')
    expect(() => makeFolders(join(folder.path, 'file/below'))).toThrow('ENOTDIR')
  })

  it.skipIf(process.platform !== 'linux')('fails at once where no folder can be made', () => {
    expect(() => makeFolders('/proc/nope/below')).toThrow('ENOENT')
  })
})
