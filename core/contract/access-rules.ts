import { isFields, literal, type Fields } from './access-names.ts'
import { nearest } from './nearest.ts'
import {
  endNamedIn,
  firstDayOf,
  flagIn,
  isBlank,
  isGrade,
  isLimitedAvailability,
  isLimitedTerm,
  isLimitedText,
  isNone,
  isOpenText,
  isWay,
  lastDayOf,
  limitInTexts,
  sayOf,
  startNamedIn,
  textsIn,
  wordOf,
  type Limited,
} from './access-words.ts'
import { embargoed, limitOfEmbargo, type Context, type Rule } from './access-embargo.ts'

/** Ours, `{files, until}`, and InvenioRDM's, `{record, files, status, embargo: {active, until}}`. */
export function limitOfAccess(value: unknown, context: Context): Limited | undefined {
  if (Array.isArray(value)) {
    const limits = value.filter(isFields).flatMap((item) => limitOfAccess(item, context) ?? [])
    return limits[0] ?? limitOfRight(value, context)
  }
  // "No access", or nothing to say of it.
  if (/^(?:none|n\/?a|nil|not applicable|-)\.?$/i.test(wordOf(value))) return { word: sayOf(value) }
  if (!isFields(value)) return limitOfRight(value, context)
  // `file` is what people write for `files`, and has no other effect.
  const fields = inSmallLetters(value)
  const { record, file, files = file, status, level, type, until, embargo } = fields
  // One level only: objects may nest the same name without end.
  const inner = [record, files]
    .filter(isFields)
    .flatMap((part) => limitOfEmbargo(part['until'], { ...context, end: () => undefined }) ?? [])
  if (inner[0] !== undefined) return inner[0]
  if (!isOpen(record, context)) return { word: sayOf(record) }
  const end =
    until ?? misspeltDay(fields, context) ?? (isFields(embargo) ? embargo['until'] : undefined)
  const word =
    [status, files, level, type].find((part) => !isOpen(part, context)) ?? misspeltWord(fields)
  if (word !== undefined) return embargoed(sayOf(word), lastDayOf(end), context)
  return limitOfEmbargo(until, { ...context, end: () => undefined })
}

/** `{Files: restricted}`: the same fields, by names as they are documented. */
function inSmallLetters(value: Fields): Fields {
  const fields = Object.entries(value).map(([name, field]) => [name.trim().toLowerCase(), field])
  return { ...(Object.fromEntries(fields) as Fields), ...value }
}

/** `{fils: restricted}`, `{dateien: gesperrt}`: what is said under a name that is none of the known ones. */
function misspeltWord({ reason: _, right: __, ...value }: Fields): unknown {
  return Object.values(value).find((field) => typeof field === 'string' && isLimitedTerm(field))
}

/** A day to come under a name like `until` or `restricted_until`, for the message: nothing is open because of it. */
function misspeltDay(value: Fields, { today }: Context): unknown {
  const [, day] =
    Object.entries(value).find(
      ([name]) => nearest(name, ['until']) !== undefined || /(?:until|till|bis)$/i.test(name),
    ) ?? []
  const last = lastDayOf(day)
  return last !== undefined && last > today ? day : undefined
}

/** Zenodo's `access_right`: only `embargoed` ends, on the `embargo_date`. */
export function limitOfRight(value: unknown, context: Context): Limited | undefined {
  if (typeof value === 'object') return limitOfList(value, context)
  const word = sayOf(value)
  const start = startNamedIn(word)
  if (start !== undefined && start > context.today) return { word, until: start }
  if (isOpen(value, context)) return undefined
  const end = endNamedIn(word)
  if (end !== undefined) return embargoed(word, end, context)
  return /embargo/i.test(word) ? embargoed(word, context.end(), context) : { word }
}

/** `published: later`. */
export function limitOfLater(value: unknown): Limited | undefined {
  const isLater =
    /^(?:never|next|not yet|pending|tba|tbd|later|soon|no,|später|noch nicht|plus tard|más tarde)(?!\w)/i.test(
      wordOf(value),
    )
  return isLater ? { word: sayOf(value) } : undefined
}

export function limitOfAvailable(value: unknown, { today }: Context): Limited | undefined {
  const later = limitOfLater(value)
  if (later) return later
  if (typeof value !== 'number' && flagIn(value) === false) return { word: 'not available' }
  const until = firstDayOf(value)
  return until !== undefined && until > today ? { word: 'not yet available', until } : undefined
}

/** A day, and not a version: `2.1`, `2027.1`. */
export function limitOfRelease(value: unknown, context: Context): Limited | undefined {
  const isVersion = /^\d{4}\.\d{1,2}$/.test(wordOf(value))
  return (isVersion ? undefined : limitOfAvailable(value, context)) ?? limitOfTerms(value, context)
}

/** A date that cannot be read may be in the future. */
export function limitOfDate(value: unknown, context: Context): Limited | undefined {
  if (isNone(value) || isOpen(value, context)) return undefined
  return firstDayOf(value) === undefined
    ? { word: 'not yet available' }
    : limitOfAvailable(value, context)
}

/** DataCite: the date `available` in the future is the end of an embargo. */
export function limitOfDates(value: unknown, context: Context): Limited | undefined {
  return (Array.isArray(value) ? value : [value])
    .filter(isFields)
    .filter(({ type, dateType }) =>
      textsIn([type, dateType]).some((text) => /^available$/i.test(text.trim())),
    )
    .flatMap(({ date }) => limitOfDate(date, context) ?? [])[0]
}

export function flag(word: string): Rule {
  return (value) => (isNone(value) ? undefined : { word })
}

/** A flag that means public files unless it is false. */
export function openFlag(word: string): Rule {
  return (value, context) => {
    if (typeof value === 'object' || isBlank(value) || flagIn(value) === true) return undefined
    if (isNone(value)) return { word }
    const until = firstDayOf(value)
    if (until !== undefined) return embargoed(sayOf(value), until, context)
    // A number is an amount.
    return typeof value === 'number' ? undefined : limitOfRight(value, context)
  }
}

/** A name of other things, too: only a tick counts. */
export function tick(word: string): Rule {
  return (value) => (flagIn(value) === true ? { word } : undefined)
}

/** Traffic Light Protocol: only white and clear may go to everybody. */
export function limitOfTlp(value: unknown): Limited | undefined {
  if (typeof value === 'object' || isBlank(value)) return undefined
  return /^(?:tlp ?:? ?)?(?:white|clear)$/i.test(wordOf(value)) ? undefined : { word: sayOf(value) }
}

/** Horizon's levels: PU is public. */
export function limitOfDissemination(value: unknown, context: Context): Limited | undefined {
  return typeof value === 'object' ? limitOfGrade(value) : limitOfRight(value, context)
}

/** Of a sensor, it is a number with a unit. */
export function limitOfSensitivity(value: unknown, context: Context): Limited | undefined {
  const isAmount = /^[<>≤≥~≈±+-]* *\d/.test(wordOf(value)) && lastDayOf(value) === undefined
  return isAmount ? undefined : limitOfNamed(value, context)
}

/** A past day is one of the data: of a shop, or a survey. */
export function limitOfClosed(value: unknown, { today }: Context): Limited | undefined {
  return isNone(value) || (lastDayOf(value) ?? today) < today ? undefined : { word: 'closed' }
}

/** ISO 19115: `license` and the like say why, not who. */
export function limitOfConstraints(value: unknown, context: Context): Limited | undefined {
  const isLimited = (text: string): boolean => /^(?:sbu|in-?confidence)$/i.test(text.trim())
  return limitInTexts(value, context.today, isLimited) ?? limitOfConditions(value, context)
}

/** A statement of availability in sentences. */
export function limitOfAvailability(value: unknown, context: Context): Limited | undefined {
  return (
    limitOfConditions(value, context) ?? limitInTexts(value, context.today, isLimitedAvailability)
  )
}

/** A field whose name is of access alone: its whole text is to be understood as open. */
export function limitOfNamed(value: unknown, context: Context): Limited | undefined {
  if (flagIn(value) === true || typeof value === 'number') return undefined
  return limitOfRight(value, context)
}

export function limitOfRestriction(value: unknown, context: Context): Limited | undefined {
  return isNone(value) ? undefined : limitOfNamed(value, context)
}

/** Checks each text of an object: a `classification` may have further fields. */
export function limitOfGrade(value: unknown): Limited | undefined {
  const parts = (Array.isArray(value) ? value : [value]).flatMap((part: unknown) =>
    isFields(part)
      ? ['audienceType', 'level', 'name', 'type'].map((name) => part[name])
      : [literal(part)],
  )
  const word = parts.find((part) => typeof part === 'string' && isGrade(part))
  return word === undefined ? undefined : { word: sayOf(word) }
}

export function limitOfConditions(value: unknown, { today }: Context): Limited | undefined {
  const limit = limitInTexts(value, today, isLimitedText)
  if (limit !== undefined) return limit
  const later = textsIn(value).find((text) => (startNamedIn(text) ?? '') > today)
  return later === undefined ? undefined : { word: sayOf(later) }
}

/** Each text of a list counts as one that stands alone, and so does an `{"@id": …}`. */
function limitOfList(value: unknown, context: Context): Limited | undefined {
  const parts = (Array.isArray(value) ? value : [value]).flatMap((part: unknown) =>
    isFields(part) ? [part['@id'], part['id']] : [literal(part)],
  )
  const texts = parts.filter((part) => typeof part === 'string')
  return (
    texts.flatMap((text) => limitOfRight(text, context) ?? [])[0] ??
    limitOfConditions(value, context)
  )
}

export function limitOfTerms(value: unknown, { today }: Context): Limited | undefined {
  return limitInTexts(value, today, isLimitedTerm)
}

function isOpen(value: unknown, context: Context): boolean {
  return typeof value === 'object'
    ? limitOfConditions(value, context) === undefined
    : isBlank(value) ||
        flagIn(value) === true ||
        /^(?:none|n\/?a)\.?$/i.test(wordOf(value)) ||
        isOpenText(wordOf(value), context.today) ||
        isWay(wordOf(value))
}
