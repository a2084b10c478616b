import { hash, randomUUID } from 'node:crypto'
import { maxBundledBytes, maxBundleFiles } from '../../core/contract/bundles.ts'
import { readSmallFile } from './small-file.ts'
import type { LocalFile } from './upload-file.ts'

/** Bytes of the files of a bundle: what is sent again when a connection breaks. */
const bundleBytes = 1024 * 1024

/** Files that go together, and those that go alone. */
export interface Loads {
  readonly bundles: readonly (readonly LocalFile[])[]
  readonly single: readonly LocalFile[]
}

/** Puts small files together, in their order. One alone is no bundle. */
export function toLoads(files: readonly LocalFile[]): Loads {
  const [large, small] = [files.filter(isLarge), files.filter((file) => !isLarge(file))]
  const bundles = fill(small)
  const alone = bundles.filter(({ length }) => length === 1).flat()
  return { bundles: bundles.filter(({ length }) => length > 1), single: [...large, ...alone] }
}

function isLarge({ size }: LocalFile): boolean {
  return size > maxBundledBytes
}

function fill(files: readonly LocalFile[]): readonly (readonly LocalFile[])[] {
  const bundles: LocalFile[][] = []
  let room = 0
  for (const file of files) {
    const last = bundles.at(-1)
    if (last && last.length < maxBundleFiles && file.size <= room) {
      last.push(file)
      room -= file.size
    } else {
      bundles.push([file])
      room = bundleBytes - file.size
    }
  }
  return bundles
}

/** A form as it is sent. */
export interface BundleForm {
  readonly contentType: string
  readonly body: Buffer
  /** SHA-256 in hexadecimal of each file. */
  readonly digests: readonly string[]
}

/** Reads files into a form. @see RFC 7578 */
export function bundleForm(files: readonly LocalFile[]): BundleForm {
  const boundary = `deposit-${randomUUID()}`
  const digests: string[] = []
  const pieces: Buffer[] = []
  for (const { key, path } of files) {
    const bytes = readSmallFile(path)
    digests.push(hash('sha256', bytes))
    pieces.push(headOf(boundary, key), bytes)
  }
  pieces.push(Buffer.from(`\r\n--${boundary}--\r\n`))
  const contentType = `multipart/form-data; boundary=${boundary}`
  return { contentType, body: Buffer.concat(pieces), digests }
}

/** A key has no control characters and no backslash. */
function headOf(boundary: string, key: string): Buffer {
  const name = key.replaceAll('"', String.raw`\"`)
  const disposition = `form-data; name="file"; filename="${name}"`
  return Buffer.from(`\r\n--${boundary}\r\nContent-Disposition: ${disposition}\r\n\r\n`)
}
