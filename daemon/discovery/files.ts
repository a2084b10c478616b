import { extname } from 'node:path/posix'
import type { DepositFile } from '../../core/index.ts'
import { typeOf } from '../http/file-headers.ts'
import type { Links } from '../config/links.ts'
import { canPreview } from '../pages/text/previews.ts'
import { counted } from '../pages/text/text.ts'
import { formatBytes } from '../../core/base/amounts.ts'

/** A file as the page of its record shows it. */
export interface RecordFile {
  readonly name: string
  readonly bytes: number
  readonly size: string
  readonly sha256: string
  readonly mediaType: string
  readonly download: string
  readonly canPreview: boolean
}

/** Files that a page lists; all of them are one link away. */
const most = 500

/** The first files in their published order, with how many there are and how large they are. */
export function toFiles(files: readonly DepositFile[], links: Links) {
  const list = files.slice(0, most).map((file) => toFile(file, links))
  const bytes = files.reduce((sum, { latest }) => sum + latest.blob.size, 0)
  const summary = `${counted('files.count', files.length)}, ${formatBytes(bytes)}`
  return { list, summary, isCut: files.length > most }
}

export function toFile({ bucket, key, latest }: DepositFile, links: Links): RecordFile {
  const { size, sha256 } = latest.blob
  return {
    name: key,
    bytes: size,
    size: formatBytes(size),
    sha256,
    mediaType: typeOf(extname(key)).split(';')[0] ?? '',
    download: links.file({ bucket, key }).download,
    canPreview: canPreview(key, size),
  }
}
