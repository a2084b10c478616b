import type { Description } from '../../core/describe/description.ts'
import type { Copy, RemoteFile, Translation } from './port/repository.ts'
import { objectOf, textOf, type Foreign } from './port/values.ts'

/** Files that are closed at a repository, and that a push would open. */
export interface Opened {
  /** `YYYY-MM-DD`: the day on which they open there by themselves. */
  readonly until: string | undefined
  /** Whether the document says that they are public: a missing line says nothing. */
  readonly isSaid: boolean
}

/** Whether the files would be open there to more people than was sent, or sooner. */
export function isMoreOpen({ metadata }: Translation, there: Copy): boolean {
  const [sent, held] = [accessIn(metadata), accessIn(there.metadata)]
  if (sent?.isClosed !== true || held === undefined) return false
  if (!held.isClosed) return true
  return held.until !== undefined && (sent.until === undefined || held.until < sent.until)
}

/** Whether files that are public there would be closed. */
export function isMoreClosed({ metadata }: Translation, there: Copy): boolean {
  const [sent, held] = [accessIn(metadata), accessIn(there.metadata)]
  return sent?.isClosed === true && held?.isClosed === false && !held.isHidden
}

interface Sent {
  readonly about: Description
  readonly translation: Translation
  /** Whether the metadata are set there. */
  readonly describes: boolean
}

/**
 * What a push would open there; undefined if nothing.
 *
 * @param now ISO 8601, UTC: an embargo that is over closes nothing
 */
export function openedBy(
  { about, translation, describes }: Sent,
  there: Copy,
  {
    isRestricted,
    remove,
  }: { readonly isRestricted: boolean; readonly remove: readonly RemoteFile[] },
  now: string,
): Opened | undefined {
  const [sent, held] = [accessIn(translation.metadata), accessIn(there.metadata)]
  const isSaid = saysOpen(about.document['access'])
  const isOver = held?.until !== undefined && held.until <= now.slice(0, 10)
  const isHeld = held !== undefined && (held.isClosed || held.isHidden) && !isOver
  if (describes && isHeld && sent?.isClosed === false) return { until: held.until, isSaid }
  const kept = there.files.filter((file) => !remove.includes(file))
  const isOpened = !isRestricted && kept.some((file) => file.isRestricted === true)
  return isOpened ? { until: undefined, isSaid } : undefined
}

/** `access: open` is what messages about other words advise. */
function saysOpen(access: unknown): boolean {
  const said = typeof access === 'string' ? access : objectOf(access)['files']
  return typeof said === 'string' && /^\s*(?:open|public)\s*$/i.test(said)
}

/** A part of a sentence about files that are closed. */
export function untilThere(until: string | undefined): string {
  return until === undefined ? '' : ` until ${until}`
}

interface AccessThere {
  readonly isClosed: boolean
  /** The whole record is for some people alone. */
  readonly isHidden: boolean
  /** `YYYY-MM-DD`: the day on which closed files open. */
  readonly until: string | undefined
}

/** In the words of Zenodo, or of InvenioRDM; undefined in those of others. */
function accessIn({ access_right, embargo_date, access }: Foreign): AccessThere | undefined {
  const right = textOf(access_right)
  if (right !== undefined) {
    const until = right === 'embargoed' ? textOf(embargo_date) : undefined
    return { isClosed: right !== 'open', isHidden: false, until }
  }
  const { files, record, embargo } = objectOf(access)
  if (textOf(files) === undefined) return undefined
  const { active, until } = objectOf(embargo)
  return {
    isClosed: files !== 'public',
    isHidden: record === 'restricted',
    until: active === true ? textOf(until) : undefined,
  }
}
