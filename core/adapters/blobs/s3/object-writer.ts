import { problem } from '../../../errors/errors.ts'
import type { Abilities } from './abilities.ts'
import type { Bucket } from './bucket.ts'
import { checksumOfParts, hexToBase64, sha256Of } from './content-digests.ts'
import { digestsOf } from './object-reader.ts'
import { Multipart, type SentPart } from './parts.ts'
import { isTaken } from './s3-errors.ts'

/** The expected size in bytes, and SHA-256 in hexadecimal digits. */
export interface Measured {
  readonly size: number
  readonly sha256: string
}

/** An object that is written once: at one go where it is small, else in parts. */
export class ObjectWriter {
  readonly #bucket: Bucket
  readonly #key: string
  readonly #abilities: Abilities
  #multipart: Multipart | undefined
  readonly #sent: SentPart[]

  /** @param begun parts that were sent before */
  constructor(
    bucket: Bucket,
    key: string,
    abilities: Abilities,
    begun?: { readonly multipart: Multipart; readonly sent: readonly SentPart[] },
  ) {
    this.#bucket = bucket
    this.#key = key
    this.#abilities = abilities
    this.#multipart = begun?.multipart
    this.#sent = [...(begun?.sent ?? [])]
  }

  /** Sends a part that is not the last one. */
  readonly send = async (part: Buffer): Promise<void> => {
    const { checksums } = this.#abilities
    this.#multipart ??= await Multipart.begin(this.#bucket, this.#key, checksums)
    this.#sent.push(await this.#multipart.send(this.#sent.length + 1, part))
  }

  /**
   * Completes the object from the sent bytes and `rest`, then asks the store for its size and
   * checksum.
   *
   * @throws {DepositError} storage_unavailable: they differ
   */
  async finish(rest: Buffer, measured: Measured): Promise<void> {
    await this.complete(rest, measured.sha256)
    await this.#requireKept(measured)
  }

  /**
   * As {@link finish}, but asks for nothing.
   *
   * @param sha256 of all of it, in hexadecimal digits, where it is known
   */
  async complete(rest: Buffer, sha256?: string): Promise<void> {
    if (!this.#multipart) {
      await this.#putWhole(rest, sha256 === undefined ? sha256Of(rest) : hexToBase64(sha256))
      return
    }
    if (rest.length > 0) await this.send(rest)
    await this.#multipart.complete(this.#sent)
  }

  /** Removes what there is of it. */
  async discard(): Promise<void> {
    await this.#multipart?.abort()
    await this.#bucket.delete(this.#key)
  }

  /** An answer that was lost makes the next try find the object taken: by itself, if it is the same. */
  async #putWhole(bytes: Buffer, sha256: string): Promise<void> {
    const { checksums, conditionalWrites } = this.#abilities
    const checksum = checksums ? sha256 : undefined
    try {
      await this.#bucket.put(this.#key, bytes, { checksum, isNew: conditionalWrites })
    } catch (error) {
      if (!isTaken(error)) throw error
    }
  }

  async #requireKept({ size, sha256 }: Measured): Promise<void> {
    const head = await this.#bucket.head(this.#key)
    const isKept =
      head?.size === size &&
      (head.checksum !== undefined && this.#abilities.checksums
        ? head.checksum === this.#expectedChecksum(sha256)
        : (await digestsOf(this.#bucket, this.#key, [])).sha256 === sha256)
    if (!isKept)
      throw problem('storage_unavailable', {
        store: 'files',
        message: 'The store has kept other bytes than were sent.',
      })
  }

  #expectedChecksum(sha256: string): string {
    if (!this.#multipart) return hexToBase64(sha256)
    return checksumOfParts(this.#sent.map(({ ChecksumSHA256 = '' }) => ChecksumSHA256))
  }
}
