import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openFolderBlobStore } from '../../core/adapters/blobs/folder-blob-store.ts'
import { newBlobId, type BlobId } from '../../core/files/file.ts'
import { anyDate, digestOf, everything, streamOf } from './blob-samples.ts'
import { blobStoreContract } from './blob-store.contract.ts'
import { commandFor } from './folder-blob-store.process.ts'

const MiB = 1024 * 1024
const roomy = { limit: 64 * MiB }
/** Larger than a blob that is kept as a row. */
const large = randomBytes(100_000)

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'deposit-blobs-'))
})

afterEach(async () => {
  await rm(root, { recursive: true })
})

blobStoreContract('folder blob store', () => openFolderBlobStore(root))

function pathOf(id: BlobId): string {
  return join(root, 'blobs', id.slice(0, 2), id.slice(2, 4), id)
}

async function modeOf(path: string): Promise<number> {
  return (await lstat(path)).mode & 0o777
}

describe('folder blob store: its folder', () => {
  it('clears tmp when it opens', async () => {
    await mkdir(join(root, 'tmp', 'directory'), { recursive: true })
    await writeFile(join(root, 'tmp', 'left.part'), 'left by a process that died')
    await symlink(root, join(root, 'tmp', 'link'))
    const store = await openFolderBlobStore(root)
    await store[Symbol.asyncDispose]()
    expect(await readdir(join(root, 'tmp'))).toEqual([])
    const names = ['blobs', 'quarantine', 'small-blobs.db', 'tmp', 'uploads']
    expect(await readdir(root)).toEqual(names)
  })

  it('leaves nothing in tmp, whether a write succeeds or fails', async () => {
    await using store = await openFolderBlobStore(root)
    await store.write(newBlobId(), streamOf(randomBytes(2 * MiB)), roomy)
    await store.write(newBlobId(), streamOf(randomBytes(2 * MiB)), { limit: MiB }).catch(() => {})
    const failing = Readable.from(
      (function* () {
        yield randomBytes(2 * MiB)
        throw new Error('broken')
      })(),
    )
    await store.write(newBlobId(), failing, roomy).catch(() => {})
    expect(await readdir(join(root, 'tmp'))).toEqual([])
  })

  it('is closed to other users with any umask', async () => {
    const before = process.umask(0)
    try {
      const fresh = join(root, 'a', 'b')
      await using store = await openFolderBlobStore(fresh)
      const id = newBlobId()
      await store.write(id, streamOf(large), roomy)
      await store.write(newBlobId(), streamOf(Buffer.from('small')), roomy)
      const shards = [id.slice(0, 2), join(id.slice(0, 2), id.slice(2, 4))]
      for (const name of [
        '.',
        'tmp',
        'quarantine',
        'blobs',
        ...shards.map((s) => join('blobs', s)),
      ]) {
        expect(await modeOf(join(fresh, name)), name).toBe(0o700)
      }
      expect(await modeOf(join(fresh, 'blobs', id.slice(0, 2), id.slice(2, 4), id))).toBe(0o400)
      for (const name of ['small-blobs.db', 'small-blobs.db-wal']) {
        expect(await modeOf(join(fresh, name)), name).toBe(0o600)
      }
    } finally {
      process.umask(before)
    }
  })

  it('does not write through a link planted in tmp', async () => {
    await using store = await openFolderBlobStore(root)
    const victim = join(root, 'victim')
    await writeFile(victim, 'untouched')
    const id = newBlobId()
    await symlink(victim, join(root, 'tmp', `${id}.part`))
    await expect(store.write(id, streamOf(large), roomy)).rejects.toThrow('EEXIST')
    expect(await readFile(victim, 'utf8')).toBe('untouched')
    expect(await store.size(id)).toBeUndefined()
  })

  it('does not open when a link replaces a folder', async () => {
    await mkdir(join(root, 'elsewhere'))
    await symlink(join(root, 'elsewhere'), join(root, 'blobs'))
    await expect(openFolderBlobStore(root)).rejects.toThrow('not a directory')
  })

  it('does not open when a link replaces the small blobs', async () => {
    await symlink(join(root, 'elsewhere'), join(root, 'small-blobs.db'))
    await expect(openFolderBlobStore(root)).rejects.toThrow('ELOOP')
    expect(await readdir(root)).not.toContain('elsewhere')
  })

  it('lists files as strange that are not its own', async () => {
    await using store = await openFolderBlobStore(root)
    const id = newBlobId()
    await store.write(id, streamOf(large), roomy)
    const misplaced = join(root, 'blobs', 'zz')
    const other = `${pathOf(id)}.bak`
    const wrongShard = join(root, 'blobs', id.slice(0, 2), id.slice(2, 4), `ffffffff${id.slice(8)}`)
    const link = join(root, 'blobs', id.slice(0, 2), 'link')
    await mkdir(misplaced)
    await writeFile(other, '')
    await writeFile(wrongShard, '')
    await symlink(other, link)
    const strange = (await everything(store)).flatMap((e) => ('strange' in e ? [e.strange] : []))
    expect(strange.sort()).toEqual([link, misplaced, other, wrongShard].sort())
    expect(await everything(store)).toContainEqual({ id, size: large.length, modified: anyDate })
  })

  it.each([
    ['a small blob', Buffer.from('abc')],
    ['a large one', large],
  ])('keeps %s that it sets aside, also when it is set aside again', async (_, bytes) => {
    await using store = await openFolderBlobStore(root)
    const id = newBlobId()
    await store.write(id, streamOf(bytes), roomy)
    await store.quarantine(id)
    const [name = ''] = await readdir(join(root, 'quarantine'))
    expect(name).toMatch(new RegExp(`^${id}\\.\\d+$`))
    expect(await readFile(join(root, 'quarantine', name))).toEqual(bytes)
  })
})

describe('folder blob store: damage', () => {
  async function storedBlob() {
    const store = await openFolderBlobStore(root)
    const id = newBlobId()
    const bytes = randomBytes(3 * MiB)
    await store.write(id, streamOf(bytes), roomy)
    return { store, id, whole: { start: 0, end: bytes.length - 1 } }
  }

  it('fails to read a blob that was cut short', async () => {
    const { store, id, whole } = await storedBlob()
    await truncate(pathOf(id), 3 * MiB - 1)
    await expect(store.read(id, whole)).rejects.toMatchObject({ code: 'damaged_file' })
    await store[Symbol.asyncDispose]()
  })

  it.each(['intact', 'changed at its start', 'changed in its middle'] as const)(
    'passes on a blob that is %s to a client as far as it is what was written',
    async (state) => {
      await using store = await openFolderBlobStore(root)
      const bytes = randomBytes(20 * MiB + 100)
      const { id, ...blob } = await store.write(newBlobId(), streamOf(bytes), roomy)
      if (state !== 'intact') {
        await chmod(pathOf(id), 0o600)
        await using file = await open(pathOf(id), 'r+')
        await file.write(randomBytes(10), 0, 10, state === 'changed at its start' ? 0 : 10 * MiB)
      }
      const received = createHash('sha256')
      let size = 0
      const client = new Writable({
        write: (piece: Buffer, _encoding, done) => {
          size += piece.length
          received.update(piece)
          // As of a socket: the memory is read until then.
          setImmediate(done)
        },
      })
      const reading = await store.readWhole({ id, ...blob })
      reading.pipe(client)
      if (state === 'intact') {
        await finished(client)
        expect(received.digest('hex')).toBe(digestOf('sha256', bytes))
        return
      }
      await expect(finished(reading)).rejects.toMatchObject({ code: 'damaged_file' })
      expect(size).toBeLessThan(bytes.length)
    },
  )

  it('fails a read during which the blob is cut short', async () => {
    const { store, id, whole } = await storedBlob()
    const stream = await store.read(id, whole)
    await truncate(pathOf(id), MiB)
    await expect(buffer(stream)).rejects.toMatchObject({ code: 'damaged_file' })
    await store[Symbol.asyncDispose]()
  })

  it.each(['a directory', 'a link'])('fails to read %s in place of a blob', async (kind) => {
    const { store, id } = await storedBlob()
    await rm(pathOf(id))
    if (kind === 'a link') await symlink('/dev/zero', pathOf(id))
    else await mkdir(pathOf(id))
    await expect(store.read(id)).rejects.toMatchObject({ code: 'damaged_file' })
    expect(await store.size(id)).toBeUndefined()
    await store[Symbol.asyncDispose]()
  })
})

describe('folder blob store: its thread', () => {
  it('lets the process end while nothing is being written', () => {
    const script = `
      const source = Readable.from([Buffer.alloc(2e6), Buffer.alloc(2e6)])
      await openFolderBlobStore(root).then((store) => store.write(newBlobId(), source, { limit: 1e9 }))
      console.log('done')`
    const [node, ...words] = commandFor(root, script)
    expect(execFileSync(node, words, { encoding: 'utf8', timeout: 100_000 })).toBe('done\n')
  })

  it('fails its running writes when it ends, and keeps nothing of them', async () => {
    const store = await openFolderBlobStore(root)
    const source = new PassThrough()
    const write = store.write(newBlobId(), source, roomy)
    for (let batch = 0; batch < 4; batch += 1) {
      source.write(randomBytes(MiB))
      await once(source, 'drain')
    }
    const failed = expect(write).rejects.toThrow('The thread that writes files ended')
    await store[Symbol.asyncDispose]()
    source.end()
    await failed
    expect(await readdir(join(root, 'tmp'))).toEqual([])
    await using again = await openFolderBlobStore(root)
    expect(await everything(again)).toEqual([])
  })
})
