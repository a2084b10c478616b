import { fstatSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { PartFile } from '../../core/adapters/blobs/part-file.ts'
import { StorageHealth } from '../../core/adapters/storage-health.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

it.for(['discard', 'rest'] as const)(
  'a part stays open while another thread writes to it: %s waits for the write',
  async (end) => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'part')
    const part = await PartFile.create(path, new StorageHealth())
    const { ino } = await stat(path)
    const written = Promise.withResolvers<undefined>()
    const given = Promise.withResolvers<number>()
    const extending = part.extend(0, (descriptor) => {
      given.resolve(descriptor)
      return written.promise
    })
    const ended = part[end]()
    const descriptor = await given.promise
    // Long enough to notice a close that does not wait.
    await sleep(200)

    expect(inodeOf(descriptor)).toBe(ino)
    written.resolve(undefined)
    await Promise.all([extending, ended])
    // Other work of the process may have got the same number since.
    expect(inodeOf(descriptor)).not.toBe(ino)
  },
)

/** Of the file that has the descriptor; undefined where none has. */
function inodeOf(descriptor: number): number | undefined {
  try {
    return fstatSync(descriptor).ino
  } catch {
    return undefined
  }
}
