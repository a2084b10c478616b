import { readFile } from 'node:fs/promises'
import { proveOwner } from '../../core/contract/owner-proof.ts'
import { homeAt } from '../../daemon/home/home.ts'
import { bodyOf, send } from './http.ts'

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

/** Runs an operator's command in the daemon of `home`; answers the lines it prints. */
export async function operateAsOwner(
  origin: string,
  home: string,
  command: string,
  options: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const path = '/local/operator'
  const sent = { headers: await asOwner(origin, home, path), json: { command, options } }
  const reply = await send('POST', origin + path, sent)
  return bodyOf<{ readonly results: readonly string[] }>(reply, 200).results
}
