import { resolve } from 'node:path'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import type { CliContext } from '../session/context.ts'
import type { Journaled } from './journaled.ts'
import { markFolder } from './moved-folder.ts'
import { placeOf } from './place.ts'
import { digestOfSource, readPushed } from './push-journal.ts'
import { readRemotes } from './remotes.ts'
import { fromDeposit, fromFolder, keyOf, keyOfFolder, markerOf, type Source } from './source.ts'

/** Where a deposit went: as the journals of this user have it, without asking anybody. */
export interface Standing {
  /** The remote, as the user named it. */
  readonly name: string
  readonly status: 'draft' | 'published'
  readonly url: string
  readonly doi: string | null
  /** False where metadata or files have changed since, or another version was pushed. */
  readonly level: boolean
}

/** Where a deposit went, or another version of it. */
export function standingsOfDeposit(
  context: CliContext,
  client: DepositClient,
  deposit: DepositBody,
): Promise<readonly Standing[]> {
  const pushed = { key: keyOf(client, deposit), marker: markerOf(deposit.id) }
  return standingsOf(context, pushed, () => fromDeposit(client, deposit, deposit.id))
}

/** Where a folder went that knows no deposit. */
export async function standingsOfFolder(
  context: CliContext,
  dir: string,
  options: Parameters<typeof fromFolder>[2],
): Promise<readonly Standing[]> {
  const folder = { ...(await markFolder(resolve(context.folder, dir), '')), files: [] }
  const pushed = { key: keyOfFolder(context, dir), folder, marker: undefined }
  return standingsOf(context, pushed, () => fromFolder(context, dir, options))
}

/** @param load called if it was pushed at all */
async function standingsOf(
  context: CliContext,
  { marker: own, ...journaled }: Journaled & Pick<Source, 'marker'>,
  load: () => Promise<Source>,
): Promise<readonly Standing[]> {
  const remotes = await readRemotes(context)
  const pushed = await Promise.all(
    remotes.map(async (remote) => ({
      name: remote.name,
      versions: await readPushed(context, placeOf({ remote }), journaled),
    })),
  )
  const found = pushed.filter(({ versions }) => versions.some(({ url }) => url !== undefined))
  if (found.length === 0) return []
  const { about, files } = await load()
  return found.flatMap(({ name, versions }) => {
    const last = versions.findLast(({ url }) => url !== undefined)
    const current = versions.find(({ marker }) => marker === own) ?? last
    if (current?.url === undefined) return []
    const { published, url, doi = null, marker } = current
    const isSame = current.source === digestOfSource(about, files, versions)
    const level = isSame && (own === undefined || marker === own)
    return [{ name, status: published ? 'published' : 'draft', url, doi, level } as const]
  })
}

/** `Pushed: zenodo, published as 10.5281/zenodo.12, level`. */
export function describeStanding({ name, status, url, doi, level }: Standing): string {
  const as = status === 'published' ? `published as ${doi ?? url}` : `a draft, ${url}`
  return `Pushed: ${name}, ${as}, ${level ? 'level' : 'which is behind'}`
}
