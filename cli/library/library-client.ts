import { resolve } from 'node:path'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { DepositClient } from '../client/deposit-client.ts'
import type { LocalFile } from '../client/upload-file.ts'
import { advice } from '../advice.ts'
import { UsageFailure } from '../failure.ts'
import { jobsFor, parseJobs } from '../options.ts'
import { conceptOf, ownMetadata } from '../output/deposit-facts.ts'
import { shellWord } from '../plain.ts'
import type { Progress as Shown, ShowProgress } from '../output/progress.ts'
import type { CliContext } from '../session/context.ts'
import { withPublicErrors } from './deposit-error.ts'
import type {
  Client,
  Deposit,
  DepositFile,
  DownloadOptions,
  Findings,
  ListOptions,
  Metadata,
  ReleaseOptions,
  RepeatOptions,
  TransferOptions,
  UpdateOptions,
  UploadOptions,
} from './types.ts'

/** Results without a limit. */
const listed = 100

/** @throws {UsageFailure} a path is empty, as of a variable that is not set: it would be all of this folder */
function requirePaths(tried: string, paths: readonly unknown[]): void {
  if (paths.every((path) => typeof path === 'string' && path !== '')) return
  throw new UsageFailure({
    tried,
    said: 'a path is empty, or not a text',
    next: advice.setVariable(),
  })
}

/** {@link Client} over the client of the command line. */
export class LibraryClient implements Client {
  readonly server: string
  readonly #client: DepositClient
  readonly #context: CliContext

  constructor(client: DepositClient, context: CliContext) {
    this.server = client.connection.server.origin
    this.#client = client
    this.#context = context
  }

  create(metadata: Metadata = {}, { idempotencyKey }: RepeatOptions = {}): Promise<Deposit> {
    return this.#deposit((client) => client.create(metadata, idempotencyKey))
  }

  get(id: string): Promise<Deposit> {
    return this.#deposit((client) => client.read(id))
  }

  list({ query, status, sort, limit = listed }: ListOptions = {}): Promise<readonly Deposit[]> {
    return this.#run(async (client) => {
      const parameters = {
        ...(query !== undefined && { q: query }),
        ...(status !== undefined && { status }),
        ...(sort !== undefined && { sort }),
      }
      const { hits } = await client.search(parameters, limit)
      return hits.hits.map(toDeposit)
    })
  }

  update(id: string, metadata: Metadata, { revision }: UpdateOptions = {}): Promise<Deposit> {
    return this.#deposit((client) => client.replace(id, metadata, revision))
  }

  check(id: string): Promise<Findings> {
    return this.#run(async (client) => {
      const { errors, warnings } = await client.rehearse(id)
      return { errors, warnings }
    })
  }

  publish(id: string, options?: RepeatOptions): Promise<Deposit> {
    return this.#act(id, 'publish', options)
  }

  edit(id: string, options?: RepeatOptions): Promise<Deposit> {
    return this.#act(id, 'edit', options)
  }

  discard(id: string): Promise<Deposit> {
    return this.#act(id, 'discard')
  }

  newVersion(id: string, options?: RepeatOptions): Promise<Deposit> {
    return this.#act(id, 'newversion', options)
  }

  release(folder: string, options: ReleaseOptions = {}): Promise<Deposit> {
    return this.#transfer(options, async (client, signal) => {
      requirePaths('release', [folder])
      const { releaseFolder } = await import('../folder/release-folder.ts')
      const { strict, yes, jobs, onProgress, signal: _, ...given } = options
      const here = async (): Promise<DepositClient> => client
      const again = `deposit release ${shellWord(folder)}`
      const published = await releaseFolder({
        ...given,
        ...(strict && { strict }),
        ...(yes && { yes }),
        ...(jobs !== undefined && { jobs }),
        context: { ...this.#context, signal, client: here, runningClient: here },
        show: (transfer) => meter(transfer, onProgress),
        dir: folder,
        again,
        command: again,
      })
      if (published === undefined) throw new Error('a release without a dry run has a version')
      return toDeposit(published)
    })
  }

  delete(id: string): Promise<void> {
    return this.#run(async (client) =>
      client.delete(await client.resolveWhole(id), { force: true }),
    )
  }

  files(id: string): Promise<readonly DepositFile[]> {
    return this.#run(async (client) => (await client.listFiles(id)).map(toFile))
  }

  deleteFile(id: string, name: string): Promise<void> {
    return this.#run((client) => client.deleteFile(id, name))
  }

  upload(
    id: string,
    paths: string | readonly string[],
    options: UploadOptions = {},
  ): Promise<readonly DepositFile[]> {
    return this.#transfer(options, async (client, signal) => {
      requirePaths('upload', [paths].flat())
      const { findMissing, sendFiles } = await import('../transfer/send-files.ts')
      const files = await this.#plan([paths].flat(), signal, options)
      const deposit = await client.read(id)
      const present = await client.listFiles(deposit.id)
      const { replace = false, jobs, onProgress } = options
      const missing = await findMissing({ deposit, present, replace }, files)
      const show: ShowProgress = (transfer) => meter(transfer, onProgress)
      const { streams } = this.#context
      const to = { client, streams, deposit, present, replace, jobs, quiet: true, show }
      return (await sendFiles(to, files, missing)).map(toFile)
    })
  }

  /** The local files, each with its name in the deposit. */
  async #plan(
    paths: readonly string[],
    signal: AbortSignal,
    { exclude, followLinks, unpack, name }: UploadOptions,
  ): Promise<readonly LocalFile[]> {
    const [{ readSources }, { planUpload }] = await Promise.all([
      import('../transfer/read-sources.ts'),
      import('../transfer/plan-upload.ts'),
    ])
    const { folder, streams } = this.#context
    const next = { named: advice.leaveOut('name'), packed: () => advice.leaveOut('unpack') }
    const given = { folder, signal, exclude, followLinks, unpack, name, next }
    const { sources, notes } = await readSources(paths, given)
    const plan = planUpload(sources.files)
    for (const note of [...notes, ...plan.warnings]) streams.note(note)
    return plan.files
  }

  download(id: string, folder: string, options: DownloadOptions = {}): Promise<readonly string[]> {
    return this.#transfer(options, async (client) => {
      const [{ downloadFiles }, { pickFiles }, safe, { toLocalNames }] = await Promise.all([
        import('../transfer/download-files.ts'),
        import('../transfer/pick-files.ts'),
        import('../transfer/safe-target.ts'),
        import('../transfer/local-names.ts'),
      ])
      const all = await client.listFiles(id)
      const picked = options.files === undefined ? all : pickFiles(id, all, options.files)
      safe.requireSafeNames(picked, 'download the files')
      safe.requireNoFileAsFolder(picked)
      const local = toLocalNames(picked)
      for (const note of local.notes) this.#context.streams.note(note)
      const sizes = local.files.map(({ filesize }) => filesize)
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      const transfer = { files: sizes.length, bytes }
      const { replace = false, jobs = jobsFor(transfer), onProgress } = options
      const root = resolve(this.#context.folder, folder)
      const { connection } = client
      const progress = meter(transfer, onProgress)
      const to = { connection, root, replace, jobs, progress }
      return downloadFiles(to, local.files).catch(async (error: unknown) => {
        const { noWrite } = await import('../no-write.ts')
        const kept = 'all that has arrived is kept'
        const elsewhere = advice.moveAway()
        const place = { tried: 'download the files', path: root, kept, elsewhere }
        throw noWrite(error, place) ?? error
      })
    })
  }

  [Symbol.dispose](): void {
    this.#context[Symbol.dispose]()
  }

  #act(id: string, action: string, { idempotencyKey }: RepeatOptions = {}): Promise<Deposit> {
    return this.#deposit((client) => client.runAction(id, action, idempotencyKey))
  }

  #deposit(work: (client: DepositClient) => Promise<DepositBody>): Promise<Deposit> {
    return this.#run(async (client) => toDeposit(await work(client)))
  }

  #run<T>(work: (client: DepositClient) => Promise<T>): Promise<T> {
    return withPublicErrors(this.#context.signal, () => work(this.#client))
  }

  /** Over connections of its own where it has a signal of its own. */
  async #transfer<T>(
    { signal, jobs }: TransferOptions,
    work: (client: DepositClient, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const either = AbortSignal.any([this.#context.signal, ...(signal ? [signal] : [])])
    return withPublicErrors(either, async () => {
      if (jobs !== undefined) parseJobs(String(jobs))
      if (signal === undefined) return work(this.#client, either)
      using own = this.#client.connection.withSignal(either)
      return await work(new DepositClient(own.connection), either)
    })
  }
}

function toDeposit(deposit: DepositBody): Deposit {
  const { id, metadata, revision, links, created, updated } = deposit
  return {
    id,
    status: metadata._deposit?.status ?? 'draft',
    metadata: ownMetadata(metadata),
    revision,
    url: links['html'],
    recordUrl: links['record_html'],
    concept: conceptOf(deposit),
    created,
    updated,
  }
}

function toFile({ filename, filesize, checksum }: FileBody): DepositFile {
  return { name: filename, size: filesize, sha256: checksum.replace('sha256:', '') }
}

/** Counts the files and bytes of a transfer. */
function meter(
  { files: filesTotal, bytes: bytesTotal }: Parameters<ShowProgress>[0],
  tell: TransferOptions['onProgress'],
): Shown {
  let [files, bytes] = [0, 0]
  const show = (): void => tell?.({ files, filesTotal, bytes, bytesTotal })
  return {
    advance: (more) => {
      bytes += more
      show()
    },
    fileDone: () => {
      files += 1
      show()
    },
    [Symbol.dispose]: () => {},
  }
}
