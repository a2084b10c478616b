import { createHash } from 'node:crypto'
import { isProblem } from '../errors/errors.ts'
import type { BlobId, FileVersion } from '../files/file.ts'
import type { Parts } from './parts.ts'
import { readVersion } from './read-version.ts'

/** MD5 sums of stored files, which other services show and their clients compare. */
export interface Md5Sums {
  /**
   * 32 hexadecimal digits. A sum that was not computed when the bytes arrived is computed once, by
   * reading them, and kept.
   *
   * @throws {DepositError} damaged_file
   */
  readonly of: (version: FileVersion) => Promise<string>
  /**
   * The same of many files, in their order; undefined for one that is damaged. The sums are kept in
   * a unit of work for hundreds of them.
   */
  readonly ofAll: (versions: readonly FileVersion[]) => Promise<readonly (string | undefined)[]>
  /** The sum where it is known without reading. */
  readonly known: (version: FileVersion) => string | undefined
}

/** Sums that one unit of work keeps. */
const mostAtOnce = 200

export function createMd5Sums(parts: Parts): Md5Sums {
  /** Those being computed, until they are kept: each is read once, however many ask. */
  const computing = new Map<BlobId, Promise<string>>()
  const compute = async (version: FileVersion): Promise<string> => {
    const hash = createHash('md5')
    for await (const chunk of await readVersion(parts, version)) hash.update(chunk as Buffer)
    return hash.digest('hex')
  }
  const keep = async (sums: readonly Computed[]): Promise<void> => {
    if (sums.length === 0) return
    await parts.database
      .write(async (unit) => {
        for (const { version, sum } of sums) {
          const { id, digests } = version.blob
          await unit.upkeep.recordDigests(id, { ...digests, md5: sum })
        }
      })
      // They can be computed again.
      .catch(parts.report)
    for (const { version } of sums) computing.delete(version.blob.id)
  }
  const begin = (version: FileVersion): Promise<string> => {
    const { id } = version.blob
    const begun = compute(version)
    computing.set(id, begun)
    begun.catch(() => computing.delete(id))
    return begun
  }
  const known: Md5Sums['known'] = ({ blob }) => blob.digests['md5']
  return {
    known,
    of: async (version) => {
      const sum = known(version) ?? computing.get(version.blob.id)
      if (sum !== undefined) return sum
      const computed = await begin(version)
      await keep([{ version, sum: computed }])
      return computed
    },
    ofAll: async (versions) => {
      const sums: (string | undefined)[] = []
      let computed: readonly Computed[] = []
      for (const version of versions) {
        const found = known(version) ?? computing.get(version.blob.id)
        const sum = await (found ?? begin(version).catch(undefinedWhereDamaged))
        if (found === undefined && sum !== undefined) computed = [...computed, { version, sum }]
        if (computed.length === mostAtOnce) {
          await keep(computed)
          computed = []
        }
        sums.push(sum)
      }
      await keep(computed)
      return sums
    },
  }
}

interface Computed {
  readonly version: FileVersion
  readonly sum: string
}

function undefinedWhereDamaged(error: unknown): undefined {
  if (!isProblem(error, 'damaged_file')) throw error
}
