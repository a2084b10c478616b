import { isJsonObject } from '../../core/base/json.ts'
import { isOpenAt, sayAccess, toFileAccess } from '../../core/contract/file-access.ts'
import type { ProvidedPid } from '../../core/contract/pids.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { plain } from '../plain.ts'
import { wrap } from './print.ts'

/** The title, or `(no title)`. */
export function titleOf({ metadata }: DepositBody): string {
  const title: unknown = Object.entries(metadata).find(([name]) => name === 'title')?.[1]
  return typeof title === 'string' && title !== '' ? plain(title) : '(no title)'
}

export function statusOf({ metadata }: DepositBody): string {
  return plain(metadata._deposit?.status ?? 'unknown')
}

/** As {@link statusOf}, for a person: a record that was withdrawn is published no more. */
export function shownStatus(deposit: DepositBody): string {
  const status = statusOf(deposit)
  const { review } = deposit
  if (status === 'draft' && review) return `${status}, ${review.state}`
  return deposit.withdrawn && status === 'published' ? 'withdrawn' : status
}

/** Names of the actions that the server has. */
export function actionsOf({ links }: DepositBody): readonly string[] {
  return Object.keys(links).filter((name) => links[name]?.endsWith(`/actions/${name}`))
}

/**
 * The identifier that all versions have in common; undefined from older servers, which know none.
 */
export function conceptOf(deposit: DepositBody): string | undefined {
  const { pids } = deposit as {
    readonly pids?: { readonly concept?: { readonly value?: unknown } }
  }
  const value = pids?.concept?.value
  return typeof value === 'string' && /^[A-Za-z0-9][\w.~-]{0,199}$/.test(value) ? value : undefined
}

/** `Files open on 1 May 2027 (00:00 UTC)`, or `Files are restricted`; undefined where they are public. */
export function closedFiles(metadata: Readonly<Record<string, unknown>>): string | undefined {
  const access = toFileAccess(metadata['access'])
  if (isOpenAt(access, new Date().toISOString())) return undefined
  const { reason } = access
  return plain(`Files ${sayAccess(access)}${reason === undefined ? '' : `: ${reason}`}`)
}

/** What was published, and when its files open. */
export function sayPublished({ id, metadata }: DepositBody): string {
  const closed = closedFiles(metadata)
  return `Published ${id}${closed === undefined ? '' : `. ${closed}`}`
}

/** Whether a name is that of all versions: the identifier or DOI of the concept, or an address of it. */
export function isOfAllVersions(given: string, { pids }: DepositBody): boolean {
  const { concept } = pids ?? {}
  const names = [concept?.value, concept?.doi?.value].filter((name) => name !== undefined)
  const text = given.toLowerCase().replace(/\/$/, '')
  return names.some((name) => text === name || text.endsWith(`/${name}`))
}

/** The page of the record; undefined before the first publish. */
export function recordUrl({ links }: DepositBody): string | undefined {
  return links['record_html']
}

/** Metadata for a person: a paragraph for each field, its items indented. */
export function metadataLines(
  metadata: Readonly<Record<string, unknown>>,
  columns: number,
): readonly string[] {
  return Object.entries(metadata).flatMap(([name, value]) => {
    const label = plain(name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '))
    const items = Array.isArray(value) && value.some(isJsonObject) ? value : [value]
    const texts = items.map(toText)
    if (texts.length === 1) return wrap(`${label}: ${texts[0] ?? ''}`, columns)
    return [`${label}:`, ...texts.flatMap((text) => wrap(`  ${text}`, columns))]
  })
}

/** The name first, the other fields behind it in brackets. */
function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(', ')
  if (!isJsonObject(value)) return plain(typeof value === 'string' ? value : JSON.stringify(value))
  const { name, family_name: family, given_name: given, ...rest } = value
  if (typeof name !== 'string') return describe(value)
  const more = describe(family === undefined && given === undefined ? value : rest, 'name')
  return more === '' ? plain(name) : `${plain(name)} (${more})`
}

function describe(value: object, left?: string): string {
  return Object.entries(value)
    .filter(([name]) => name !== left)
    .map(([name, part]) => `${plain(name)}: ${toText(part)}`)
    .join('; ')
}

/**
 * The user's part of metadata: without `_deposit`, which is the server's, and without a `$schema`
 * of null.
 */
export function ownMetadata({
  _deposit: _,
  $schema,
  ...metadata
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return typeof $schema === 'string' ? { ...metadata, $schema } : metadata
}

/** The identifiers that a deposit has from other services, by their kind. */
export function providedPids(deposit: DepositBody): readonly (readonly [string, ProvidedPid])[] {
  // A service of an earlier version tells none.
  const { pids = {} } = deposit as Partial<Pick<DepositBody, 'pids'>>
  return Object.entries(pids).flatMap(([name, pid]) =>
    isProvided(pid) ? [[name, pid] as const] : [],
  )
}

function isProvided(pid: unknown): pid is ProvidedPid {
  return typeof pid === 'object' && pid !== null && 'value' in pid && 'status' in pid
}

/** A DOI with its status; one that resolves is an address, also while a change of it waits. */
export function describePid(pid: ProvidedPid): string {
  if (pid.status === 'registered') return pid.url
  const late = pid.registered === undefined ? undefined : lateChange[pid.status]
  if (late === undefined) return `${pid.value} (${describeStatus(pid)})`
  return `${pid.url} (${withReason(late, pid)})`
}

const lateChange: Partial<Record<ProvidedPid['status'], string>> = {
  pending: 'its last change is on its way to DataCite',
  refused: 'DataCite refuses its last change',
}

/** With the reason, where there is one. */
export function describeStatus(pid: ProvidedPid): string {
  return withReason(pid.status, pid)
}

function withReason(said: string, { message, field }: ProvidedPid): string {
  const where = field === undefined ? '' : ` (${field})`
  return message === undefined ? said : plain(`${said}: ${message}${where}`)
}
