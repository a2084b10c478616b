import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openFolderBlobStore } from '../../core/adapters/blobs/folder-blob-store.ts'
import { newBlobId, type BlobId } from '../../core/files/file.ts'
import { everything, streamOf } from './blob-samples.ts'
import { commandFor } from './folder-blob-store.process.ts'

const KiB = 1024
const MiB = 1024 * KiB
const roomy = { limit: 64 * MiB }
/** Bytes: kept as a row, as a file, as a file that a thread writes, and as one synced part-way. */
const [small, large, larger, largest] = [100, 100_000, 2_000_000, 40_000_000]

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

    it('refuses a file that does not fit, keeps nothing of it, and accepts the next', async () => {
      await using store = await openFolderBlobStore(disk)
      const kept = newBlobId()
      await store.write(kept, streamOf(randomBytes(3 * MiB)), roomy)

      const tooMuch = store.write(newBlobId(), streamOf(randomBytes(5 * MiB)), roomy)
      await expect(tooMuch).rejects.toMatchObject({ code: 'storage_full' })
      const announced = store.write(newBlobId(), streamOf(Buffer.from('abc')), {
        ...roomy,
        expectedSize: 5 * MiB,
      })
      await expect(announced).rejects.toMatchObject({ code: 'storage_full' })

      expect(await readdir(join(disk, 'tmp'))).toEqual([])
      expect(await everything(store)).toHaveLength(1)
      expect(store.health).toBe('sound')
      await store.remove(kept)
      await store.write(newBlobId(), streamOf(randomBytes(5 * MiB)), roomy)
    })

    it.each([20 * KiB, 100 * KiB])('writes no blobs of %i bytes into the reserve', async (size) => {
      await using store = await openFolderBlobStore(disk)
      const fill = async (): Promise<never> => {
        for (;;) await store.write(newBlobId(), streamOf(randomBytes(size)), roomy)
      }
      await expect(fill()).rejects.toMatchObject({ code: 'storage_full' })
      await writeFile(join(disk, 'reserve'), randomBytes(48 * KiB))
    })

    it('removes small blobs on a full disk, and can use their space again', async () => {
      await using store = await openFolderBlobStore(disk)
      const ids: BlobId[] = []
      const fill = async (): Promise<never> => {
        for (;;) ids.push((await store.write(newBlobId(), streamOf(few), roomy)).id)
      }
      const few = randomBytes(60 * KiB)
      await expect(fill()).rejects.toMatchObject({ code: 'storage_full' })

      for (const id of ids) await store.remove(id)

      await expect.poll(() => store.requireRoom(3 * MiB).then(() => true)).toBe(true)
      await store.write(newBlobId(), streamOf(randomBytes(3 * MiB)), roomy)
      expect(await everything(store)).toHaveLength(1)
    })

    it('refuses a write when no further file can be created', async () => {
      await using store = await openFolderBlobStore(disk)
      const fill = async (): Promise<never> => {
        for (;;) await store.write(newBlobId(), streamOf(Buffer.alloc(65_537)), roomy)
      }
      await expect(fill()).rejects.toMatchObject({ code: 'storage_full' })
      expect(await readdir(join(disk, 'tmp'))).toEqual([])
      expect(store.health).toBe('sound')
    })
  },
)

/** Runs `script` in a process whose system calls fail as `inject` says; answers what it prints. */
async function runInjected(inject: string, script: string): Promise<string> {
  // Syncs that create the store do not count.
  const made = await openFolderBlobStore(join(root, 'store'))
  await made[Symbol.asyncDispose]()
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

/** Writes this many bytes three times; prints the outcome of each write, and what is left. */
const threeWrites = (size: number): string => `
  import { readdir } from 'node:fs/promises'
  const store = await openFolderBlobStore(root)
  const outcomes = []
  for (const fill of ['a', 'b', 'c']) {
    const quarter = Buffer.alloc(${size / 4}, fill)
    const source = Readable.from(Array(4).fill(quarter))
    await store.write(newBlobId(), source, { limit: 1e8 }).then(
      () => outcomes.push('kept'),
      (error) => outcomes.push(error.code))
  }
  const listed = await Array.fromAsync(store.list())
  for (const { id } of listed) await Array.fromAsync(await store.read(id))
  const left = await readdir(root + '/tmp')
  console.log(JSON.stringify({ outcomes, listed: listed.length, left: left.length, health: store.health }))
`

describe.skipIf(unless('failing system calls need strace', canTrace()))(
  'folder blob store: a failing disk',
  () => {
    // The first seven syncs are those of opening; then comes the file of the first write. All that
    // SQLite writes is its log.
    it.each([
      ['fsync:error=EIO:when=8', large],
      ['fsync:error=ENOSPC:when=8', large],
      ['fsync:error=EIO:when=11', large],
      ['pwritev:error=EIO:when=1', large],
      ['pwrite64:error=EIO:when=1', larger],
      ['rename:error=EIO:when=1', large],
      ['pwrite64:error=EIO:when=1', small],
      ['pwrite64:error=EIO:when=3', small],
      ['fdatasync:error=EIO:when=1', largest],
      ['fdatasync:error=EIO:when=1', small],
      ['fdatasync:error=ENOSPC:when=1', small],
    ])(
      'accepts no more writes after %s, and keeps nothing of the failed one (%i bytes)',
      async (inject, size) => {
        const said: unknown = JSON.parse(await runInjected(inject, threeWrites(size)))
        expect(said).toEqual({
          outcomes: ['storage_failed', 'storage_degraded', 'storage_degraded'],
          listed: 0,
          left: 0,
          health: 'degraded',
        })
      },
    )

    it.each([
      ['rename:error=EROFS:when=2', large],
      ['fdatasync:error=EIO:when=2', small],
    ])('still reads its blobs after %s (%i bytes)', async (inject, size) => {
      const said: unknown = JSON.parse(await runInjected(inject, threeWrites(size)))
      expect(said).toEqual({
        outcomes: ['kept', 'storage_failed', 'storage_degraded'],
        listed: 1,
        left: 0,
        health: 'degraded',
      })
    })

    it('retries a small write that met a full disk, in the space of the log', async () => {
      const inject = 'pwrite64:error=ENOSPC:when=3'
      const said: unknown = JSON.parse(await runInjected(inject, threeWrites(small)))
      expect(said).toMatchObject({ outcomes: ['kept', 'kept', 'kept'], health: 'sound' })
    })

    it.each([
      ['rename:error=EMFILE:when=1', large, 'overloaded'],
      ['pwritev:error=ENOSPC:when=1', large, 'storage_full'],
      ['pwrite64:error=ENOSPC:when=1', larger, 'storage_full'],
      // Node.js has no name for it.
      ['pwritev:error=EDQUOT:when=1', large, 'storage_full'],
      ['pwrite64:error=EDQUOT:when=1', larger, 'storage_full'],
    ])(
      'refuses a write that meets %s (%i bytes), and accepts the next',
      async (inject, size, outcome) => {
        const said: unknown = JSON.parse(await runInjected(inject, threeWrites(size)))
        expect(said).toEqual({
          outcomes: [outcome, 'kept', 'kept'],
          listed: 2,
          left: 0,
          health: 'sound',
        })
      },
    )
  },
)
