import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openFolderBlobStore } from '../../core/adapters/blobs/folder-blob-store.ts'
import { StorageFull } from '../../core/errors.ts'
import { newBlobId } from '../../core/files/file.ts'
import { everything, streamOf } from './blob-store.contract.ts'
import { commandFor } from './folder-blob-store.process.ts'

const KiB = 1024
const MiB = 1024 * KiB
const roomy = { limit: 64 * MiB }

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'deposit-blobs-'))
})

afterEach(async () => {
  await rm(root, { recursive: true })
})

/** Says why a test cannot run here; silence would look like success. */
function unless(reason: string, isPossible: boolean): boolean {
  if (!isPossible)
    process.stderr.write(`\nSKIPPED in folder-blob-store.failures.test.ts: ${reason}\n`)
  return !isPossible
}

function canMount(): boolean {
  const trial = 'mount -t tmpfs -o size=64k tmpfs /mnt && umount /mnt'
  return spawnSync('unshare', ['-m', 'sh', '-c', trial]).status === 0
}

describe.skipIf(unless('mounting a small tmpfs needs root', canMount()))(
  'folder blob store: a full disk',
  () => {
    let disk: string

    beforeEach(async () => {
      disk = join(root, 'disk')
      await mkdir(disk)
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m,nr_inodes=2000', 'tmpfs', disk])
    })

    afterEach(() => {
      execFileSync('umount', [disk])
    })

    it('refuses what does not fit, keeps nothing of it, and goes on', async () => {
      await using store = await openFolderBlobStore(disk)
      const kept = newBlobId()
      await store.write(kept, streamOf(randomBytes(3 * MiB)), roomy)

      const tooMuch = store.write(newBlobId(), streamOf(randomBytes(5 * MiB)), roomy)
      await expect(tooMuch).rejects.toThrow(StorageFull)
      const announced = store.write(newBlobId(), streamOf(Buffer.from('abc')), {
        ...roomy,
        expectedSize: 5 * MiB,
      })
      await expect(announced).rejects.toThrow(StorageFull)

      expect(await readdir(join(disk, 'tmp'))).toEqual([])
      expect(await everything(store)).toHaveLength(1)
      expect(store.health).toBe('sound')
      await store.remove(kept)
      await store.write(newBlobId(), streamOf(randomBytes(5 * MiB)), roomy)
    })

    it('leaves the reserve free', async () => {
      await using store = await openFolderBlobStore(disk)
      const fill = async (): Promise<never> => {
        for (;;) await store.write(newBlobId(), streamOf(randomBytes(20 * KiB)), roomy)
      }
      await expect(fill()).rejects.toThrow(StorageFull)
      await writeFile(join(disk, 'reserve'), randomBytes(48 * KiB))
    })

    it('is full when no further file can be made', async () => {
      await using store = await openFolderBlobStore(disk)
      const fill = async (): Promise<never> => {
        for (;;) await store.write(newBlobId(), streamOf(Buffer.from('x')), roomy)
      }
      await expect(fill()).rejects.toThrow(StorageFull)
      expect(await readdir(join(disk, 'tmp'))).toEqual([])
      expect(store.health).toBe('sound')
    })

    it('degrades when the file system turns read-only, and goes on reading', async () => {
      await using store = await openFolderBlobStore(disk)
      const id = newBlobId()
      await store.write(id, streamOf(Buffer.from('abc')), roomy)
      execFileSync('mount', ['-o', 'remount,ro', disk])
      const write = store.write(newBlobId(), streamOf(Buffer.from('x')), roomy)
      await expect(write).rejects.toMatchObject({ code: 'storage_failed' })
      execFileSync('mount', ['-o', 'remount,rw', disk])
      const next = store.write(newBlobId(), streamOf(Buffer.from('x')), roomy)
      await expect(next).rejects.toMatchObject({ code: 'storage_degraded' })
      expect(store.health).toBe('degraded')
      expect(String(await buffer(await store.read(id)))).toBe('abc')
    })
  },
)

/** Runs `script` in a process whose system calls fail as `inject` says; answers what it prints. */
function runInjected(inject: string, script: string): string {
  const [call = ''] = inject.split(':')
  const trace = ['-f', '-o', join(root, 'trace'), '-e', `trace=${call}`, '-e', `inject=${inject}`]
  // strace counts the calls of each thread for itself.
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1' }
  const { stdout, stderr } = spawnSync('strace', [...trace, ...commandFor(root, script)], {
    encoding: 'utf8',
    env,
  })
  return stdout + stderr
}

function canTrace(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
}

/** Writes thrice and says what each write came to, and what is left. */
const threeWrites = `
  import { readdir } from 'node:fs/promises'
  const store = await openFolderBlobStore(root)
  const outcomes = []
  for (const text of ['a', 'b', 'c']) {
    await store.write(newBlobId(), Readable.from([text]), { limit: 10 }).then(
      () => outcomes.push('kept'),
      (error) => outcomes.push(error.code))
  }
  const listed = await Array.fromAsync(store.list())
  const left = await readdir(root + '/tmp')
  console.log(JSON.stringify({ outcomes, listed: listed.length, left: left.length, health: store.health }))
`

describe.skipIf(unless('failing system calls need strace', canTrace()))(
  'folder blob store: a failing disk',
  () => {
    // The first five syncs are those of opening; then comes the file of the first write.
    it.each([
      'fsync:error=EIO:when=6',
      'fsync:error=ENOSPC:when=6',
      'fsync:error=EIO:when=9',
      'pwrite64:error=EIO:when=1',
      'rename:error=EIO:when=1',
    ])('takes no more writes after %s, and keeps nothing of the one it hit', (inject) => {
      const said: unknown = JSON.parse(runInjected(inject, threeWrites))
      expect(said).toEqual({
        outcomes: ['storage_failed', 'storage_degraded', 'storage_degraded'],
        listed: 0,
        left: 0,
        health: 'degraded',
      })
    })

    // Node.js has no name for the second.
    it.each(['ENOSPC', 'EDQUOT'])('is full, and sound, where a write meets %s', (error) => {
      const inject = `pwrite64:error=${error}:when=1`
      const said: unknown = JSON.parse(runInjected(inject, threeWrites))
      expect(said).toEqual({
        outcomes: ['storage_full', 'kept', 'kept'],
        listed: 2,
        left: 0,
        health: 'sound',
      })
    })

    it('is busy, and sound, while no file can be opened', () => {
      const said: unknown = JSON.parse(runInjected('rename:error=EMFILE:when=1', threeWrites))
      expect(said).toMatchObject({
        outcomes: ['overloaded', 'kept', 'kept'],
        left: 0,
        health: 'sound',
      })
    })
  },
)
