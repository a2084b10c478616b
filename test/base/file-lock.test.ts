import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import fs, { readdir, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
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

it.runIf(process.platform === 'linux')(
  'the lock of a process that ended is free, while its parent has not noticed',
  async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'lock')
    // The program that replaces the shell never looks after its child, which ends with its input.
    const parent = spawn('sh', ['-c', 'exec 3<&0; cat <&3 & echo $!; exec sleep 600'])
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer]
    const nameOfParent = (): string => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')
    while (nameOfParent() !== 'sleep\n') await wait(10)
    parent.stdin.end()
    const stat = `/proc/${Number(pid)}/stat`
    while (!readFileSync(stat, 'utf8').includes(') Z ')) await wait(10)
    await writeFile(file, `${Number(pid)} ended`)

    expect(await takeLock(file)).toBeUndefined()
    expect(await takeLock(file)).toBeDefined()
    parent.kill()
  },
)
