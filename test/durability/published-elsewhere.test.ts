import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import {
  collectGarbage,
  createDeposits,
  createFiles,
  createUploads,
  newBlobId,
  runAction,
  sweep,
  toFileKey,
  writeManifests,
  type BlobId,
} from '../../core/index.ts'
import { clockOf } from '../../core/ports/clock.ts'
import type { ManifestName, RecordManifest } from '../../core/ports/manifest-store.ts'
import { coreParts, owner as caller, type CoreParts } from '../support/core-parts.ts'

const year = 365 * 24 * 60 * 60_000

/** The core on a clock that is a year ahead of what is done before `wait`. */
async function partsInTime(stack: AsyncDisposableStack) {
  const real = await coreParts(stack)
  let passedMs = 0
  const wall = (): number => Date.now() + passedMs
  const clock = clockOf({ wall, count: () => performance.now() + passedMs })
  return { parts: { ...real, clock }, wait: () => (passedMs = year) }
}

/** Makes bytes those of a record that was published with other rows. */
async function publishElsewhere(
  { manifests }: CoreParts,
  blob: BlobId,
  { value = 'other-12345', revision = 0, more = {} }: Partial<Told> = {},
): Promise<void> {
  const pid = { type: 'depid', value, object_uuid: '', status: 'R', redirect: null } as const
  const version = { id: 'v', storage_class: 'S', created: '2026-01-01T00:00:00.000Z' }
  const times = { created: version.created, updated: version.created }
  const manifest = {
    format: 1,
    pid: { ...pid, type: 'recid' },
    revision,
    schema: null,
    metadata: {},
    predecessor: null,
    ...times,
    deposit: {
      pid,
      bucket: 'b',
      schema: null,
      revision: 1,
      owners: [],
      created_by: 'u',
      base: null,
      created: version.created,
      ...more,
    },
    files: [
      {
        id: 'f',
        key: 'a',
        position: 0,
        versions: [{ ...version, blob: { id: blob, size: 7, sha256: '', digests: {} } }],
      },
    ],
  } satisfies RecordManifest
  await manifests.write(manifest)
}

interface Told {
  readonly value: string
  readonly revision: number
  readonly more: Partial<RecordManifest['deposit']>
}

describe('A sweep with rows that are older than what was published', () => {
  it('keeps the bytes of an upload, of a deletion and of a crash that were published since', async () => {
    await using stack = new AsyncDisposableStack()
    const { parts, wait } = await partsInTime(stack)
    const [deposits, files] = [createDeposits(parts), createFiles(parts)]
    const uploads = createUploads(parts, files)
    const write = async () =>
      (await parts.blobs.write(newBlobId(), Readable.from(['content']), { limit: 100 })).id

    const request = { caller, id: (await deposits.create(caller, {})).id }
    const wish = { key: toFileKey('a'), size: 7, replaces: false, metadata: {} }
    const { id: upload } = await uploads.begin(request, wish)
    const part = Readable.from([Buffer.from('conten')])
    await uploads.append(request, upload, part, { offset: 0 })
    await parts.blobs.uploads.finish(upload, [])

    const deleted = { caller, id: (await deposits.create(caller, {})).id }
    await using staged = await files.stage(deleted, Readable.from(['content']), {})
    await files.add(deleted, toFileKey('a'), staged)
    await deposits.remove(caller, deleted.id, false)

    const [crashed, lost] = [await write(), await write()]
    await parts.database.write(async ({ intents }) => {
      for (const id of [crashed, lost]) await intents.renew(id, parts.clock.now())
    })

    const published = [upload, staged.blob.id, crashed]
    for (const [index, id] of published.entries())
      await publishElsewhere(parts, id, { value: `other-${index}` })
    wait()
    await sweep(parts)
    await sweep(parts)

    const sizes = await Promise.all([...published, lost].map((id) => parts.blobs.size(id)))
    expect(sizes).toEqual([6, 7, 7, undefined])
    expect(await parts.database.read.uploads.find(upload)).toBeUndefined()
    expect(await parts.database.read.intents.find(crashed)).toBeUndefined()
  })
})

describe('The collection of garbage', () => {
  it('keeps no bytes for a record without rows whose manifests say that they are destroyed', async () => {
    await using stack = new AsyncDisposableStack()
    const { parts, wait } = await partsInTime(stack)
    const { id } = await parts.blobs.write(newBlobId(), Readable.from(['content']), { limit: 100 })
    const withdrawal: RecordManifest['deposit']['withdrawal'] = {
      at: '2026-01-01T00:00:00.000Z',
      by: 'operator',
      reason: 'copyright',
      bytesDestroyed: true,
      pidStatus: 'R',
    }
    await publishElsewhere(parts, id)
    await publishElsewhere(parts, id, { revision: 1, more: { withdrawal } })
    wait()

    const collected: string[] = []
    const { signal } = new AbortController()
    await collectGarbage(parts, (blob) => collected.push(blob), signal)

    expect(collected).toEqual([id])
  })
  it('reads no manifest that has a row', async () => {
    await using stack = new AsyncDisposableStack()
    const { parts } = await partsInTime(stack)
    const { id } = await createDeposits(parts).create(caller, { title: 'Sea level' })
    const published = await runAction(parts, { caller, id, name: 'publish' })
    await writeManifests(parts.database, parts.manifests, new AbortController().signal)
    await publishElsewhere(parts, newBlobId())
    const read: string[] = []
    const manifests = {
      ...parts.manifests,
      read: (name: ManifestName) => {
        read.push(name.value)
        return parts.manifests.read(name)
      },
    }

    const { kept } = await collectGarbage(
      { ...parts, manifests },
      () => {},
      new AbortController().signal,
    )

    expect(published.status).toBe('published')
    expect(read).toEqual(['other-12345'])
    expect(kept).toMatchObject({ manifests: 1, such: 'other-12345@0', blobs: 0 })
  })
})
