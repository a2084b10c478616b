import { createHash, getHashes, type Hash } from 'node:crypto'
import type { Findings } from './finding.ts'
import type { Inventory } from './inventory.ts'
import type { Tree } from './tree.ts'

export interface ObjectCheck {
  /** Reads all bytes and compares their digests; else only names are compared. */
  readonly reads: boolean
  /** Gets the bytes that were read. */
  readonly advance?: (bytes: number) => void
  readonly fileDone?: () => void
}

interface Promised {
  readonly code: 'E092' | 'E093'
  readonly algorithm: string
  readonly digest: string
}

/** Reads every file that an inventory names, once. */
export async function checkDigests(
  tree: Tree,
  inventories: readonly Inventory[],
  { advance, fileDone }: ObjectCheck,
  findings: Findings,
): Promise<void> {
  const promised = promisedDigests(inventories)
  for (const file of tree.files) {
    const wanted = promised.get(file.path)
    if (wanted === undefined) continue
    const hashes = new Map<string, Hash>()
    for (const { algorithm } of wanted.values()) {
      const name = hashNames[algorithm]
      if (name !== undefined && getHashes().includes(name)) hashes.set(algorithm, createHash(name))
    }
    try {
      for await (const chunk of tree.read(file)) {
        for (const hash of hashes.values()) hash.update(chunk)
        advance?.(chunk.length)
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      findings.add('E092', file.path, `it cannot be read: ${message}`)
      continue
    }
    fileDone?.()
    const found = new Map([...hashes].map(([algorithm, hash]) => [algorithm, hash.digest('hex')]))
    for (const { code, algorithm, digest } of wanted.values()) {
      const sum = found.get(algorithm)
      if (sum === undefined || sum === digest) continue
      findings.add(code, file.path, `its ${algorithm} is ${sum}, and not ${digest}`)
    }
  }
}

function promisedDigests(
  inventories: readonly Inventory[],
): ReadonlyMap<string, ReadonlyMap<string, Promised>> {
  const promised = new Map<string, Map<string, Promised>>()
  const add = (path: string, code: Promised['code'], algorithm: string, sum: string): void => {
    const digest = sum.toLowerCase()
    const known = promised.get(path) ?? new Map<string, Promised>()
    known.set(`${code} ${algorithm} ${digest}`, { code, algorithm, digest })
    promised.set(path, known)
  }
  for (const { manifest, digestAlgorithm, fixity } of new Set(inventories)) {
    for (const [digest, paths] of Object.entries(manifest))
      for (const path of paths) add(path, 'E092', digestAlgorithm, digest)
    for (const [algorithm, block] of Object.entries(fixity ?? {}))
      for (const [digest, paths] of Object.entries(block))
        for (const path of paths) add(path, 'E093', algorithm, digest)
  }
  return promised
}

/** Names of algorithms in OpenSSL; others are passed over. @see OCFL 1.1, §3.4, E028 */
const hashNames: Readonly<Record<string, string>> = {
  md5: 'md5',
  sha1: 'sha1',
  sha256: 'sha256',
  sha512: 'sha512',
  'sha512/256': 'sha512-256',
  'blake2b-512': 'blake2b512',
}
