import { createHash } from 'node:crypto'
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
  /** The sum where it is known without reading. */
  readonly known: (version: FileVersion) => string | undefined
}

export function createMd5Sums(parts: Parts): Md5Sums {
  /** Those being computed: each is read once, however many ask. */
  const computing = new Map<BlobId, Promise<string>>()
  const compute = async (version: FileVersion): Promise<string> => {
    const hash = createHash('md5')
    for await (const chunk of await readVersion(parts, version)) hash.update(chunk as Buffer)
    const sum = hash.digest('hex')
    const { id, digests } = version.blob
    await parts.database
      .write((unit) => unit.upkeep.recordDigests(id, { ...digests, md5: sum }))
      // It can be computed again.
      .catch(parts.report)
    return sum
  }
  const known: Md5Sums['known'] = ({ blob }) => blob.digests['md5']
  return {
    known,
    of: (version) => {
      const sum = known(version)
      if (sum !== undefined) return Promise.resolve(sum)
      const { id } = version.blob
      const begun = computing.get(id) ?? compute(version).finally(() => computing.delete(id))
      computing.set(id, begun)
      return begun
    },
  }
}
