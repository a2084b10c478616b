import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { advice } from '../advice.ts'
import { StartFailure } from '../start-failure.ts'

/** Types of statfs(2) whose locks and syncs SQLite cannot rely on. */
const networkTypes = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9P'],
  [0x65735546, 'FUSE'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x73757245, 'Coda'],
  [0x564c, 'NCP'],
])

/** Name of the network file system that a type of statfs(2) stands for; undefined for a local one. */
export function networkFileSystem(type: number): string | undefined {
  // The type is a signed number on some platforms.
  return networkTypes.get(type >>> 0)
}

/**
 * Looks at the file system that `path` lies on, or would lie on once it is made.
 *
 * @throws {StartFailure} it is one of a network: SQLite would lose data there, silently
 */
export async function requireLocalFileSystem(path: string): Promise<void> {
  if (process.platform !== 'linux') return
  const { type } = await statfs(await nearestExisting(path))
  const name = networkFileSystem(type)
  if (name === undefined) return
  const said = `${path} lies on a network file system (${name}), where the database is not safe.`
  throw new StartFailure('config', said, { next: advice.useLocalDisk() })
}

async function nearestExisting(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  )
  return exists || dirname(path) === path ? path : nearestExisting(dirname(path))
}
