import { parseBlobId, type BlobId } from '../../../files/file.ts'
import type { Bucket, ListedObject } from './bucket.ts'
import { Multipart, type SentPart } from './parts.ts'

/** The bytes of an upload in the store: whole parts, and the tail after them. */
export interface Arrived {
  readonly multipart?: Multipart
  readonly sent: readonly SentPart[]
  /** Bytes in whole parts. */
  readonly partsSize: number
  readonly tail?: Tail
  /** Bytes, all told. */
  readonly size: number
  readonly touched: Date
}

/** Bytes that do not fill a part yet: an object of its own, named by where it begins and ends. */
export interface Tail {
  readonly key: string
  readonly start: number
  readonly end: number
}

const folder = 'uploads/'
const placeOf = (id: BlobId): string => `${folder}${id}/`

/** Holds the name under which the store knows the parts. */
const marker = 'parts'

/** The object that the parts become. */
export interface PartsAt {
  readonly key: string
  /** Whether the store compares checksums. */
  readonly isChecked: boolean
}

/** Undefined where nothing has arrived. */
export async function findArrived(
  bucket: Bucket,
  id: BlobId,
  at: PartsAt,
): Promise<Arrived | undefined> {
  const objects: ListedObject[] = []
  for await (const object of bucket.list(placeOf(id))) objects.push(object)
  if (objects.length === 0) return undefined
  const multipart = await openMarked(bucket, id, objects, at)
  const sent = multipart ? await multipart.sent() : []
  const times = [...objects, ...(sent ?? [])].map(({ modified }) => modified.getTime())
  const touched = new Date(Math.max(...times))
  // The parts were completed or aborted, so a tail is of no use.
  if (!sent) return { sent: [], partsSize: 0, size: 0, touched }
  const partsSize = sent.reduce((sum, { Size }) => sum + Size, 0)
  const tail = longestTail(objects, id, partsSize)
  return {
    ...(multipart && { multipart }),
    sent,
    partsSize,
    ...(tail && { tail }),
    size: tail?.end ?? partsSize,
    touched,
  }
}

/** Begins the parts of an upload, so that every daemon finds them. */
export async function beginParts(
  bucket: Bucket,
  id: BlobId,
  { key, isChecked }: PartsAt,
): Promise<Multipart> {
  const multipart = await Multipart.begin(bucket, key, isChecked)
  await bucket.put(placeOf(id) + marker, multipart.id)
  return multipart
}

/** Keeps bytes that do not fill a part. */
export async function putTail(
  bucket: Bucket,
  id: BlobId,
  start: number,
  bytes: Buffer,
): Promise<void> {
  await bucket.put(`${placeOf(id)}${start}-${start + bytes.length}`, bytes)
}

/** Removes all that is kept of an upload beside its parts. */
export async function clearArrived(bucket: Bucket, id: BlobId): Promise<void> {
  for await (const { key } of bucket.list(placeOf(id))) await bucket.delete(key)
}

/** Every upload of which something has arrived. */
export async function listArrived(bucket: Bucket): Promise<readonly BlobId[]> {
  const ids = new Set<BlobId>()
  for await (const { key } of bucket.list(folder)) {
    const id = parseBlobId(key.slice(folder.length).replace(/\/.*$/, ''))
    if (id) ids.add(id)
  }
  return [...ids]
}

async function openMarked(
  bucket: Bucket,
  id: BlobId,
  objects: readonly ListedObject[],
  { key, isChecked }: PartsAt,
): Promise<Multipart | undefined> {
  if (!objects.some((object) => object.key === placeOf(id) + marker)) return undefined
  const name = await bucket.get(placeOf(id) + marker)
  return name && new Multipart(bucket, key, name.toString(), isChecked)
}

/** A daemon that was cut off may have left a shorter one, or one that is in a part by now. */
function longestTail(
  objects: readonly ListedObject[],
  id: BlobId,
  start: number,
): Tail | undefined {
  const tails = objects.flatMap(({ key }) => {
    const found = /^(\d+)-(\d+)$/.exec(key.slice(placeOf(id).length))
    return found ? [{ key, start: Number(found[1]), end: Number(found[2]) }] : []
  })
  return tails.filter((tail) => tail.start === start).sort((a, b) => b.end - a.end)[0]
}
