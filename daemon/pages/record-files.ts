import { formatBytes } from '../../core/base/amounts.ts'
import type { DepositFile, DescribedFile } from '../../core/index.ts'
import { canPreview } from './text/previews.ts'
import { counted } from './text/text.ts'

/** Files that a page lists; all of them are one link away. */
export const mostListed = 500

/** A file as the page of its record shows it. */
interface RecordFile {
  readonly name: string
  readonly size: string
  readonly sha256: string
  readonly download: string
  readonly canPreview: boolean
}

/**
 * The files that a page lists, with how many there are and how large they are.
 *
 * @param all of the record
 */
export function toFiles(listed: readonly DescribedFile[], all: readonly DepositFile[]) {
  const bytes = all.reduce((sum, { latest }) => sum + latest.blob.size, 0)
  const summary = `${counted('files.count', all.length)}, ${formatBytes(bytes)}`
  const isOne = all.length === 1
  return { list: listed.map(toFile), summary, isCut: all.length > listed.length, isOne }
}

function toFile({ key, size, sha256, url }: DescribedFile): RecordFile {
  return {
    name: key,
    size: formatBytes(size),
    sha256,
    download: url,
    canPreview: canPreview(key, size),
  }
}
