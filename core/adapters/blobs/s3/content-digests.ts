import { createHash, hash, type Hash } from 'node:crypto'
import type { Digests } from '../blob-thread.ts'

/** Digests of bytes that pass by, with SHA-256 among them. */
export class ContentDigests {
  readonly #hashes: readonly (readonly [string, Hash])[]
  #size = 0

  /** @throws {Error} an algorithm is unknown */
  constructor(algorithms: readonly string[]) {
    const names = [...new Set(['sha256', ...algorithms])]
    this.#hashes = names.map((name) => [name, createHash(name)])
  }

  /** Bytes that have passed. */
  get size(): number {
    return this.#size
  }

  add(chunk: Uint8Array): void {
    for (const [, hash] of this.#hashes) hash.update(chunk)
    this.#size += chunk.length
  }

  /** Of what has passed so far; more may follow. */
  digests(): Digests & { readonly sha256: string } {
    const all = this.#hashes.map(([name, hash]) => [name, hash.copy().digest('hex')] as const)
    return { sha256: '', ...Object.fromEntries(all) }
  }

  /** Whether the bytes that have passed have the digests of all of `algorithms`. */
  covers(algorithms: readonly string[]): boolean {
    return algorithms.every((name) => this.#hashes.some(([known]) => known === name))
  }
}

/** SHA-256 as S3 writes it: base64. */
export function sha256Of(bytes: Buffer): string {
  return hash('sha256', bytes, 'base64')
}

export function hexToBase64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64')
}

/**
 * The composite checksum that S3 has for a multipart object: the digest of the parts' checksums,
 * concatenated.
 */
export function checksumOfParts(checksums: readonly string[]): string {
  const all = Buffer.concat(checksums.map((checksum) => Buffer.from(checksum, 'base64')))
  return `${sha256Of(all)}-${checksums.length}`
}
