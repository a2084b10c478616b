import fs, { readdir, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { takeLock } from '../../core/base/file-lock.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Larger than any process id of Linux, macOS or Windows. */
const noProcess = 2 ** 31 - 1

/** Runs `work` right after each read of a file, before the reader sees its text. */
function afterReading(work: () => Promise<void>): Disposable {
  const { readFile } = fs
  const restore = (replacement: typeof readFile): void => {
    fs.readFile = replacement
    syncBuiltinESMExports()
  }
  const slow: unknown = async (path: string, encoding: 'utf8') => {
    const text = await readFile(path, encoding)
    restore(readFile)
    await work()
    return text
  }
  restore(slow as typeof readFile)
  return { [Symbol.dispose]: () => restore(readFile) }
}

it('a lock has one holder at a time, even when two commands both find that its holder died', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'lock')
  await writeFile(file, `${noProcess} dead`)
  const held: (AsyncDisposable | undefined)[] = []
  using _ = afterReading(async () => {
    // Another command removes the dead one's lock and takes its own.
    held.push(await takeLock(file), await takeLock(file))
  })

  expect(await takeLock(file)).toBeUndefined()
  const [removing, holder] = held
  expect(removing).toBeUndefined()
  expect(holder).toBeDefined()
  expect(await takeLock(file)).toBeUndefined()

  await holder?.[Symbol.asyncDispose]()
  expect(await takeLock(file)).toBeDefined()
  expect(await readdir(folder.path)).toEqual(['lock'])
})
