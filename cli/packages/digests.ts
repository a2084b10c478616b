import { createHash } from 'node:crypto'
import type { Finding } from '../output/finding.ts'
import type { Progress } from '../output/progress.ts'
import { about, UnreadableFile, type Contents } from './contents.ts'

/** A digest that a package states for one of its files. */
export interface Promised {
  /** A name of {@link findAlgorithm}. */
  readonly algorithm: string
  /** Hexadecimal, in lower case. */
  readonly digest: string
  /** The file that states it, such as `manifest-sha256.txt`. */
  readonly source: string
}

const algorithms =
  'md5 sha1 sha224 sha256 sha384 sha512 sha512-256 sha3-256 sha3-512 blake2b512 blake2s256'.split(
    ' ',
  )

/** The name of a digest as Node.js has it, for one such as `SHA-256`; undefined for others. */
export function findAlgorithm(name: string): string | undefined {
  const fold = (text: string): string => text.toLowerCase().replaceAll(/[^a-z\d]/g, '')
  return algorithms.find((known) => fold(known) === fold(name))
}

/** Hexadecimal digits of a digest. */
export function lengthOf(algorithm: string): number {
  return createHash(algorithm).digest('hex').length
}

interface Checked {
  readonly errors: readonly Finding[]
  /** SHA-256 of each file that could be read, by its path, in hexadecimal digits. */
  readonly sha256: ReadonlyMap<string, string>
}

/**
 * Reads all files of a package once, and compares their digests with those that it states. An
 * archive is unpacked by it, which checks its sizes and sums.
 *
 * @param progress gets the bytes and files that were read
 */
export async function checkDigests(
  contents: Contents,
  promised: ReadonlyMap<string, readonly Promised[]>,
  progress?: Pick<Progress, 'advance' | 'fileDone'>,
): Promise<Checked> {
  const errors: Finding[] = []
  const sha256 = new Map<string, string>()
  for (const file of contents.files) {
    const expected = promised.get(file.path) ?? []
    const names = new Set(['sha256', ...expected.map(({ algorithm }) => algorithm)])
    const hashes = [...names].map((name) => [name, createHash(name)] as const)
    try {
      for await (const chunk of contents.read(file)) {
        for (const [, hash] of hashes) hash.update(chunk)
        progress?.advance(chunk.length)
      }
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error
      errors.push(about(file.path, error.message))
      continue
    }
    progress?.fileDone()
    const found = new Map(hashes.map(([name, hash]) => [name, hash.digest('hex')]))
    sha256.set(file.path, found.get('sha256') ?? '')
    for (const { algorithm, digest, source } of expected) {
      if (found.get(algorithm) === digest) continue
      errors.push(about(file.path, `its ${algorithm} differs from that in ${source}`))
    }
  }
  return { errors, sha256 }
}
