import {
  accessNameOf,
  containers,
  fieldsIn,
  generalNames,
  isFields,
  isForeign,
  isNearAccessName,
  knowing,
  literal,
  plainName,
  releaseName,
  type Fields,
} from './access-names.ts'
import {
  endNamedIn,
  firstDayOf,
  isBlank,
  isGrade,
  isLimitedTerm,
  isLimitedText,
  isMisspeltTerm,
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
import { nearest } from './nearest.ts'
import {
  embargoed,
  embargoName,
  embargoRuleOf,
  endOfEmbargo,
  limitOfEmbargo,
  type Context,
  type Rule,
} from './access-embargo.ts'
import { childPointer } from './json-pointer.ts'
import type { SchemaFault } from './schema-fault.ts'

/** A field that says that the files are not public. */
export interface AccessLimit extends SchemaFault {
  /** `YYYY-MM-DD`: the day they become public. */
  readonly until?: string
}

/** A longer list is not read. */
const maxLimits = 100

/**
 * Fields with one meaning at any depth, by their names in the metadata of Zenodo and InvenioRDM, in
 * CodeMeta, DataCite, DCAT, Dataverse and ours. Spelling variants count as one name: {@link
 * plainName}.
 */
const rules: Readonly<Record<string, Rule>> = {
  accessconditions: limitOfConditions,
  accessfiles: limitOfRight,
  accesslevel: limitOfRight,
  accessright: limitOfRight,
  accessrights: limitOfRight,
  accessstatus: limitOfRight,
  accesstype: limitOfRight,
  // Dataverse: whether access can be requested. Its files say `restricted`.
  fileaccessrequest: () => undefined,
  conditionsofaccess: limitOfConditions,
  dateavailable: limitOfDate,
  termsofaccess: limitOfConditions,
}

/** Fields that only count directly in the document or in {@link containers}. */
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
  membersonly: flag('members only'),
  metadataonly: flag('metadata only'),
  nonpublic: flag('not public'),
  onrequest: flag('on request'),
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

/** Every field about an embargo limits access, unless it says that it is over or absent. */
function ruleOf(plain: string, isOwn: boolean): Rule | undefined {
  return isOwn ? ownRuleOf(plain) : commonRuleOf(plain)
}

const commonRuleOf = knowing((plain): Rule | undefined => {
  if (Object.hasOwn(rules, plain)) return rules[plain]
  return embargoName.test(plain) ? embargoRuleOf(plain) : undefined
})

const ownRuleOf = knowing((plain): Rule | undefined => {
  const common = commonRuleOf(plain)
  if (common) return common
  if (/^(?:do?not|dont|never)(?:publish|release|share|distribute|disclose)$/.test(plain)) {
    return flag('do not publish')
  }
  if (plain === 'release') return limitOfRelease
  if (releaseName.test(plain)) return limitOfAvailable
  const name = Object.hasOwn(ownRules, plain) ? plain : plain.replace(/^is/, '')
  return Object.hasOwn(ownRules, name) ? ownRules[name] : undefined
})

/** By the words of a name that no schema has: `file_access`, `droits_acces`, `is_oa`. */
function namedRule(name: string, value: unknown, isOwn: boolean): Rule | undefined {
  const said = accessNameOf(name)
  if (said === undefined || (!isOwn && !said.isWhole)) return undefined
  if (said.speaksOf === 'sharing' && !isOwn) return undefined
  const isAmount = said.isCountable && /^\d+$/.test(wordOf(value))
  if (said.isWhole && said.limitsIf !== undefined && isFlag(value) && !isAmount) {
    return said.limitsIf
      ? flag('restricted')
      : openFlag(said.speaksOf === 'sharing' ? 'not public' : 'not open')
  }
  if (said.speaksOf === 'grade') return isOwn ? limitOfGrade : undefined
  if (said.speaksOf !== 'access') return said.isWhole ? limitOfTerms : undefined
  // The address of a file does not limit access.
  return said.isWhole && isOwn && !/ur[il]s?$/i.test(name) ? limitOfConditions : limitOfTerms
}

function isFlag(value: unknown): boolean {
  return /^(?:true|false|yes|no|ja|nein|oui|non|si|[01])$/i.test(wordOf(value))
}

/** Names whose misspellings count, in documents with few enough fields to compare each. */
const guarded = [...Object.keys(rules), 'embargo', 'embargodate', 'embargountil', 'isembargoed']
const mostGuessed = 1000

/** `acces_right: restricted`, `embago_date: 2030-01-01`, and `embargoed` under any name. */
function misspeltRule(plain: string, name: string, value: unknown): Rule | undefined {
  const word = wordOf(value)
  if (/^embargo(?:ed)?(?: access)?$/i.test(word)) return limitOfRight
  const isLimited = isLimitedTerm(word) || isMisspeltTerm(word)
  if (!isLimited && lastDayOf(value) === undefined && value !== true) return undefined
  const near = nearest(plain, guarded, plain.length < 7 ? 1 : 2)
  if (near !== undefined) return ruleOf(near, true)
  return isLimited && isNearAccessName(name) ? limitOfTerms : undefined
}

/** True for fields about access to the files, in any schema. */
export function isAccessField(name: string): boolean {
  const plain = plainName(name)
  if (ruleOf(plain, true) !== undefined) return !generalNames.includes(plain)
  const said = accessNameOf(name)
  return said !== undefined && said.speaksOf === 'access' && said.isWhole
}

/**
 * Finds every statement in `document` that its files are embargoed, restricted or closed:
 * publishing makes them public for good. A past embargo is none.
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
  /** Is about the document itself. */
  readonly isOwn: boolean
  /** A field of the name `access`. */
  readonly isAccess: boolean
}

/** Outer fields first; each part is visited once. */
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
    for (const [below, plain, field, name] of fields) {
      const rule =
        ruleOf(plain, isOwn) ??
        namedRule(name, field, isOwn) ??
        (mayGuess ? misspeltRule(plain, name, field) : undefined)
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

/** Ours, `{files, until}`, and InvenioRDM's, `{record, files, status, embargo: {active, until}}`. */
function limitOfAccess(value: unknown, context: Context): Limited | undefined {
  if (Array.isArray(value)) {
    const limits = value.filter(isFields).flatMap((item) => limitOfAccess(item, context) ?? [])
    return limits[0] ?? limitOfRight(value, context)
  }
  if (!isFields(value)) return limitOfRight(value, context)
  const { record, files, status, level, type, until, embargo } = value
  // One level only: objects may nest the same name without end.
  const inner = [record, files]
    .filter(isFields)
    .flatMap((part) => limitOfEmbargo(part['until'], { ...context, end: () => undefined }) ?? [])
  if (inner[0] !== undefined) return inner[0]
  if (!isOpen(record, context)) return { word: sayOf(record) }
  const end = until ?? (isFields(embargo) ? embargo['until'] : undefined)
  const word = [status, files, level, type].find((part) => !isOpen(part, context))
  if (word !== undefined) return embargoed(sayOf(word), lastDayOf(end), context)
  return limitOfEmbargo(until, { ...context, end: () => undefined })
}

/** Zenodo's `access_right`: only `embargoed` ends, on the `embargo_date`. */
function limitOfRight(value: unknown, context: Context): Limited | undefined {
  if (typeof value === 'object') return limitOfConditions(value, context)
  const word = sayOf(value)
  const start = startNamedIn(word)
  if (start !== undefined && start > context.today) return { word, until: start }
  if (isOpen(value, context)) return undefined
  const end = endNamedIn(word)
  if (end !== undefined) return embargoed(word, end, context)
  return /embargo/i.test(word) ? embargoed(word, context.end(), context) : { word }
}

function limitOfAvailable(value: unknown, { today }: Context): Limited | undefined {
  if (value === false) return { word: 'not available' }
  const until = firstDayOf(value)
  return until !== undefined && until > today ? { word: 'not yet available', until } : undefined
}

/** A day, and not a version: `2.1`, `2027.1`. */
function limitOfRelease(value: unknown, context: Context): Limited | undefined {
  const isVersion = /^\d{4}\.\d{1,2}$/.test(wordOf(value))
  return (isVersion ? undefined : limitOfAvailable(value, context)) ?? limitOfTerms(value, context)
}

/** A date that cannot be read may be in the future. */
function limitOfDate(value: unknown, context: Context): Limited | undefined {
  if (isNone(value) || isOpen(value, context)) return undefined
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

/** A flag that means public files unless it is false. */
function openFlag(word: string): Rule {
  return (value) =>
    typeof value !== 'object' && !isBlank(value) && isNone(value) ? { word } : undefined
}

/** In earth science `visibility` is a distance: only words that limit access count. */
function limitOfVisibility(value: unknown, context: Context): Limited | undefined {
  const hidden = textsIn(value).find((text) =>
    /^(?:confidential|hidden|internal|unlisted)$/i.test(text.trim()),
  )
  const limit = hidden === undefined ? limitOfConditions(value, context) : { word: hidden }
  return limit && /embargo/i.test(limit.word)
    ? embargoed(limit.word, context.end(), context)
    : limit
}

/** Checks each text of an object: a `classification` may have further fields. */
function limitOfGrade(value: unknown): Limited | undefined {
  const parts = (Array.isArray(value) ? value : [value]).flatMap((part: unknown) =>
    isFields(part)
      ? ['audienceType', 'level', 'name', 'type'].map((name) => part[name])
      : [literal(part)],
  )
  const word = parts.find((part) => typeof part === 'string' && isGrade(part))
  return word === undefined ? undefined : { word: sayOf(word) }
}

function limitOfConditions(value: unknown, { today }: Context): Limited | undefined {
  const limit = limitInTexts(value, today, isLimitedText)
  if (limit !== undefined) return limit
  const later = textsIn(value).find((text) => (startNamedIn(text) ?? '') > today)
  return later === undefined ? undefined : { word: sayOf(later) }
}

function limitOfTerms(value: unknown, { today }: Context): Limited | undefined {
  return limitInTexts(value, today, isLimitedTerm)
}

function isOpen(value: unknown, context: Context): boolean {
  return typeof value === 'object'
    ? limitOfConditions(value, context) === undefined
    : isBlank(value) || isOpenText(wordOf(value)) || isWay(wordOf(value))
}
