import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { ClientRequest } from 'node:http'
import { Transform, type Readable } from 'node:stream'
import { advice } from '../advice.ts'
import { Digester, DigestThread } from '../client/digester.ts'
import { bufferBytes, sendStream, wholeFileBytes } from '../client/send-file.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { OpenRemote } from './open-remote.ts'
import type { Progress } from '../output/progress.ts'
import { asArchive, withDashes, type Flatten } from './port/flatten.ts'
import type { PushJournal } from './push-journal.ts'
import { compareFiles, type Compared, type Step } from './push-plan.ts'
import type { Copy, Limits, Outgoing, RemoteFile } from './port/repository.ts'
import type { SourceFile } from './port/source-file.ts'
import type { Source } from './source.ts'

interface Options {
  readonly flatten?: Flatten | undefined
  readonly journal: PushJournal
}

interface Destination {
  readonly copy: Copy
  readonly to: OpenRemote
  readonly progress: Progress
}

interface Settings {
  readonly limits: Limits
  readonly isRestricted: boolean
  readonly journal: PushJournal
}

/** The files of a source as they go to a repository, with their MD5. */
export class OutgoingFiles implements AsyncDisposable {
  readonly taken: readonly SourceFile[]
  /** Those that the repository does not take, with the reason. */
  readonly skipped: readonly Step[]
  readonly #journal: PushJournal
  readonly #isRestricted: boolean
  readonly #thread = new DigestThread()

  private constructor(
    files: readonly SourceFile[],
    { limits: { takesEmptyFiles }, isRestricted, journal }: Settings,
  ) {
    const isTaken = ({ size }: SourceFile): boolean => takesEmptyFiles || size > 0
    this.taken = files.filter(isTaken)
    this.skipped = files
      .filter((file) => !isTaken(file))
      .map(({ name, size }) => ({ name, size, does: 'skip', because: 'it is empty' }))
    this.#journal = journal
    this.#isRestricted = isRestricted
  }

  static async of(source: Source, limits: Limits, options: Options): Promise<OutgoingFiles> {
    const isRestricted = source.about.access.files === 'restricted'
    const settings = { limits, isRestricted, journal: options.journal }
    return new OutgoingFiles(await flattened(source, limits, options), settings)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]()
  }

  compare(remote: readonly RemoteFile[]): Promise<Compared> {
    const isRestricted = this.#isRestricted
    return compareFiles({ files: this.taken, isRestricted }, remote, (file) => this.digestOf(file))
  }

  /** Whether the bytes are those that are there, under any names. */
  async haveSameBytes(remote: readonly RemoteFile[]): Promise<boolean> {
    const there = new Set(remote.map(({ md5 }) => md5))
    const sizes = new Set(remote.map(({ size }) => size))
    if (there.has(undefined) || this.taken.some(({ size }) => !sizes.has(size))) return false
    const here = new Set<string>()
    for (const file of this.taken) here.add(await this.digestOf(file))
    return here.size === there.size && [...here].every((md5) => there.has(md5))
  }

  /** The MD5 of a file, in hexadecimal. It is read for it once, or never if it was sent before. */
  async digestOf(file: SourceFile): Promise<string> {
    const known = this.#journal.digestOf(file)
    if (known !== undefined) return known
    const hash = createHash('md5')
    if (file.size > 0) for await (const chunk of await file.open()) hash.update(chunk as Buffer)
    const md5 = hash.digest('hex')
    await this.#journal.keepDigest(file, md5)
    return md5
  }

  /** @param draft identifier of the draft that it goes to */
  outgoing(file: SourceFile, draft: string, progress: Progress): Outgoing {
    const { name, size, type, path } = file
    const onSent = (bytes: number): void => progress.advance(bytes)
    const isLarge = path !== undefined && size > wholeFileBytes
    return {
      name,
      size,
      type,
      isRestricted: this.#isRestricted,
      upload: {
        noted: () => this.#journal.uploadOf(draft, file),
        note: (text) => this.#journal.noteUpload(draft, file, text),
      },
      md5: this.#journal.digestOf(file),
      open: async (from = 0, to = size) => {
        const bytes = await file.open(from, to)
        return from === 0 && to === size ? this.#hashed(file, bytes) : bytes
      },
      bytes: file.bytes && (() => this.#bytesOf(file)),
      ...(isLarge && { write: (request) => this.#write(file, path, request, onSent) }),
      digest: () => this.digestOf(file),
      onSent,
    }
  }

  /** @throws {Failure} its bytes differ there, also after it was sent once more */
  async send(file: SourceFile, { copy, to, progress }: Destination): Promise<void> {
    const counted = countedOnce(file, progress)
    for (let attempt = 0; ; attempt += 1) {
      const sent = await to.repository.upload(copy, this.outgoing(file, copy.id, counted))
      const fault = await this.#faultOf(file, sent)
      if (fault === undefined) return
      if (attempt > 0) {
        const tried = `send ${file.name} to ${to.remote.name}`
        const lines = { tried, said: fault, next: advice.pushAgain() }
        throw new Failure(lines, { exitCode: exitCodes.refused })
      }
      await to.repository.remove(copy, [sent])
    }
  }

  async #faultOf(file: SourceFile, sent: RemoteFile): Promise<string | undefined> {
    const { size, md5, isWhole } = sent
    if (Number.isNaN(size)) return 'it does not say how many bytes arrived'
    if (size !== file.size) return `${size} bytes arrived, of ${file.size}`
    const own = md5 === undefined ? undefined : await this.digestOf(file)
    if (md5 !== own) return `its MD5 there is ${md5}, and here ${own}`
    return isWhole ? undefined : 'its bytes failed the check there'
  }

  async #bytesOf(file: SourceFile): Promise<Buffer> {
    const bytes = (await file.bytes?.()) ?? Buffer.alloc(0)
    await this.#journal.keepDigest(file, createHash('md5').update(bytes).digest('hex'))
    return bytes
  }

  /** The bytes are read, hashed and sent at the same time. */
  async #write(
    file: SourceFile,
    path: string,
    request: ClientRequest,
    onSent: (bytes: number) => void,
  ): Promise<void> {
    await using handle = await open(path)
    const digester = new Digester(this.#thread, 2, bufferBytes, 'md5')
    const { write, digest } = sendStream(handle, { from: 0, size: file.size }, digester, onSent)
    try {
      await write(request)
    } catch (error) {
      digester.forget()
      throw error
    }
    await this.#journal.keepDigest(file, await digest)
  }

  /** The digest of the bytes that are sent is computed on their way. */
  #hashed(file: SourceFile, bytes: Readable): Readable {
    const hash = createHash('md5')
    const keep = async (): Promise<void> => this.#journal.keepDigest(file, hash.digest('hex'))
    const passed = new Transform({
      transform: (chunk: Buffer, _, done) => {
        hash.update(chunk)
        done(null, chunk)
      },
      flush: (done) => {
        keep()
          .catch((error: unknown) => passed.destroy(error as Error))
          .finally(done)
      },
    })
    bytes.on('error', (error) => passed.destroy(error))
    passed.on('close', () => bytes.destroy())
    return bytes.pipe(passed)
  }
}

/** Bytes that are sent again do not count again. */
function countedOnce({ size }: SourceFile, progress: Progress): Progress {
  let left = size
  const advance = (bytes: number): void => {
    const more = Math.min(bytes, left)
    left -= more
    progress.advance(more)
  }
  return { ...progress, advance }
}

async function flattened(
  { files, about }: Source,
  { hasFolders, mostFiles, takesEmptyFiles }: Limits,
  { flatten }: Options,
): Promise<readonly SourceFile[]> {
  const isFlat = hasFolders || !files.some(({ name }) => name.includes('/'))
  const isFew = files.filter(({ size }) => size > 0 || takesEmptyFiles).length <= mostFiles
  if (flatten === 'dash') return isFlat ? files : withDashes(files)
  if (flatten === undefined || (isFlat && isFew)) return files
  return [await asArchive(files, 'files.zip', `${about.year}-01-01T00:00:00Z`)]
}
