import { isPartialDate } from './metadata-formats.ts'

/**
 * The field `access` of a document: who may have the files of its record. Metadata are always public.
 *
 * @see Publication §7
 */
export interface FileAccess {
  readonly files: 'public' | 'restricted'
  /** `YYYY-MM-DD`: restricted files are public from the beginning of this day, UTC. */
  readonly until?: string
  readonly reason?: string
}

const openAccess: FileAccess = { files: 'public' }

/** Fields of `access`; an object with others is another service's. */
const ownFields: ReadonlySet<string> = new Set(['files', 'until', 'reason'])

/**
 * Reads a field `access`. Files are public unless it says `files: restricted`; a day that is none
 * never comes.
 */
export function toFileAccess(value: unknown): FileAccess {
  if (!isObject(value) || value['files'] !== 'restricted') return openAccess
  const { until, reason } = value
  return {
    files: 'restricted',
    ...(isDay(until) && { until }),
    ...(typeof reason === 'string' && reason.trim() !== '' && { reason: reason.trim() }),
  }
}

/** Whether files are public at a moment. @param now ISO 8601, UTC */
export function isOpenAt({ files, until }: FileAccess, now: string): boolean {
  return files === 'public' || (until !== undefined && until <= now.slice(0, 10))
}

/** A fault of the field, at a JSON pointer. */
interface AccessFault {
  readonly field: string
  readonly message: string
  /** `YYYY-MM-DD`: the day that it names. */
  readonly until?: string
}

/** True for an object in our words, right or wrong, an empty one too: it has no other service's fields. */
export function isOwnAccess(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isObject(value)) return false
  const { files = '' } = value
  const names = Object.keys(value)
  return typeof files === 'string' && names.every((name) => ownFields.has(name))
}

/**
 * What is wrong in an `access` in our words; nothing in any other.
 *
 * @param now ISO 8601, UTC
 */
export function findAccessFaults(value: unknown, now: string): readonly AccessFault[] {
  if (!isOwnAccess(value)) return []
  const { files, until, reason } = value
  const faults: AccessFault[] = []
  const isLater = isDay(until) && until > now.slice(0, 10)
  const day = isLater ? `, until: ${until}` : ''
  const named = isLater ? { until } : {}
  // `until` alone, in the past, closes nothing.
  const isOver = files === undefined && isDay(until) && !isLater
  if (files !== 'public' && files !== 'restricted' && !isOver) {
    const is = files === undefined ? 'is missing' : `is ${JSON.stringify(files)?.slice(0, 60)}`
    faults.push({
      field: '/access/files',
      message: `files ${is}: write access: {files: restricted${day}}, or access: {files: public}`,
      ...named,
    })
  }
  if (until !== undefined && !isDay(until)) {
    const said = JSON.stringify(until)?.slice(0, 60)
    faults.push({
      field: '/access/until',
      message: `until is ${said}, which is no day: write the first day on which everybody may have the files, as 2027-05-01`,
    })
  }
  if (files === 'public' && isLater) {
    faults.push({
      field: '/access/until',
      message: `the files are said to be public, and to be closed until ${until}: write files: restricted, or remove until`,
      ...named,
    })
  }
  if (reason !== undefined && typeof reason !== 'string') {
    faults.push({ field: '/access/reason', message: 'reason is a text' })
  }
  return faults
}

/**
 * The fault of restricted files whose day has come before anything was published: its year may be
 * mistyped.
 *
 * @param now ISO 8601, UTC
 */
export function findPastUntil(value: unknown, now: string): AccessFault | undefined {
  if (!isOwnAccess(value)) return undefined
  const access = toFileAccess(value)
  const { files, until } = access
  if (files !== 'restricted' || until === undefined || !isOpenAt(access, now)) return undefined
  const when = until === now.slice(0, 10) ? 'today' : 'past'
  const message =
    `until is ${until}, which is ${when}: the files would be public at once. To keep them closed, ` +
    'write a day to come, or leave until out. If they are open, write access: {files: public}'
  return { field: '/access/until', message, until }
}

/** `open on 1 May 2027 (00:00 UTC)`, `are restricted`: after "The files of this record". */
export function sayAccess({ until }: { readonly until?: string | undefined }): string {
  return until === undefined ? 'are restricted' : `open on ${sayDay(until)} (00:00 UTC)`
}

/** `1 May 2027`. @param day `YYYY-MM-DD` */
export function sayDay(day: string): string {
  const options = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const
  return new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', options)
}

/** `YYYY-MM-DD`, of a day that exists. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && isPartialDate(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
