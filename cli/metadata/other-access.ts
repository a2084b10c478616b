import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { findUnusedLimits } from '../../core/contract/access-limits.ts'
import { isFields, type Fields } from '../../core/contract/access-names.ts'
import { isBlank } from '../../core/contract/access-words.ts'
import type { Metadata } from '../client/deposit-client.ts'
import type { Finding } from '../output/finding.ts'
import { formatBytes } from '../output/units.ts'
import { isOfCrate } from '../packages/recognise.ts'
import { decodeText } from '../text-file.ts'
import { accessInLines, accessInXml } from './access-in-text.ts'
import { metadataFiles, statsOf } from './find-metadata-file.ts'
import { toAccess } from '../../core/contract/foreign/access-of-files.ts'
import { foreignFiles } from './foreign/foreign-files.ts'
import { parseYaml, type MetadataFile } from './read-metadata.ts'

/** Metadata files of other services and tools that may limit access; never taken as metadata. */
const furtherFiles = [
  'datapackage.json',
  'datacite.json',
  'datacite.xml',
  'record.json',
  'dataset.json',
  'meta.yaml',
  'meta.yml',
  'meta.json',
  'metadata.txt',
  'metadata.xml',
]

/** Names of all files that may be, or limit, the metadata of a folder. */
export const namesOfMetadata: readonly string[] = [
  ...metadataFiles,
  ...Object.keys(foreignFiles),
  ...furtherFiles,
]

/** Bytes. A larger one is data. JSON is written by programs, and read fast. */
const largest = { json: 64 * 1000 * 1000, other: 4 * 1000 * 1000 }

/** Access limits from another file of the folder. */
export interface OtherAccess {
  /** The field `access`, or nothing. */
  readonly access: Metadata
  /** A note about it. */
  readonly remark?: string
  /** Notes about files that were too large to read. */
  readonly unread: readonly string[]
  /** The first of them, with its original text. */
  readonly limit?: Finding
}

interface Beside {
  /** The absolute path of the folder. */
  readonly folder: string
  /** The folder, as it was named. */
  readonly dir: string
  /** The metadata file that counts; it may be elsewhere. */
  readonly used?: MetadataFile | undefined
  /** Its absolute path. */
  readonly path?: string | undefined
}

/**
 * Finds access limits in the metadata files that were not used: whether files become public must
 * not depend on which file was read. A document with its own field `access` has decided.
 */
export async function findOtherAccess({ folder, dir, used, path }: Beside): Promise<OtherAccess> {
  if (isSaid(used?.metadata['access'])) return { access: {}, unread: [] }
  const place = used?.file === '-' ? 'the metadata' : (used?.file ?? join(dir, 'metadata.yaml'))
  const names = namesOfMetadata
  const stats = await statsOf(folder, names)
  const unread: string[] = []
  for (const [at, name] of names.entries()) {
    const [file, size] = [join(folder, name), stats[at]?.size ?? 0]
    // Opening a pipe would wait for ever.
    if (file === path || !stats[at]?.isFile()) continue
    const most = isJson(name) ? largest.json : largest.other
    if (size > most) {
      unread.push(
        `${name} is larger than ${formatBytes(most)}: it was not read for limits of access`,
      )
      continue
    }
    // A file that is missing or unreadable limits nothing; as the used file it would be reported.
    const documents = await readOther(file, name, size).catch(() => [])
    const now = new Date().toISOString()
    const limits = documents.flatMap((document) =>
      isFields(document) ? findUnusedLimits(document, now, `in ${place}`) : [],
    )
    const access = toAccess(limits)
    const [limit] = limits
    if (limit === undefined || Object.keys(access).length === 0) continue
    return {
      access,
      limit: { field: limit.field, message: limit.message, file: join(dir, name) },
      remark: `${name} says that the files are not public yet: access is restricted`,
      unread,
    }
  }
  return { access: {}, unread }
}

/**
 * The limit of another file, where the field `access` came from it: a file that was not used must not
 * decide alone whether the files become public.
 */
export function limitBehind(
  document: Metadata,
  { access, limit }: OtherAccess,
): Finding | undefined {
  return document['access'] === access['access'] ? limit : undefined
}

function isSaid(access: unknown): boolean {
  return typeof access === 'object' && access !== null
    ? Object.keys(access).length > 0
    : !isBlank(access)
}

function isJson(name: string): boolean {
  return /\.json(?:ld)?$/.test(name)
}

/** The documents of a file, in any of its forms. */
async function readOther(path: string, name: string, size: number): Promise<readonly unknown[]> {
  const bytes = await readPart(path, size)
  if (name.endsWith('.xml')) return [accessInXml(decodeXml(bytes))]
  const text = decodeText(bytes, name)
  const isOfProgram = isOfCrate(name) || !Object.hasOwn(foreignFiles, name)
  if (isJson(name) && isOfProgram) return [withoutRows(JSON.parse(text))]
  if (!name.endsWith('.txt')) return parseYaml(name, text)
  const parsed = await parseYaml(name, text).catch(() => [])
  return parsed.some(isFields) ? parsed : [accessInLines(text)]
}

/** Links are not followed: a folder from elsewhere may link to our secrets. */
async function readPart(path: string, size: number): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** As UTF-16 where its mark says so, else as UTF-8: its codes of vocabularies are ASCII. */
export function decodeXml(bytes: Uint8Array): string {
  const [one, two] = bytes
  if (one === 0xff && two === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (one === 0xfe && two === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder().decode(bytes)
}

/** A list `data` holds rows, which have columns of their own. */
function withoutRows(document: unknown): unknown {
  if (!isFields(document) || !Array.isArray(document['data'])) return document
  const { data: _, ...rest }: Fields = document
  return rest
}
