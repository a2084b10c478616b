import { safeKey } from '../../../../core/contract/file-key.ts'
import type { DepositFile } from '../api/files.ts'
import type { Source } from './drop-zone.tsx'

/** Bytes of the largest file that is compared: a browser needs all of it in memory. */
const mostBytes = 256 * 1024 * 1024

/**
 * Those of `sources` that the deposit does not have under the same name with the same bytes.
 *
 * @param shown files of the deposit, as the page knows them
 * @param list asks for them anew; only if some may be the same
 */
export async function leaveOutUnchanged(
  sources: readonly Source[],
  shown: readonly DepositFile[],
  list: () => Promise<readonly DepositFile[]>,
): Promise<readonly Source[]> {
  const known = byName(shown)
  if (!sources.some((source) => hasSize(source, known))) return sources
  const present = byName(await list())
  const changed: Source[] = []
  for (const source of sources) if (!(await isSame(source, present))) changed.push(source)
  return changed
}

type Present = ReadonlyMap<string, DepositFile>

function byName(files: readonly DepositFile[]): Present {
  return new Map(files.map((file) => [file.filename, file]))
}

/** The file of its name, where it has as many bytes. */
function hasSize({ path, file }: Source, present: Present): DepositFile | undefined {
  const safe = safeKey(path)
  const found = 'key' in safe ? present.get(safe.key) : undefined
  return found?.filesize === file.size ? found : undefined
}

async function isSame(source: Source, present: Present): Promise<boolean> {
  const found = hasSize(source, present)
  // Without a secure connection a browser computes no digest.
  if (!found || source.file.size > mostBytes || !isSecureContext) return false
  try {
    const digest = await crypto.subtle.digest('SHA-256', await source.file.arrayBuffer())
    const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'))
    return found.checksum === `sha256:${hex.join('')}`
  } catch {
    // It cannot be read: its upload tells.
    return false
  }
}
