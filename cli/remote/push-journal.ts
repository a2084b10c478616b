import { createHash } from 'node:crypto'
import { open, readFile, rename, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { isMissing } from '../../core/base/errno.ts'
import { makeFolders, syncFolder } from '../../core/base/durable-files.ts'
import { takeLock } from '../../core/base/file-lock.ts'
import type { Json } from '../../core/base/json.ts'
import { relationTypes, termOf } from '../../core/contract/datacite.ts'
import { advice } from '../advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Description, Relation } from '../../core/describe/description.ts'
import { isSameAddress } from '../metadata/identical-copies.ts'
import type { CliContext } from '../session/context.ts'
import { stampOf, type Journaled, type Stamped } from './journaled.ts'
import { findOtherJournal, type OtherJournal, type Origin } from './moved-folder.ts'
import type { RemoteFile } from './port/repository.ts'
import { objectOf, textOf } from './port/values.ts'

/** One version of a work at a repository. */
export interface Pushed {
  /** In its metadata there. */
  readonly marker: string
  /** A draft is being made, or was: its answer may have been lost. */
  readonly isBegun?: true
  /** The repository's identifier. */
  readonly id?: string
  /** The version before it there. */
  readonly base?: string
  /** Digest of the metadata that it was given last. */
  readonly metadata?: string
  /** Digest of what people had entered there when that was given last: see `Copy.entered`. */
  readonly entered?: string
  /** As {@link digestOfSource} had it when all of it was there. */
  readonly source?: string
  /** As {@link digestOfFiles} had the files there, when they were compared last. */
  readonly there?: string
  /** When that was. ISO 8601, UTC. */
  readonly at?: string
  readonly published?: true
  /** A correction of its record was begun, and not published yet. */
  readonly isCorrecting?: true | undefined
  /** Which version was published, where all versions have one identifier. */
  readonly version?: string
  /** The publication date that it was given because its document has none. */
  readonly date?: string
  readonly doi?: string
  readonly url?: string
  /** Of a draft that was pulled: `stateOf` the record, as it was then. */
  readonly pulled?: string
  /** Name of the remote that it was pushed to last. */
  readonly remote?: string
  /** `OpenRemote.tokenMark` of that push. */
  readonly token?: string
}

/**
 * What was pushed of one source to one repository: a line for each step, on the disk before the
 * next one. The repository is believed before it.
 */
export class PushJournal implements AsyncDisposable {
  readonly path: string
  readonly #file: FileHandle
  readonly #lock: AsyncDisposable
  readonly #versions: Map<string, Pushed>
  /** MD5 by the stamp of a file: they cost a reading. */
  readonly #digests: Map<string, string>
  /** Notes about uploads, by the draft and the stamp of a file. */
  readonly #uploads: Map<string, string>
  readonly #movedFrom: string | undefined

  private constructor(
    path: string,
    file: FileHandle,
    lock: AsyncDisposable,
    read: Read & { readonly movedFrom: OtherJournal | undefined },
  ) {
    this.#movedFrom = read.movedFrom?.isShared === false ? read.movedFrom.folder.path : undefined
    this.path = path
    this.#file = file
    this.#lock = lock
    this.#versions = read.versions
    this.#digests = read.digests
    this.#uploads = read.uploads
  }

  /** @throws {Failure} another command pushes it at this moment */
  static async open(context: CliContext, remote: string, source: Journaled): Promise<PushJournal> {
    const own = await pathOf(context, remote, source)
    makeFolders(dirname(own), 0o700)
    const other = await otherThan(own, remote, source)
    const path = other?.isShared ? other.file : own
    const lock = await lockFor(path, remote)
    try {
      if (other && !other.isShared) await moveJournal(other.file, path, remote)
      const read = await readJournal(path)
      const file = await open(path, 'a', 0o600)
      await file.writeFile('\n')
      await syncFolder(dirname(path))
      const journal = new PushJournal(path, file, lock, { ...read, movedFrom: other })
      if (!other?.isShared) await journal.#noteOrigin(remote, source, read.origin)
      return journal
    } catch (error) {
      await lock[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Where the folder was when it was pushed, if it was moved since. */
  get movedFrom(): string | undefined {
    return this.#movedFrom
  }

  async #noteOrigin(
    remote: string,
    { key, folder }: Journaled,
    known: Origin | undefined,
  ): Promise<void> {
    if (folder === undefined) return
    const { path, identity, title } = folder
    const origin = { key, remote, folder: { path, identity, title } }
    if (isDeepStrictEqual(known, origin)) return
    await this.#file.writeFile(`${JSON.stringify({ origin })}\n`)
    await this.#file.datasync()
  }

  /** In the order in which they were begun. */
  get versions(): readonly Pushed[] {
    return [...this.#versions.values()]
  }

  find(marker: string): Pushed | undefined {
    return this.#versions.get(marker)
  }

  /** Durable when resolved. */
  async note(version: Pushed): Promise<Pushed> {
    this.#versions.set(version.marker, version)
    await this.#file.writeFile(`${JSON.stringify(version)}\n`)
    await this.#file.datasync()
    return version
  }

  /** The MD5 of a file, if it was computed before. */
  digestOf(file: Stamped): string | undefined {
    return this.#digests.get(stampOf(file))
  }

  /** Lost with the power, it is computed again. */
  async keepDigest(file: Stamped, md5: string): Promise<void> {
    const stamp = stampOf(file)
    if (this.#digests.get(stamp) === md5) return
    this.#digests.set(stamp, md5)
    await this.#file.writeFile(`${JSON.stringify({ stamp, md5 })}\n`)
  }

  /** What was noted about the upload of these bytes to a draft. */
  uploadOf(draft: string, file: Stamped): string | undefined {
    return this.#uploads.get(uploadKey(draft, file))
  }

  /** Durable when resolved. */
  async noteUpload(draft: string, file: Stamped, text: string | undefined): Promise<void> {
    const upload = uploadKey(draft, file)
    if (text === undefined && !this.#uploads.has(upload)) return
    if (text === undefined) this.#uploads.delete(upload)
    else this.#uploads.set(upload, text)
    await this.#file.writeFile(`${JSON.stringify({ upload, text })}\n`)
    await this.#file.datasync()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
    await this.#lock[Symbol.asyncDispose]()
  }
}

/** The DOI of a copy, as a part of what is noted. */
export function doiOf({ doi }: { readonly doi?: string | undefined }): Pick<Pushed, 'doi'> {
  return doi === undefined ? {} : { doi }
}

function uploadKey(draft: string, file: Stamped): string {
  return `${draft} ${stampOf(file)}`
}

/** Names a state of metadata and files. */
export function digestOfSource(
  about: Description,
  files: readonly Stamped[],
  versions: readonly Pushed[],
): string {
  const { title, creators, contributors, ...more } = withoutCopies(about, versions)
  const { date, resourceType, description, methods, notes, keywords, subjects, rights } = more
  const { version, language, dates, relations, references, funding, locations, access } = more
  const said = [title, creators, contributors, date, resourceType, description, methods, notes]
  const terms = [keywords, subjects, rights, version, language, dates, relations, references]
  const further = [funding, locations, access, more.alternateIdentifiers]
  const lines = files.map((file) => stampOf(file)).sort()
  return digestOfMetadata([said, terms, further, lines])
}

/** With the publication date that a version was given, where the document has none: it stays. */
export function dated(about: Description, pushed: Pushed | undefined): Description {
  const date = about.document['publication_date'] === undefined ? pushed?.date : undefined
  return date === undefined ? about : { ...about, date, year: date.slice(0, 4) }
}

/** Names a state of the files of a repository. */
export function digestOfFiles(files: readonly RemoteFile[]): string {
  const lines = files.map(({ name, size, md5 = '' }) => [name.normalize('NFC'), size, md5])
  return digestOfMetadata(lines.sort(([one = ''], [other = '']) => (one < other ? -1 : 1)))
}

/** Without relations to the copies that were pushed: they are not identical to themselves. */
export function withoutCopies(about: Description, versions: readonly Pushed[]): Description {
  const copies = versions.flatMap(({ doi, url }) => [doi, url].flatMap((each) => each ?? []))
  const isCopy = ({ relation, identifier }: Pick<Relation, 'relation' | 'identifier'>): boolean =>
    termOf(relationTypes, relation) === 'IsIdenticalTo' &&
    copies.some((copy) => isSameAddress(identifier, copy))
  const { related_identifiers: related } = about.document
  const isSaidCopy = (each: Json): boolean => {
    const { relation, identifier } = objectOf(each)
    return isCopy({ relation: textOf(relation) ?? '', identifier: textOf(identifier) ?? '' })
  }
  return {
    ...about,
    relations: about.relations.filter((each) => !isCopy(each)),
    ...(Array.isArray(related) && {
      document: {
        ...about.document,
        related_identifiers: related.filter((each: Json) => !isSaidCopy(each)),
      },
    }),
  }
}

export function digestOfMetadata(metadata: unknown): string {
  return createHash('sha256').update(JSON.stringify(metadata)).digest('hex')
}

/** The versions that were pushed to a repository, in the order in which they were begun. */
export async function readPushed(
  context: CliContext,
  remote: string,
  source: Journaled,
): Promise<readonly Pushed[]> {
  const own = await pathOf(context, remote, source)
  const other = await otherThan(own, remote, source)
  const { versions } = await readJournal(other?.file ?? own)
  return [...versions.values()]
}

/** The journal of a folder under its former path, unless it has one of its own. */
async function otherThan(
  own: string,
  remote: string,
  source: Journaled,
): Promise<OtherJournal | undefined> {
  if (source.folder === undefined || (await readJournal(own)).versions.size > 0) return undefined
  return findOtherJournal(dirname(own), remote, source, readJournal)
}

async function moveJournal(from: string, to: string, remote: string): Promise<void> {
  await using _ = await lockFor(from, remote)
  await rename(from, to)
}

/** @throws {Failure} another command pushes it at this moment */
async function lockFor(path: string, remote: string): Promise<AsyncDisposable> {
  // The first attempt removes the lock of a killed command.
  const lock = (await takeLock(`${path}.lock`)) ?? (await takeLock(`${path}.lock`))
  if (lock !== undefined) return lock
  const said = 'another command is pushing it at this moment'
  const lines = { tried: `push to ${remote}`, said, next: advice.waitForOther() }
  throw new Failure(lines, { exitCode: exitCodes.refused })
}

async function pathOf(
  { config }: CliContext,
  remote: string,
  { key, journals }: Journaled,
): Promise<string> {
  const name = createHash('sha256').update(`${remote}\n${key}`).digest('hex').slice(0, 40)
  return join(journals ?? join(await config.privateFolder(), 'push'), `${name}.jsonl`)
}

interface Read {
  readonly versions: Map<string, Pushed>
  readonly digests: Map<string, string>
  readonly uploads: Map<string, string>
  readonly origin: Origin | undefined
}

async function readJournal(path: string): Promise<Read> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return ''
    throw error
  })
  const read = {
    versions: new Map<string, Pushed>(),
    digests: new Map<string, string>(),
    uploads: new Map<string, string>(),
  }
  let origin: Origin | undefined
  for (const line of text.split('\n').flatMap(parseLine)) {
    const [marker, stamp, md5] = [
      textOf(line['marker']),
      textOf(line['stamp']),
      textOf(line['md5']),
    ]
    const [upload, text] = [textOf(line['upload']), textOf(line['text'])]
    origin = toOrigin(line['origin']) ?? origin
    if (upload !== undefined && text !== undefined) read.uploads.set(upload, text)
    else if (upload !== undefined) read.uploads.delete(upload)
    else if (marker !== undefined) read.versions.set(marker, toPushed(marker, line))
    else if (stamp !== undefined && md5 !== undefined) read.digests.set(stamp, md5)
  }
  return { ...read, origin }
}

function toOrigin(value: unknown): Origin | undefined {
  const { key, remote, folder } = objectOf(value)
  const { path, identity, title } = objectOf(folder)
  const texts = [key, remote, path].map(textOf)
  const [of, at, dir] = texts
  if (of === undefined || at === undefined || dir === undefined) return undefined
  const mark = { path: dir, identity: textOf(identity) ?? '', title: textOf(title) ?? '' }
  return { key: of, remote: at, folder: mark }
}

const textsOf = [
  'id',
  'base',
  'metadata',
  'entered',
  'source',
  'there',
  'at',
  'version',
  'date',
  'doi',
  'url',
  'pulled',
  'remote',
  'token',
]

function toPushed(marker: string, line: Readonly<Record<string, unknown>>): Pushed {
  const texts = textsOf.flatMap((name) => {
    const text = textOf(line[name])
    return text === undefined ? [] : [[name, text] as const]
  })
  return {
    marker,
    ...Object.fromEntries(texts),
    ...(line['isBegun'] === true && { isBegun: true }),
    ...(line['published'] === true && { published: true }),
    ...(line['isCorrecting'] === true && { isCorrecting: true }),
  }
}

/** Skips a line that was cut off when the machine stopped. */
function parseLine(line: string): readonly Readonly<Record<string, unknown>>[] {
  try {
    return [objectOf(JSON.parse(line))]
  } catch {
    return []
  }
}
