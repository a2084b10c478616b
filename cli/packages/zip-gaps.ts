import type { FileHandle } from 'node:fs/promises'
import type { Finding } from '../output/finding.ts'
import { quoted } from '../plain.ts'
import { about } from './contents.ts'

/** The bytes of an entry of an archive, with its local header. */
export interface Place {
  readonly name: string
  readonly start: number
  readonly end: number
}

const localMark = 0x04034b50
const entryMark = 0x02014b50
const endMark = 0x06054b50
const largeEndMark = 0x06064b50
const locatorMark = 0x07064b50

const [localBytes, endBytes, largeEndBytes, locatorBytes] = [30, 22, 56, 20] as const

/** Bytes that may follow those of a file: its sum and sizes. @see APPNOTE 6.3.10, §4.3.9 */
const descriptors = [0, 12, 16, 20, 24]

/**
 * Faults of the places in an archive: programs that read it from its beginning would find other
 * files than those that read its list.
 *
 * @param listStart where the list begins
 */
export async function faultsOfPlaces(
  file: FileHandle,
  places: readonly Place[],
  listStart: number,
): Promise<readonly Finding[]> {
  const sorted = places.toSorted((a, b) => a.start - b.start)
  const faults: Finding[] = []
  const first = sorted[0]?.start ?? listStart
  if (first > 0 && (await markAt(file, 0)) === localMark)
    faults.push(about('', 'it begins with a file that is not in its list'))
  for (const [at, place] of sorted.entries()) {
    const next = sorted[at + 1]
    const limit = next?.start ?? listStart
    if (place.end > limit)
      faults.push(
        about(
          place.name,
          `its bytes overlap ${next ? `those of ${quoted(next.name)}` : 'the list of files'}`,
        ),
      )
    else if (await isFollowed(file, place.end, limit))
      faults.push(about(place.name, 'behind it is a file that is not in the list of the archive'))
  }
  return faults
}

async function isFollowed(file: FileHandle, start: number, end: number): Promise<boolean> {
  for (const length of descriptors)
    if (end - start >= length + localBytes && (await markAt(file, start + length)) === localMark)
      return true
  return false
}

/**
 * The fault of an archive that does not end right behind its list: it has files that are not counted,
 * or a second end.
 *
 * @param listEnd where the last entry ends that is counted
 * @param size of the archive, in bytes
 */
export async function faultOfEnd(
  file: FileHandle,
  listEnd: number,
  size: number,
): Promise<Finding | undefined> {
  const mark = await markAt(file, listEnd)
  if (mark === entryMark) return about('', 'it lists more files than it says it has')
  const at = mark === largeEndMark ? await skipLargeEnd(file, listEnd) : listEnd
  const end = await bytesAt(file, at, endBytes)
  const isEnd = end.length === endBytes && end.readUInt32LE(0) === endMark
  return isEnd && at + endBytes + end.readUInt16LE(20) === size
    ? undefined
    : about('', 'its end is not behind its list of files')
}

/** Where the records for a large archive end; -1 where they are others than those in front. */
async function skipLargeEnd(file: FileHandle, at: number): Promise<number> {
  const record = await bytesAt(file, at, largeEndBytes)
  if (record.length < largeEndBytes) return -1
  const next = at + 12 + Number(record.readBigUInt64LE(4))
  const locator = await bytesAt(file, next, locatorBytes)
  const isLocator =
    locator.length === locatorBytes &&
    locator.readUInt32LE(0) === locatorMark &&
    Number(locator.readBigUInt64LE(8)) === at
  return isLocator ? next + locatorBytes : -1
}

async function markAt(file: FileHandle, at: number): Promise<number | undefined> {
  const bytes = await bytesAt(file, at, 4)
  return bytes.length === 4 ? bytes.readUInt32LE(0) : undefined
}

/** Fewer bytes where the file ends; none outside of it. */
async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  if (at < 0 || !Number.isSafeInteger(at)) return Buffer.of()
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
  return buffer.subarray(0, bytesRead)
}
