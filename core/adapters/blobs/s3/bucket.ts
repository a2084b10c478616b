import { setTimeout as sleep } from 'node:timers/promises'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { problem } from '../../../errors/errors.ts'
import type { ByteRange } from '../../../ports/blob-store.ts'
import { Reachability } from '../../reachability.ts'
import type { S3Address } from './s3-address.ts'
import { explainS3Error, isConflict, isMissing } from './s3-errors.ts'

/** An object, as a listing shows it. */
export interface ListedObject {
  /** Without the prefix of the store. */
  readonly key: string
  /** Bytes. */
  readonly size: number
  readonly modified: Date
}

/** The store's answer about one object. */
export interface ObjectHead {
  /** Bytes. */
  readonly size: number
  readonly modified: Date
  /** Base64, of a store that keeps it; with `-N` after it of an object sent in N parts. */
  readonly checksum?: string
}

export interface PutOptions {
  /** SHA-256 in base64, for a store that compares it. */
  readonly checksum?: string | undefined
  /** Refuses to replace an object, on a store that can. */
  readonly isNew?: boolean
  /** Ends it before its time. */
  readonly signal?: AbortSignal
}

/**
 * Milliseconds: to connect, which leaves TCP two more attempts (after 1 s and 3 s), and without a
 * byte either way: clients of Amazon wait 30 to 60 s.
 */
const timeouts = { connectionTimeout: 5_000, socketTimeout: 30_000 } as const
/** For how long a store that went away may take to say that it is back. Milliseconds. */
const callMs = 5_000
/** For how long a store that is there may take when it is looked at. Milliseconds. */
const lookMs = 10_000
/** Looks without an answer, one after the other, until a store is away: before that it is slow. */
const mostSilent = 3
/** Attempts of a call, with growing pauses. */
const maxAttempts = 4
/** A download holds a connection for as long as its client takes. */
const connections = { maxSockets: 512 } as const

/**
 * The objects below a prefix of a bucket. Keys are given without the prefix. While the store is
 * away every call fails at once; it is called until it answers.
 */
export class Bucket implements Disposable {
  readonly client: S3Client
  readonly #address: S3Address
  readonly #reachability: Reachability
  readonly #closing = new AbortController()
  /** Looks without an answer since the last answer. */
  #silent = 0
  #isThere = true

  /** @param notice told when the store goes away and when it is back */
  constructor(address: S3Address, notice: (text: string) => void) {
    this.#address = address
    this.client = createClient(address, () => this.isReachable)
    this.#reachability = new Reachability(() => this.look(), { name: 'The store of files', notice })
  }

  /**
   * Asks the store whether it is there. One that is slow stays there until it has not answered
   * several looks in a row.
   *
   * @param patience for the answer of a store that is there. Milliseconds
   * @throws {DepositError} storage_unavailable, storage_full: it is not there, or takes no changes
   */
  async look(patience = lookMs): Promise<void> {
    const wasAway = !this.isReachable
    const abortSignal = AbortSignal.timeout(wasAway ? callMs : patience)
    try {
      await this.client.send(this.#headBucket(), { abortSignal })
      this.#silent = 0
    } catch (error) {
      if (!abortSignal.aborted) throw this.failed(error)
      this.#silent += 1
      if (!wasAway && this.#silent < mostSilent) return
      throw this.failed(problem('storage_unavailable', { store: 'files', cause: error }))
    }
  }

  /** False of one that could be made, and was not. */
  get isThere(): boolean {
    return this.#isThere
  }

  /**
   * How much the clock of the store is ahead of this machine's: 0 while they differ by less than five
   * minutes, or the store has not answered yet. Milliseconds.
   */
  get clockAheadMs(): number {
    return this.client.config.systemClockOffset
  }

  get isReachable(): boolean {
    return this.#reachability.isReachable
  }

  /** The parameters that name an object in a command. */
  at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#address.bucket, Key: this.#address.prefix + key }
  }

  /**
   * Runs a call to the store.
   *
   * @throws {DepositError} storage_unavailable, storage_full: it failed, not because of the object
   */
  async call<Result>(task: () => Promise<Result>): Promise<Result> {
    if (!this.isReachable) throw problem('storage_unavailable', { store: 'files' })
    try {
      const result = await task()
      this.#silent = 0
      return result
    } catch (error) {
      throw this.failed(error)
    }
  }

  /** Notes a failure of the store, and says what it means. */
  failed(error: unknown): unknown {
    const explained = explainS3Error(error)
    this.#reachability.heard(explained)
    return explained
  }

  /** Makes sure that the bucket is there, or could be made. */
  async require(makes: boolean): Promise<void> {
    try {
      await this.client.send(this.#headBucket())
    } catch (error) {
      if (!isMissing(error) || !this.#address.createBucket) throw error
      this.#isThere = makes
      if (makes) await this.#make()
    }
  }

  /** Of several that make it at once, all but one are told that it is there, or being made. */
  async #make(): Promise<void> {
    try {
      await this.client.send(new CreateBucketCommand({ Bucket: this.#address.bucket }))
    } catch (error) {
      if (!isConflict(error)) throw error
      await this.client.send(this.#headBucket())
    }
  }

  async put(key: string, bytes: Buffer | string, options: PutOptions = {}) {
    const { checksum, isNew, signal: abortSignal } = options
    const command = new PutObjectCommand({
      ...this.at(key),
      Body: bytes,
      ...(checksum !== undefined && { ChecksumSHA256: checksum }),
      ...(isNew && { IfNoneMatch: '*' }),
    })
    await this.call(() => this.client.send(command, { ...(abortSignal && { abortSignal }) }))
  }

  /** Undefined where there is no such object; fails where it ends before the range begins. */
  async open(key: string, range?: ByteRange): Promise<OpenObject | undefined> {
    const command = new GetObjectCommand({
      ...this.at(key),
      ...(range && { Range: `bytes=${range.start}-${range.end}` }),
    })
    const found = await this.#ifThere(() => this.client.send(command))
    if (!found) return undefined
    // In Node.js the client answers with a stream of Node.js.
    return { bytes: found.Body as Readable, size: found.ContentLength ?? 0 }
  }

  /** All of a small object. */
  async get(key: string): Promise<Buffer | undefined> {
    const found = await this.open(key)
    return found && (await this.call(() => buffer(found.bytes)))
  }

  async head(key: string): Promise<ObjectHead | undefined> {
    const command = new HeadObjectCommand({ ...this.at(key), ChecksumMode: 'ENABLED' })
    const found = await this.#ifThere(() => this.client.send(command))
    return (
      found && {
        size: found.ContentLength ?? 0,
        modified: found.LastModified ?? new Date(),
        ...(found.ChecksumSHA256 !== undefined && { checksum: found.ChecksumSHA256 }),
      }
    )
  }

  /** Twice is not an error. */
  async delete(key: string): Promise<void> {
    await this.#ifThere(() => this.client.send(new DeleteObjectCommand(this.at(key))))
  }

  /** Every object whose key begins with `start`, in the order of keys. */
  async *list(start: string): AsyncGenerator<ListedObject, void, undefined> {
    const { Bucket, Key: Prefix } = this.at(start)
    let ContinuationToken: string | undefined
    do {
      const command = new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken })
      const page = await this.call(() => this.client.send(command))
      for (const { Key = '', Size = 0, LastModified = new Date() } of page.Contents ?? []) {
        const key = Key.slice(this.#address.prefix.length)
        yield { key, size: Size, modified: LastModified }
      }
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (ContinuationToken !== undefined)
  }

  /** Waits before a call is made again; fails when the store is closed during the wait. */
  async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#closing.signal })
  }

  [Symbol.dispose](): void {
    this.#closing.abort()
    this.#reachability[Symbol.dispose]()
    this.client.destroy()
  }

  #headBucket(): HeadBucketCommand {
    return new HeadBucketCommand({ Bucket: this.#address.bucket })
  }

  async #ifThere<Result>(task: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await this.call(task)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }
}

/** An object that is being read. */
export interface OpenObject {
  readonly bytes: Readable
  /** Bytes that follow. */
  readonly size: number
}

/** Stores that are not Amazon's want the bucket in the path, and checksums only where asked for. */
function createClient({ endpoint, region }: S3Address, isReachable: () => boolean): S3Client {
  const client = new S3Client({
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true, region: 'us-east-1' }),
    ...(region !== undefined && { region }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts,
    requestHandler: { ...timeouts, httpAgent: connections, httpsAgent: connections },
  })
  const { config } = client
  const usual = config.retryStrategy
  config.retryStrategy = async () => whileReachable(await usual(), isReachable)
  return client
}

type RetryStrategy = Awaited<ReturnType<S3Client['config']['retryStrategy']>>

/**
 * Makes no call again while the store is known to be away: each attempt waits for half a minute, and
 * with it the request.
 */
function whileReachable(usual: RetryStrategy, isReachable: () => boolean): RetryStrategy {
  if (!('refreshRetryTokenForRetry' in usual)) return usual
  return {
    acquireInitialRetryToken: (scope) => usual.acquireInitialRetryToken(scope),
    refreshRetryTokenForRetry: async (token, error) => {
      if (!isReachable()) throw new Error('The store is away.')
      return usual.refreshRetryTokenForRetry(token, error)
    },
    recordSuccess: (token) => usual.recordSuccess(token),
  }
}
