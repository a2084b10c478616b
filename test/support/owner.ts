import { readFile } from 'node:fs/promises'
import { proveOwner } from '../../core/contract/owner-proof.ts'
import { homeAt } from '../../daemon/home/home.ts'

/** Headers of a POST to `path` by the owner of `home`. */
export async function asOwner(
  origin: string,
  home: string,
  path: string,
): Promise<Readonly<Record<string, string>>> {
  const key = (await readFile(homeAt(home).ownerKey, 'utf8')).trim()
  const { host } = new URL(origin)
  return { authorization: proveOwner(key, { method: 'POST', path, host }) }
}
