import type { DepositBody } from '../../core/contract/schemas.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { plain } from '../plain.ts'
import type { CliContext } from '../session/context.ts'
import type { FolderOptions, Options, Standing } from './find-standings.ts'
import { readRemotes } from './remotes.ts'

/** Where a deposit went, or another version of it: nowhere without a remote, as most users are. */
export async function standingsOfDeposit(
  context: CliContext,
  client: DepositClient,
  deposit: DepositBody,
  options: Options = {},
): Promise<readonly Standing[]> {
  const remotes = await readRemotes(context)
  if (remotes.length === 0) return []
  const { findOfDeposit } = await import('./find-standings.ts')
  return findOfDeposit({ context, remotes }, client, deposit, options)
}

/** Where a folder went that knows no deposit. */
export async function standingsOfFolder(
  context: CliContext,
  dir: string,
  options: FolderOptions,
): Promise<readonly Standing[]> {
  const remotes = await readRemotes(context)
  if (remotes.length === 0) return []
  const { findOfFolder } = await import('./find-standings.ts')
  return findOfFolder({ context, remotes }, dir, options)
}

/** `Pushed: zenodo, published as 10.5281/zenodo.12, level when last pushed, 2026-11-24`. */
export function describeStanding(standing: Standing): string {
  const { name, status, url, doi, after } = standing
  const draft = after === null ? 'a draft' : `a draft of a new version of ${after}`
  const as = status === 'published' ? `published as ${doi ?? url}` : `${draft}, ${url}`
  return `Pushed: ${name}, ${as}, ${describeLevel(standing)}`
}

/** The same of a record that was withdrawn here. */
export function describeCopy(standing: Standing): string {
  const { name, status, url, doi, there } = standing
  if (status !== 'published' || isGone(there)) return describeStanding(standing)
  return `Pushed: ${name}, published as ${doi ?? url}, and public there still`
}

/** Whether the repository was asked, and nobody reads the copy there any more. */
export function isGone(there: Standing['there']): boolean {
  return there?.state === 'missing' || there?.state === 'withdrawn'
}

function describeLevel({ level, pushed, there, status, begun }: Standing): string {
  const when = pushed === null ? 'when last pushed' : `when last pushed, ${pushed.slice(0, 10)}`
  if (there?.state === 'missing') return 'which is not there any more'
  if (there?.state === 'edited') return 'which is being edited there, and not by a push'
  if (there?.state === 'withdrawn')
    return `which was withdrawn there ${plain(there.message ?? '')}`.trimEnd()
  if (there?.state === 'changed') return 'whose files were changed there'
  if (status === 'published' && begun !== null) return `with a ${begun} there that is not published`
  if (!level) return 'which is behind'
  if (there?.state === 'same') return 'level'
  const said = there?.message ? ` (could not ask now: ${plain(there.message)})` : ''
  return `level ${when}${said}`
}
