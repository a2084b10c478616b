import type { DepositFile, DescribedFile } from '../../core/index.ts'
import { canPreview } from './text/previews.ts'
import { counted, formatSize } from './text/text.ts'

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
  const summary = `${counted('files.count', all.length)}, ${formatSize(bytes)}`
  const isOne = all.length === 1
  const list = listed.map(toFile)
  return { list, groups: toGroups(listed), summary, isCut: all.length > listed.length, isOne }
}

/** So many files are listed without folders. */
const few = 20

/** Files of one folder at the top, folded; those in none have no folder. */
interface FileGroup {
  readonly folder: { readonly name: string; readonly summary: string } | undefined
  readonly list: readonly RecordFile[]
}

function toGroups(listed: readonly DescribedFile[]): readonly FileGroup[] {
  if (listed.length <= few) return [{ folder: undefined, list: listed.map(toFile) }]
  const folders = new Map<string, DescribedFile[]>()
  for (const file of listed) {
    const name = file.key.slice(0, file.key.indexOf('/') + 1)
    const inside = folders.get(name)
    if (inside) inside.push(file)
    else folders.set(name, [file])
  }
  const top = folders.get('') ?? []
  folders.delete('')
  const groups = [...folders].map(([name, files]) => {
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    const summary = `${counted('files.count', files.length)}, ${formatSize(bytes)}`
    return { folder: { name, summary }, list: files.map(toFile) }
  })
  return [...(top.length > 0 ? [{ folder: undefined, list: top.map(toFile) }] : []), ...groups]
}

function toFile({ key, size, sha256, url }: DescribedFile): RecordFile {
  return {
    name: key,
    size: formatSize(size),
    sha256,
    download: url,
    canPreview: canPreview(key, size),
  }
}
