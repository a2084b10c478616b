import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { safeKey } from '../../core/contract/file-key.ts'
import { Archive, type ArchiveFile } from '../../core/packages/archive.ts'
import type { ReadEntry } from './archive-readers.ts'
import { naughtyStrings } from './naughty-strings.ts'

/** An archive to try readers on. */
export interface Sample {
  readonly kind: string
  readonly files: readonly ArchiveFile[]
}

const folder: ArchiveFile = { name: 'tide/', size: 0 }
const created = '2026-05-04T03:02:01.000Z'

/** The safe forms of strange names. */
export const naughtyKeys: ReadonlySet<string> = new Set(
  [...naughtyStrings].flatMap((name) => {
    const safe = safeKey(name)
    return 'key' in safe ? [safe.key] : []
  }),
)

export const smallSamples: readonly Sample[] = [
  { kind: 'nothing', files: [folder] },
  { kind: 'an empty file', files: numbered(1, () => 0) },
  { kind: 'a byte', files: numbered(1, () => 1) },
  { kind: 'empty files', files: numbered(300, () => 0) },
  {
    kind: 'sizes around powers of two',
    files: numbered(60, (index) => 2 ** (index % 20) + (index % 3) - 1),
  },
  { kind: 'strange names', files: [...naughtyKeys].map((key) => file(key, 20)) },
  { kind: 'strange folders', files: [...naughtyKeys].map((key) => file(`${key}/a.csv`, 1)) },
]

/** @param count of the entries, with the folder that all lie in */
export function sampleOf(count: number): Sample {
  return { kind: `${count} entries`, files: numbered(count - 1, (index) => index % 2) }
}

/** A file of 5 GiB, which is zeros, and one behind it. */
export const hugeSample: Sample = {
  kind: '5 GiB',
  files: [folder, file('huge', 5 * 2 ** 30), file('behind', 5)],
}

function numbered(count: number, sizeOf: (index: number) => number): readonly ArchiveFile[] {
  const files = Array.from({ length: count }, (_, index) => file(String(index), sizeOf(index)))
  return [folder, ...files]
}

function file(key: string, size: number): ArchiveFile {
  return { name: `tide/${key}`, size }
}

const zeros = Buffer.alloc(2 ** 20)

/** The bytes of a file, or of a range of it. */
function* contentOf({ name, size }: ArchiveFile, start = 0, end = size - 1): Iterable<Buffer> {
  if (size < 2 ** 30) {
    yield Buffer.alloc(size, `${name} `).subarray(start, end + 1)
    return
  }
  for (let left = end + 1 - start; left > 0; left -= zeros.length) yield zeros.subarray(0, left)
}

/** That of 5 GiB of zeros takes seconds. */
const sumOfHuge = 423_114_947

function sumOf(content: ArchiveFile): number {
  if (content.size === 5 * 2 ** 30) return sumOfHuge
  return [...contentOf(content)].reduce((sum, piece) => crc32(piece, sum), 0)
}

/** The entries that readers must find. */
export function entriesOf({ files }: Sample): readonly ReadEntry[] {
  return files.map((each) => ({ ...each, crc32: sumOf(each) }))
}

/** Writes the archive to a file, in which zeros are holes. */
export async function writeSample({ files }: Sample, path: string): Promise<void> {
  const at = (index: number): ArchiveFile => files[index] ?? folder
  const archive = new Archive(files, created, {
    crc32: async (index) => sumOf(at(index)),
    read: async (index, { start, end }) => asynchronous(contentOf(at(index), start, end)),
  })
  await using written = await open(path, 'w')
  let place = 0
  for await (const piece of archive.read()) {
    if (piece.buffer !== zeros.buffer) await written.write(piece, 0, piece.length, place)
    place += piece.length
  }
  await written.truncate(place)
}

async function* asynchronous(pieces: Iterable<Buffer>): AsyncIterable<Buffer> {
  yield* pieces
}
