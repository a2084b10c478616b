import { createHash, randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileDigest } from '../client/file-digest.ts'
import type { LocalFile } from '../client/upload-file.ts'
import type { CliContext } from '../session/context.ts'

/** Gives the digest of a file, `sha256:` and hexadecimal digits; it may know it from before. */
export type DigestOf = (file: LocalFile) => Promise<string>

/**
 * Runs `send`, which gives the digests of files by their names, and remembers those of files that did
 * not change since.
 */
export type Learn = (
  files: readonly LocalFile[],
  send: () => Promise<ReadonlyMap<string, string>>,
) => Promise<ReadonlyMap<string, string>>

/** A digest, and the file as it was when its bytes were read. */
type Entry = readonly [state: string, digest: string]

/** Most files of a folder that are remembered; the others are read each time. */
const most = 200_000

/** A file that changed later than this before it was read could change again unseen. */
const restNs = 2_000_000_000n

/**
 * Runs `work` with digests that were remembered for a folder, and remembers those it computes. A
 * file counts as unchanged while its size, its times (of content and of status, in nanoseconds) and
 * its inode are the same, as in the index of git.
 */
export async function withKnownDigests<Result>(
  { config, folder }: Pick<CliContext, 'config' | 'folder'>,
  dir: string,
  work: (digestOf: DigestOf, learn: Learn) => Promise<Result>,
): Promise<Result> {
  const name = createHash('sha256').update(resolve(folder, dir)).digest('hex')
  const path = join(await config.cacheFolder(), 'digests', `${name}.json`)
  const known = await readEntries(path)
  const seen = new Map<string, Entry>()
  let isNew = false
  const see = (path: string, before: State | undefined, digest: string): void => {
    if (!before?.isAtRest || stateOf(path)?.state !== before.state || seen.size >= most) return
    seen.set(path, [before.state, digest])
    isNew = true
  }
  const learn: Learn = async (files, send) => {
    const states = files.map((file) => stateOf(file.path))
    const digests = await send()
    for (const [at, { path, key, packed }] of files.entries()) {
      const digest = digests.get(key)
      // What is packed in an archive has no times of its own.
      if (digest !== undefined && packed === undefined) see(path, states[at], digest)
    }
    return digests
  }
  const digestOf: DigestOf = async (file) => {
    if (file.packed !== undefined) return file.packed.digest
    const before = stateOf(file.path)
    const entry = known.get(file.path)
    if (entry !== undefined && entry[0] === before?.state) {
      seen.set(file.path, entry)
      return entry[1]
    }
    const digest = await fileDigest(file)
    see(file.path, before, digest)
    return digest
  }
  let isWhole = false
  try {
    const result = await work(digestOf, learn)
    isWhole = true
    return result
  } finally {
    // Files that were not looked at before an interruption are remembered as they were.
    if (isNew) await writeEntries(path, isWhole ? seen : new Map([...known, ...seen]))
  }
}

interface State {
  readonly state: string
  readonly isAtRest: boolean
}

/** Undefined where there is no such file. */
function stateOf(path: string): State | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (stats === undefined) return undefined
  const { size, mtimeNs, ctimeNs, ino, dev } = stats
  const changed = mtimeNs > ctimeNs ? mtimeNs : ctimeNs
  return {
    state: [size, mtimeNs, ctimeNs, ino, dev].join(' '),
    isAtRest: BigInt(Date.now()) * 1_000_000n - changed > restNs,
  }
}

/** Empty where there are none, or none that can be read: the files are read then. */
async function readEntries(path: string): Promise<ReadonlyMap<string, Entry>> {
  try {
    return new Map(JSON.parse(await readFile(path, 'utf8')) as [string, Entry][])
  } catch {
    return new Map()
  }
}

/** Without them the files are read again, so no fault of the disk is told. */
async function writeEntries(path: string, entries: ReadonlyMap<string, Entry>): Promise<void> {
  const draft = `${path}.${randomUUID()}.new`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(draft, JSON.stringify([...entries]), { mode: 0o600 })
    await rename(draft, path)
  } catch {
    await rm(draft, { force: true }).catch(() => {})
  }
}
