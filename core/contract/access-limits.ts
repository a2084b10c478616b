import type { SchemaFault } from './schema-fault.ts'

export type Fields = Readonly<Record<string, unknown>>

/** A field by which a document says that its files are not for everybody. */
export interface AccessLimit extends SchemaFault {
  /** `YYYY-MM-DD`: the day on which they are. */
  readonly until?: string
}

type Rule = (value: unknown, today: string, document: Fields) => Omit<Limited, 'field'> | undefined
interface Limited {
  /** `embargoed`, `restricted`: the document's own word. */
  readonly word: string
  readonly until?: string
}

/**
 * The fields that are understood, by their names in Zenodo's and InvenioRDM's metadata, in CodeMeta,
 * DataCite, DCAT and ours. How a name is written does not count: {@link plainName}.
 */
const rules: Readonly<Record<string, Rule>> = {
  access: limitOfAccess,
  accessfiles: limitOfRight,
  accessright: limitOfRight,
  accessrights: limitOfRight,
  available: limitOfAvailable,
  conditionsofaccess: limitOfConditions,
  confidential: limitOfFlag,
  dateavailable: limitOfAvailable,
  dates: limitOfDates,
  isaccessibleforfree: (value) => (value === false ? { word: 'not for free' } : undefined),
  metadata: (value, today) =>
    isFields(value) ? findLimits(value, today).map(([, limit]) => limit)[0] : undefined,
  private: limitOfFlag,
  right: limitOfRight,
  rights: limitOfTerms,
  rightslist: limitOfTerms,
  visibility: limitOfVisibility,
}

/** Every field that speaks of an embargo is one, unless it says that it is over or none. */
function ruleOf(name: string): Rule | undefined {
  const plain = plainName(name)
  if (Object.hasOwn(rules, plain)) return rules[plain]
  return plain.startsWith('embargo') ? limitOfEmbargo : undefined
}

/** `Access_Right`, `access right` and `accessRight` are one name. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.-]/g, '')
}

/** Fields that say who may have the files, in whichever schema. */
export function isAccessField(name: string): boolean {
  const general = ['available', 'dates', 'metadata', 'right', 'rights', 'rightslist']
  return ruleOf(name) !== undefined && !general.includes(plainName(name))
}

/**
 * Everything in which `document` says that its files are embargoed, restricted or closed: publishing
 * makes them public, and cannot be taken back. An embargo that is over is none.
 *
 * @param now ISO 8601, in UTC
 * @see Publication §7
 */
export function findAccessLimits(document: Fields, now: string): readonly AccessLimit[] {
  return findLimits(document, now.slice(0, 10)).map(([name, { word, until }]) => {
    const day = until === undefined ? '' : ` until ${until}`
    const wait = until === undefined ? '' : 'publish after that day, or '
    const message =
      `The metadata say ${JSON.stringify(word)}${day}, and publishing makes the files public: ` +
      `${wait}remove the field if the files may be public.`
    return { field: `/${name}`, message, ...(until === undefined ? {} : { until }) }
  })
}

function findLimits(document: Fields, today: string): readonly (readonly [string, Limited])[] {
  return Object.entries(document).flatMap(([name, value]) => {
    const limit = ruleOf(name)?.(value, today, document)
    return limit === undefined ? [] : [[name, limit] as const]
  })
}

/** Ours, `{files, until}`, and InvenioRDM's, `{record, files, status, embargo: {active, until}}`. */
function limitOfAccess(value: unknown, today: string): Limited | undefined {
  if (!isFields(value)) return limitOfRight(value, today, {})
  const embargo = isFields(value['embargo']) ? value['embargo'] : {}
  const until = dayOf(value['until'] ?? embargo['until'])
  const { record, files, status } = value
  if (!isOpen(record)) return { word: wordOf(record) }
  const word = [status, files].find((part) => !isOpen(part)) ?? (embargo['active'] && 'embargoed')
  if (word) return embargoed(wordOf(word), until, today)
  // Other fields below it, such as `right` or `embargo_date`, under an embargo that is not `active`.
  const { embargo: _, ...others } = value
  return findLimits(others, today).map(([, limit]) => limit)[0]
}

/** Zenodo's `access_right`: only `embargoed` ends, on the `embargo_date`. */
function limitOfRight(value: unknown, today: string, document: Fields): Limited | undefined {
  if (typeof value === 'object') return limitOfConditions(value)
  if (isOpen(value)) return undefined
  const word = wordOf(value)
  if (!/embargo/i.test(word)) return { word }
  const end = Object.keys(document).find((name) => plainName(name) === 'embargodate') ?? ''
  return embargoed(word, dayOf(document[end]), today)
}

/** A date, `true`, or InvenioRDM's `{active, until}`. */
function limitOfEmbargo(value: unknown, today: string): Limited | undefined {
  const { active, until, date, end } = isFields(value) ? value : { until: value }
  if (active === false || isNone(until ?? date ?? end ?? active)) return undefined
  return embargoed('embargoed', dayOf(until ?? date ?? end) ?? '', today)
}

function limitOfAvailable(value: unknown, today: string): Limited | undefined {
  const day = dayOf(value)
  return day === undefined ? undefined : embargoed('available', day, today)
}

function limitOfFlag(value: unknown): Limited | undefined {
  return isNone(value) ? undefined : { word: 'confidential' }
}

function isNone(value: unknown): boolean {
  return isBlank(value) || value === false || /^(?:no|none|false|0)$/i.test(wordOf(value).trim())
}

/** DataCite: the date `available` in the future is the end of an embargo. */
function limitOfDates(value: unknown, today: string): Limited | undefined {
  const dates = Array.isArray(value) ? value.filter(isFields) : []
  return dates
    .filter(({ type }) => typeof type === 'string' && type.toLowerCase() === 'available')
    .flatMap(({ date }) => embargoed('available', dayOf(date) ?? today, today) ?? [])[0]
}

/** In data of the earth it says how far one could see: only words that limit access count. */
function limitOfVisibility(value: unknown, today: string, document: Fields): Limited | undefined {
  const isLimited = textsIn(value).some((text) =>
    /^(?:confidential|hidden|internal|unlisted)$/i.test(text.trim()),
  )
  if (!isLimited && limitOfConditions(value) === undefined) return undefined
  return limitOfRight(value, today, document) ?? { word: wordOf(value) }
}

/** Free text. "No embargo" is none. */
function limitOfConditions(value: unknown): Limited | undefined {
  const texts = textsIn(value)
  const word = texts.find((text) =>
    /(?<!\b(?:no|not|no longer|without)\s+)\b(?:embargo|restricted|closed|confidential|private|non[\s_-]?public)/i.test(
      text,
    ),
  )
  return word === undefined ? limitOfTerms(value) : { word }
}

/** Terms of the vocabularies of OpenAIRE and COAR, wherever they stand. */
function limitOfTerms(value: unknown): Limited | undefined {
  const word = textsIn(value).find((text) =>
    /^(?:embargoed|restricted|closed)$|\b(?:embargoed|restricted|closed)[\s_-]?access|access_right\/c_(?:f1cf|16ec|14cb)/i.test(
      text,
    ),
  )
  return word === undefined ? undefined : { word }
}

function embargoed(word: string, until: string | undefined, today: string): Limited | undefined {
  if (until === undefined || until === '') return { word }
  return until > today ? { word, until } : undefined
}

/** By themselves or at the end of an address, as in the vocabularies of OpenAIRE, COAR and the EU. */
const openWords = /(?:^|[/#])(?:open|openaccess|public|unrestricted|accessright\/cabf2)$/

function isOpen(value: unknown): boolean {
  return (
    isBlank(value) ||
    openWords.test(
      wordOf(value)
        .toLowerCase()
        .replaceAll(/[\s_-]/g, ''),
    )
  )
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}

/** The last day of what a date names: of a year its 31 December. Undefined for what is no date. */
function dayOf(value: unknown): string | undefined {
  const [, year, month = '12', day = '31'] =
    /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:T.*)?$/.exec(wordOf(value).trim()) ?? []
  return year === undefined ? undefined : `${year}-${month}-${day}`
}

function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 4) return []
  return Object.values(value).flatMap((part: unknown) => textsIn(part, depth + 1))
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
