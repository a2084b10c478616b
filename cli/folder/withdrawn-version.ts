import { isForTheBytes, reasonInWords } from '../../core/contract/defaults.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice, type Advice } from '../advice.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { recordUrl } from '../output/deposit-facts.ts'
import { plain } from '../plain.ts'

/** A version of a record that was withdrawn. */
export interface WithdrawnVersion {
  /** Its page. */
  readonly url: string
  /** ISO 8601, UTC. */
  readonly at: string
  readonly reason: string
  /** The deposit, where it can be restored. */
  readonly restorable?: string
}

/**
 * The version after which the next one would be published, where it was withdrawn: the one that was
 * published last, or one of `known`. A service of an earlier version tells the latter alone.
 *
 * @param of any version of the record, or a draft of the next one
 */
export async function findWithdrawn(
  client: DepositClient,
  of: DepositBody,
  known: readonly (DepositBody | undefined)[] = [],
): Promise<WithdrawnVersion | undefined> {
  const isFirst = recordUrl(of) === undefined && of.links['previous_version'] === undefined
  const last = isFirst ? undefined : (await client.rehearse(of.id)).withdrawn_version
  const own = [of, ...known].flatMap((deposit) => withdrawnOf(deposit) ?? [])
  const [first] = own
  return last === undefined ? first : (own.find(({ url }) => url === last.url) ?? last)
}

/** Undefined where it was not withdrawn. */
export function withdrawnOf(deposit: DepositBody | undefined): WithdrawnVersion | undefined {
  if (!deposit?.withdrawn) return undefined
  const { at, reason, bytes_destroyed: isDestroyed } = deposit.withdrawn
  const url = recordUrl(deposit) ?? deposit.id
  return { url, at, reason, ...(!isDestroyed && { restorable: deposit.id }) }
}

/** `http://…/records/vd6h7-jb882 was withdrawn on 2026-11-28 (it has personal data)`. */
export function sayWithdrawn({ url, at, reason }: WithdrawnVersion): string {
  return `${plain(url)} was withdrawn on ${at.slice(0, 10)} (${reasonOf(reason)})`
}

/** Notes for a rehearsal of the next version: only the service knows which files were destroyed. */
export function notesOf(withdrawn: WithdrawnVersion): readonly string[] {
  const said = sayWithdrawn(withdrawn)
  if (withdrawn.restorable !== undefined || !isForTheBytes(withdrawn.reason)) return [said]
  return [said, 'if its files were destroyed, a version that has just these is refused']
}

/** A newer service may know more of them. */
export function reasonOf(reason: string): string {
  const said = new Map<string, string>(Object.entries(reasonInWords)).get(reason)
  return said ?? plain(reason)
}

/**
 * What was withdrawn is published again only by somebody who names it: a pipeline that repeats its
 * command does not know of the withdrawal, and its next one is another one.
 *
 * @param named the record that the user says the version comes after
 * @param command of the release, without that name
 * @throws {Failure} it is not named, or another one is
 */
export function requireNamed(
  withdrawn: WithdrawnVersion,
  named: string | undefined,
  { tried, command }: { readonly tried: string; readonly command: string },
): void {
  if (named !== undefined && nameOf(named) === nameOf(withdrawn.url)) return
  const said = `${sayWithdrawn(withdrawn)}, and what it had may still be in the folder`
  const next = wayOn(withdrawn, command)
  throw new Failure({ tried, said, next }, { exitCode: exitCodes.refused })
}

function wayOn({ url, restorable }: WithdrawnVersion, command: string): Advice {
  const value = nameOf(url)
  return restorable === undefined
    ? advice.releaseAfter(command, value)
    : advice.releaseOrRestore(command, value, restorable)
}

/** The identifier at the end of an address or a DOI. */
function nameOf(text: string): string {
  return text.toLowerCase().replace(/\/$/, '').split('/').at(-1) ?? ''
}
