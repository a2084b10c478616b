import {
  containers,
  endIn,
  fieldsIn,
  generalNames,
  isFields,
  isForeign,
  knowing,
  literal,
  plainName,
  releaseName,
  type Field,
  type Fields,
} from './access-names.ts'
import {
  firstDayOf,
  isBlank,
  isLimitedTerm,
  isLimitedText,
  isNone,
  isOpenText,
  isOverText,
  lastDayOf,
  sayOf,
  textsIn,
  wordOf,
} from './access-words.ts'
import { nearest } from './nearest.ts'
import { childPointer } from './json-pointer.ts'
import type { SchemaFault } from './schema-fault.ts'

/** A field by which a document says that its files are not for everybody. */
export interface AccessLimit extends SchemaFault {
  /** `YYYY-MM-DD`: the day on which they are. */
  readonly until?: string
}

interface Context {
  readonly today: string
  /** The last day of an embargo that the fields beside this one name. */
  readonly end: () => string | undefined
}

type Rule = (value: unknown, context: Context) => Limited | undefined
interface Limited {
  /** `embargoed`, `restricted`: the document's own word. */
  readonly word: string
  readonly until?: string
}

/** More help nobody. */
const maxLimits = 100

/**
 * Fields that say the same wherever they stand, by their names in Zenodo's and InvenioRDM's
 * metadata, in CodeMeta, DataCite, DCAT, Dataverse and ours. How a name is written does not count:
 * {@link plainName}.
 */
const rules: Readonly<Record<string, Rule>> = {
  accessconditions: limitOfConditions,
  accessfiles: limitOfRight,
  accesslevel: limitOfRight,
  accessright: limitOfRight,
  accessrights: limitOfRight,
  accessstatus: limitOfRight,
  accesstype: limitOfRight,
  conditionsofaccess: limitOfConditions,
  dateavailable: limitOfDate,
  termsofaccess: limitOfConditions,
}

/** Fields whose names mean other things, too, below those that are not {@link containers}. */
const ownRules: Readonly<Record<string, Rule>> = {
  access: limitOfAccess,
  available: limitOfAvailable,
  closed: flag('closed'),
  closedaccess: flag('closed access'),
  confidential: flag('confidential'),
  date: limitOfDates,
  dates: limitOfDates,
  isaccessibleforfree: openFlag('not for free'),
  licence: limitOfTerms,
  license: limitOfTerms,
  licenses: limitOfTerms,
  nonpublic: flag('not public'),
  open: openFlag('not open'),
  openaccess: openFlag('not open access'),
  private: flag('private'),
  public: openFlag('not public'),
  restricted: flag('restricted'),
  restrictedaccess: flag('restricted access'),
  right: limitOfRight,
  rights: limitOfTerms,
  rightslist: limitOfTerms,
  visibility: limitOfVisibility,
}

/** Every field that speaks of an embargo is one, unless it says that it is over or none. */
function ruleOf(plain: string, isOwn: boolean): Rule | undefined {
  return isOwn ? ownRuleOf(plain) : commonRuleOf(plain)
}

const commonRuleOf = knowing((plain): Rule | undefined => {
  if (Object.hasOwn(rules, plain)) return rules[plain]
  return /embargo|sperrfrist/.test(plain) ? embargoRuleOf(plain) : undefined
})

const ownRuleOf = knowing((plain): Rule | undefined => {
  const common = commonRuleOf(plain)
  if (common) return common
  if (releaseName.test(plain)) return limitOfAvailable
  const name = Object.hasOwn(ownRules, plain) ? plain : plain.replace(/^is/, '')
  return Object.hasOwn(ownRules, name) ? ownRules[name] : undefined
})

/** Names in which a typing error may publish nothing, where the fields are few enough to compare each. */
const guarded = [...Object.keys(rules), 'embargo', 'embargodate', 'embargountil', 'isembargoed']
const mostGuessed = 1000

/** `acces_right: restricted`, `embago_date: 2030-01-01`, and `embargoed` under any name. */
function misspeltRule(plain: string, value: unknown): Rule | undefined {
  const word = wordOf(value)
  if (/^embargo(?:ed)?(?: access)?$/i.test(word)) return limitOfRight
  if (!isLimitedTerm(word) && lastDayOf(value) === undefined && value !== true) return undefined
  const near = nearest(plain, guarded, plain.length < 7 ? 1 : 2)
  return near === undefined ? undefined : ruleOf(near, true)
}

function embargoRuleOf(plain: string): Rule {
  if (/^(?:no|not|non)embargo|(?:ended|expired|lifted|over)$/.test(plain)) {
    return limitOfEndedEmbargo
  }
  return /start|begin|from|reason|note|period|duration|length|days|months|years/.test(plain)
    ? limitOfEmbargoDetail
    : limitOfEmbargo
}

/** Fields that say who may have the files, in whichever schema. */
export function isAccessField(name: string): boolean {
  const plain = plainName(name)
  return ruleOf(plain, true) !== undefined && !generalNames.includes(plain)
}

/**
 * Everything in which `document` says that its files are embargoed, restricted or closed: publishing
 * makes them public, and cannot be taken back. An embargo that is over is none.
 *
 * @param now ISO 8601, in UTC
 * @see Publication §7
 */
export function findAccessLimits(document: Fields, now: string): readonly AccessLimit[] {
  return [...limitsIn(document, now.slice(0, 10)).take(maxLimits)].map(
    ([field, { word, until }]) => {
      const day = until === undefined ? '' : ` until ${until}`
      const wait = until === undefined ? '' : 'publish after that day, or '
      const message =
        `The metadata say ${JSON.stringify(word)}${day}, and publishing makes the files public: ` +
        `${wait}remove the field if the files may be public.`
      return { field, message, ...(until === undefined ? {} : { until }) }
    },
  )
}

interface Part {
  readonly pointer: string
  readonly value: unknown
  /** Speaks of the document itself. */
  readonly isOwn: boolean
  /** A field of the name `access`. */
  readonly isAccess: boolean
}

/** Outer fields first; each part is looked at once, however deep the document is. */
function* limitsIn(
  document: Fields,
  today: string,
): Generator<readonly [string, Limited], undefined, undefined> {
  const parts: Part[] = [{ pointer: '', value: document, isOwn: true, isAccess: false }]
  for (const { pointer, value, isOwn, isAccess } of parts) {
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) {
        if (typeof item === 'object') {
          parts.push({ pointer: childPointer(pointer, at), value: item, isOwn, isAccess })
        }
      }
    }
    const fields = fieldsIn(pointer, value)
    if (fields.length === 0) continue
    const ends = isAccess ? ['until'] : []
    const context = { today, end: once(() => endOfEmbargo(fields, ends)) }
    const mayGuess = pointer === '' && fields.length <= mostGuessed
    for (const [below, plain, field] of fields) {
      const rule = ruleOf(plain, isOwn) ?? (mayGuess ? misspeltRule(plain, field) : undefined)
      const limit = rule?.(literal(field), context)
      if (limit !== undefined) yield [below, limit]
      else if (typeof field === 'object' && !isForeign(plain, field)) {
        const isInner = isOwn && containers.test(plain)
        const isAccess = plain === 'access'
        parts.push({ pointer: below, value: field, isOwn: isInner, isAccess })
      }
    }
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

/**
 * Undefined, too, where a field that should name it cannot be read.
 *
 * @param ends names of fields here that name it, besides those that speak of an embargo
 */
function endOfEmbargo(fields: readonly Field[], ends: readonly string[]): string | undefined {
  const isEmbargo = (plain: string): boolean =>
    plain.includes('embargo') && embargoRuleOf(plain) === limitOfEmbargo
  const days = fields
    .filter(([, plain]) => isEmbargo(plain) || ends.includes(plain))
    .map(([, plain, value]) => [plain, endIn(literal(value))] as const)
    .filter(([plain, value]) => !isNone(value) && (endName.test(plain) || lastDayOf(value)))
    .map(([, value]) => lastDayOf(value) ?? '')
  return days.includes('') ? undefined : days.toSorted().at(-1)
}

/** Ours, `{files, until}`, and InvenioRDM's, `{record, files, status, embargo: {active, until}}`. */
function limitOfAccess(value: unknown, context: Context): Limited | undefined {
  if (Array.isArray(value)) {
    const limits = value.filter(isFields).flatMap((item) => limitOfAccess(item, context) ?? [])
    return limits[0] ?? limitOfRight(value, context)
  }
  if (!isFields(value)) return limitOfRight(value, context)
  const { record, files, status, level, type, until, embargo } = value
  // One level: an object may have the same name within itself, again and again.
  const inner = [record, files]
    .filter(isFields)
    .flatMap((part) => limitOfEmbargo(part['until'], { ...context, end: () => undefined }) ?? [])
  if (inner[0] !== undefined) return inner[0]
  if (!isOpen(record)) return { word: sayOf(record) }
  const end = until ?? (isFields(embargo) ? embargo['until'] : undefined)
  const word = [status, files, level, type].find((part) => !isOpen(part))
  if (word !== undefined) return embargoed(sayOf(word), lastDayOf(end), context)
  return limitOfEmbargo(until, { ...context, end: () => undefined })
}

/** Zenodo's `access_right`: only `embargoed` ends, on the `embargo_date`. */
function limitOfRight(value: unknown, context: Context): Limited | undefined {
  if (typeof value === 'object') return limitOfConditions(value)
  if (isOpen(value)) return undefined
  const word = sayOf(value)
  return /embargo/i.test(word) ? embargoed(word, context.end(), context) : { word }
}

const endName = /until|end|date|available|lift|expir|release/
const otherDate = /start|begin|from|created|updated|modified|granted/

/** A date, `true`, or InvenioRDM's `{active, until}`. */
function limitOfEmbargo(value: unknown, context: Context): Limited | undefined {
  const parts = isFields(value)
    ? Object.entries(value).map(([name, part]) => [plainName(name), part] as const)
    : [['until', value] as const]
  if (parts.some(([name, part]) => name === 'active' && isNone(part))) return undefined
  const said = parts.filter(([name, part]) => !isNone(part) && !otherDate.test(name))
  if (parts.every(([, part]) => isNone(part))) return undefined
  const named = said.filter(([name]) => endName.test(name))
  const ends = (named.length > 0 ? named : said).flatMap(([, part]): readonly unknown[] =>
    Array.isArray(part) ? part : [part],
  )
  const unread = ends.filter((end) => lastDayOf(end) === undefined)
  if (unread.length === 0 && ends.length > 0) {
    return embargoed(
      'embargoed',
      ends
        .flatMap((end) => lastDayOf(end) ?? [])
        .toSorted()
        .at(-1),
      context,
    )
  }
  const isOver = ends.length > 0 && unread.every((end) => isOverText(wordOf(end), context.today))
  if (isOver && unread.length === ends.length) return undefined
  return embargoed('embargoed', isFields(value) ? undefined : context.end(), context)
}

/** `embargo_lifted`, `no_embargo`: false, or the day. */
function limitOfEndedEmbargo(value: unknown, context: Context): Limited | undefined {
  if (isBlank(value)) return undefined
  const until = lastDayOf(value) ?? (isNone(value) ? context.end() : undefined)
  return isNone(value) || until !== undefined ? embargoed('embargoed', until, context) : undefined
}

/** When it began, how long it is, and why: that it is over, another field says. */
function limitOfEmbargoDetail(value: unknown, context: Context): Limited | undefined {
  return isNone(value) ? undefined : embargoed('embargoed', context.end(), context)
}

function limitOfAvailable(value: unknown, { today }: Context): Limited | undefined {
  if (value === false) return { word: 'not available' }
  const until = firstDayOf(value)
  return until !== undefined && until > today ? { word: 'not yet available', until } : undefined
}

/** A date that cannot be read may be in the future. */
function limitOfDate(value: unknown, context: Context): Limited | undefined {
  if (isNone(value) || isOpen(value)) return undefined
  return firstDayOf(value) === undefined
    ? { word: 'not yet available' }
    : limitOfAvailable(value, context)
}

/** DataCite: the date `available` in the future is the end of an embargo. */
function limitOfDates(value: unknown, context: Context): Limited | undefined {
  return (Array.isArray(value) ? value : [value])
    .filter(isFields)
    .filter(({ type, dateType }) =>
      textsIn([type, dateType]).some((text) => /^available$/i.test(text.trim())),
    )
    .flatMap(({ date }) => limitOfDate(date, context) ?? [])[0]
}

function flag(word: string): Rule {
  return (value) => (isNone(value) ? undefined : { word })
}

/** Says that the files are for everybody, unless it is false. */
function openFlag(word: string): Rule {
  return (value) =>
    typeof value !== 'object' && !isBlank(value) && isNone(value) ? { word } : undefined
}

/** In data of the earth it says how far one could see: only words that limit access count. */
function limitOfVisibility(value: unknown, context: Context): Limited | undefined {
  const hidden = textsIn(value).find((text) =>
    /^(?:confidential|hidden|internal|unlisted)$/i.test(text.trim()),
  )
  const limit = hidden === undefined ? limitOfConditions(value) : { word: hidden }
  return limit && /embargo/i.test(limit.word)
    ? embargoed(limit.word, context.end(), context)
    : limit
}

function limitOfConditions(value: unknown): Limited | undefined {
  return limitOfTexts(value, isLimitedText)
}

function limitOfTerms(value: unknown): Limited | undefined {
  return limitOfTexts(value, isLimitedTerm)
}

function limitOfTexts(value: unknown, isLimited: (text: string) => boolean): Limited | undefined {
  const word = textsIn(value).find(isLimited)
  return word === undefined ? undefined : { word: sayOf(word) }
}

function embargoed(
  word: string,
  until: string | undefined,
  { today }: Context,
): Limited | undefined {
  if (until === undefined) return { word }
  return until > today ? { word, until } : undefined
}

function isOpen(value: unknown): boolean {
  return typeof value === 'object'
    ? limitOfConditions(value) === undefined
    : isBlank(value) || isOpenText(wordOf(value))
}
