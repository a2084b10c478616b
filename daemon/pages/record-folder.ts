import { Type } from 'typebox'
import type { FastifyRequest } from 'fastify'
import type { DepositFile } from '../../core/index.ts'
import { counted, formatNumber, formatSize, text } from './text/text.ts'

/** So many files are listed together; of more, a page lists a folder at a time, or what is found. */
export const mostTogether = 50

/** Rows of a page. */
const pageSize = 50

/** Characters of a folder or of words to find: they are repeated in the links of the page. */
const longest = 1_000

/** The part of many files that is asked for. */
export interface AskedFiles {
  /** With a slash at its end; empty for the top. */
  readonly folder: string
  /** Words that their names have; empty for those of the folder. */
  readonly find: string
  readonly page: number
  /** The revision whose page it is; absent for the current one. */
  readonly revision: number | undefined
}

const parameter = (description: string) => Type.Optional(Type.String({ description }))

/** The parameters of the page of a record with many files. */
export const filesQuery = {
  folder: parameter('The folder that the page lists, of more files than it lists together.'),
  find: parameter('Words: the page lists the files that have all of them in their names.'),
  page: parameter('A page of these files; the first is 1.'),
}

/** Reads what is asked for; what cannot be read is the beginning of the list. */
export function readAskedFiles({ query }: FastifyRequest): Omit<AskedFiles, 'revision'> {
  const given = query as Readonly<Record<string, unknown>>
  const one = (name: string): string => {
    const value = given[name]
    return typeof value === 'string' && value.length <= longest ? value : ''
  }
  const [folder, page] = [one('folder'), one('page')]
  return {
    folder: folder === '' || folder.endsWith('/') ? folder : `${folder}/`,
    find: one('find').trim(),
    page: /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1,
  }
}

/** True of the address that a record is cited by, where nothing is asked for. */
export function isWhole({ folder, find, page }: Omit<AskedFiles, 'revision'>): boolean {
  return folder === '' && find === '' && page === 1
}

interface Folder {
  readonly name: string
  readonly path: string
  count: number
  bytes: number
}

/** One page of a folder's content, or of the files that were found. */
interface Part {
  readonly folders: readonly Folder[]
  readonly files: readonly DepositFile[]
  /** The place of the first row; rows of folders and files together. */
  readonly from: number
  readonly rows: number
  readonly page: number
  readonly pages: number
}

/** The part of `all` that a page lists: folders by name, then files in the order of the record. */
export function findPart(all: readonly DepositFile[], { folder, find, page }: AskedFiles): Part {
  const { folders, files } = find === '' ? levelOf(all, folder) : found(all, find)
  const rows = folders.length + files.length
  const pages = Math.max(1, Math.ceil(rows / pageSize))
  const shown = Math.min(page, pages)
  const from = (shown - 1) * pageSize
  const first = Math.max(0, from - folders.length)
  return {
    folders: folders.slice(from, from + pageSize),
    files: files.slice(first, Math.max(0, from + pageSize - folders.length)),
    from,
    rows,
    page: shown,
    pages,
  }
}

function found(all: readonly DepositFile[], find: string) {
  const words = find.toLowerCase().split(/\s+/)
  const files = all.filter(({ key }) => {
    const name = key.toLowerCase()
    return words.every((word) => name.includes(word))
  })
  return { folders: [], files }
}

function levelOf(all: readonly DepositFile[], path: string) {
  const folders = new Map<string, Folder>()
  const files: DepositFile[] = []
  for (const file of all) {
    if (!file.key.startsWith(path)) continue
    const slash = file.key.indexOf('/', path.length)
    if (slash < 0) {
      files.push(file)
      continue
    }
    const name = file.key.slice(path.length, slash + 1)
    const known = folders.get(name)
    const inside = known ?? { name, path: path + name, count: 0, bytes: 0 }
    inside.count += 1
    inside.bytes += file.latest.blob.size
    if (!known) folders.set(name, inside)
  }
  return { folders: [...folders.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), files }
}

/** What the template says around the files of a part, with the addresses of all other parts. */
export function toFolderView(part: Part, asked: AskedFiles) {
  const { folders, files, from, rows, page, pages } = part
  const hrefOf = (change: Partial<AskedFiles>): string => toHref({ ...asked, page: 1, ...change })
  const names = asked.folder.split('/').slice(0, -1)
  return {
    ...asked,
    hasRevision: asked.revision !== undefined,
    crumbs: isTop(asked)
      ? undefined
      : {
          top: hrefOf({ folder: '', find: '' }),
          list: names.map((name, at) => ({
            name,
            href: hrefOf({ folder: `${names.slice(0, at + 1).join('/')}/`, find: '' }),
          })),
        },
    found: asked.find !== '' && counted('files.found', rows),
    isEmpty: rows === 0 && asked.find === '',
    folders: folders.map(({ name, path, count, bytes }) => ({
      name,
      href: hrefOf({ folder: path }),
      summary: `${counted('files.count', count)}, ${formatSize(bytes)}`,
    })),
    hasFolders: folders.length > 0,
    hasFiles: files.length > 0,
    paging: pages > 1 && {
      previous: page > 1 && { href: hrefOf({ page: page - 1 }) },
      next: page < pages && { href: hrefOf({ page: page + 1 }) },
      shown: text('paging.shown', {
        from: formatNumber(from + 1),
        to: formatNumber(Math.min(from + pageSize, rows)),
        total: formatNumber(rows),
      }),
    },
  }
}

function isTop({ folder, find }: AskedFiles): boolean {
  return folder === '' && find === ''
}

function toHref({ folder, find, page, revision }: AskedFiles): string {
  const query = new URLSearchParams({
    ...(revision !== undefined && { revision: String(revision) }),
    ...(folder !== '' && { folder }),
    ...(find !== '' && { find }),
    ...(page > 1 && { page: String(page) }),
  }).toString()
  // An address that is a fragment alone would keep the query of the page.
  return `${query === '' ? '?' : `?${query}`}#files-heading`
}
