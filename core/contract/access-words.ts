import { nearest } from './nearest.ts'

/** Words about access and its end, of people and vocabularies. */

export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}

/** All texts in `value`, to the depth of rights vocabularies. */
export function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 4) return []
  return Object.values(value).flatMap((part: unknown) => textsIn(part, depth + 1))
}

/** "" for a list or an object. */
export function wordOf(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** `closedAccess`, `closed_access` and `Closed  Access` are one text. */
function plainText(text: string): string {
  return withoutAccents(text.replaceAll(/([a-z])([A-Z])/g, '$1 $2'))
    .replaceAll(/[\s_]+/g, ' ')
    .trim()
    .toLowerCase()
}

export function withoutAccents(text: string): string {
  if (/^[\x20-\x7E]*$/.test(text)) return text
  return text
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .normalize('NFC')
}

/** The value of a flag, as forms and tables write it; undefined for other text. `x` ticks a box. */
export function flagIn(value: unknown): boolean | undefined {
  const plain = plainText(wordOf(value)).replace(/[.!]$/, '')
  if (/^(?:true|t|yes|y|1|x|on|ja|j|oui|o|si|s|sim|wahr|vrai|verdadero|vero|.*\/true)$/.test(plain))
    return true
  return /^(?:false|f|no|n|0|off|nein|non|nao|nej|nee|falsch|faux|falso|.*\/false)$/.test(plain)
    ? false
    : undefined
}

/** Alone or at the end of an address, as in the vocabularies of OpenAIRE, COAR and the EU. */
const openTerm =
  /(?:^|[/#])(?:open(?:[ -]?access)?|public|unrestricted|unclassified|(?:any|every)one|everybody|access rights?\/c abf2|(?:gold|diamond|green|hybrid|bronze)(?: open access| oa)?|ouverte?s?|acces ouvert|acces[os]o? (?:abierto|aberto|aperto|libre|livre)|offentlich|offen|frei|libre|livre|abiert[oa]s?|public[oa]s?|publique|open(?:baar)?|[開开]放(?:[获獲]取|存取)?|公[開开]|オープン(?:アクセス)?)\/?$/
const openLicense = /^https?:\/\/creativecommons\.org\/(?:licenses|publicdomain)\//
const openStart =
  /^(?:(?:open|free|freely|public|publicly|unrestricted|frei|offen|offentlich|libre|librement|ouverte?s?|acces (?:libre|ouvert)|acceso (?:abierto|libre))\b|cc[ -](?:by|0)\b|cc0\b)/

/** Words between "not" and the denied word. */
const between =
  '(?:(?:a|an|any|the|under|in|by|to|of|been|longer|currently|subject|contain|contains|data|personal|sensitive|private|confidential|restricted|closed|or|nor) ){0,6}'
const denied = `\\b(?<!\\b(?:no|not|nor|never|without|neither|formerly|previously|isn't|aren't|nicht|kein|keine|non|sans|sin|no longer) ${between})`
const over =
  '(?! (?:period )?(?:(?:(?:has |have )?(?:already )?(?:ended|expired)|(?:(?:has|have) been|was|were) lifted|is over)\\b))'

const embargo = `embargo\\w*\\b${over}`
/** "On request", "only for members", in several languages. */
const asked =
  '\\b(?:up)?on (?:[\\w-]{1,30} ){0,2}(?:request|application|demand)\\b|\\bby (?:request|invitation)\\b|\\bno access\\b|\\bnot (?:yet )?(?:available|accessible)\\b|\\bunavailable\\b' +
  '|\\bnot for (?:public |external )?(?:release|distribution|circulation|publication|sharing|disclosure)\\b' +
  '|\\bby application\\b|\\b(?:access|ethics) committee\\b|\\b(?:with|after|upon) approval\\b|\\bauf (?:an|nach)frage\\b|\\bsur demande\\b|\\bbajo (?:peticion|solicitud|demanda)\\b|\\bsu richiesta\\b|\\bsob (?:pedido|consulta)\\b|\\bop (?:aan|ver)(?:vraag|zoek)\\b'
const group =
  '(?:members?|consortium|partners?|staff|employees|subscribers|registered|authori[sz]ed|approved|invited|internal|project|mitglieder|membres|miembros)'
const only = `\\b(?:only (?:to |for |by )?(?:the )?${group}|${group}(?: \\w{1,30})? only|nur (?:fur )?${group}|reserve[es]? aux? ${group})\\b`
const controlled =
  '^(?:controlled|gated|internal|secret|classified|limited)$|\\b(?:controlled|gated|limited)[ -]access\\b|\\baccess (?:is )?(?:controlled|limited)\\b'
/** German, French, Spanish, Italian, Portuguese, Dutch, Chinese and Japanese, without accents. */
const elsewhere =
  'gesperrt|eingeschrankt|beschrankt|geschlossen|vertraulich|privat\\b|nicht[ -]offentlich|restreinte?s?|fermee?s?|privee?s?|confidentiel(?:le)?s?|non[ -]publi|restringid[oa]s?|cerrad[oa]s?|privad[oa]s?|confidencial|embargad[oa]s?|riservat[oa]|ristrett[oa]|restrit[oa]s?|fechad[oa]s?|beperkt|gesloten|sperrfrist|geheim|moratorium'
const asian = '(?<![無无不])(?:制限|限制)|非公[開开]|受限|机密|機密|保密|エンバーゴ'

const privateFiles = '(?:access|data|files?|now|until)\\b'

/** Terms that limit access in any context. */
const plainlyLimited = new RegExp(
  `${denied}(?:${embargo}|restricted|(?:closed|confidential|private|non-? ?public) ${privateFiles}|(?:${elsewhere}))|${asian}|${only}`,
)
const limited = new RegExp(
  `${denied}(?:${embargo}|restricted|closed(?!-)|confidential|private|non-? ?public|(?:${elsewhere}))|\\bnot (?:yet )?(?:open|public)\\b(?! source)|${asked}|${only}|${controlled}|${asian}`,
)

/** Terms of the vocabularies of OpenAIRE and COAR, words of the same meaning, and any embargo. */
const limitedTerm = new RegExp(
  `^(?:restricted|closed|confidential|private|(?:${elsewhere}))$|${denied}${embargo}|${denied}(?:restricted|closed)[ -]?access|${denied}access (?:is )?(?:restricted|closed)\\b|${controlled}|^(?:${asked})$|${asian}|\\bmetadata[ -]only|access rights?/c (?:f1cf|16ec|14cb)`,
)

/** Limits that a text may deny: "no restrictions", "ohne Einschränkung", "not confidential". */
const deniedLimit = new RegExp(
  '\\b(?:no|not|without|never|free (?:of|from)|nicht|kein\\w*|ohne|non|sans|aucune?|sin|ningun[oa]?|senza|nessuna?|sem|geen|zonder) ' +
    '(?:(?:a|an|any|the|under|in|by|to|of|longer|currently|subject|access|use|usage|legal|further|personal|data|contains?|sensitive|required|or|and|this|de) ){0,6}' +
    '(?:restrict\\w*|limit\\w*|embargo\\w*|confidential|closed|private|secret|sensitive|log-?in|registration|account|password|fee|charge|cost|barrier|condition|constraint|' +
    '(?:ein|be)schrank\\w*|sperr\\w*|anmeldung|restriccion\\w*|limitacion\\w*|restrizion\\w*|restric\\w*)s?(?: (?:access|data|needed|required|necessary|d.acces))*\\b',
  'g',
)
/** An end in the past is checked by {@link isPastEnd}. */
const endedEmbargo =
  /\b(?:(?:formerly|previously|the|was|were|has been|an?) )*embargo\w*(?: (?:(?:has |have )?(?:already )?(?:ended|expired)|(?:(?:has|have) been|was|were) lifted|is over))?(?: (?:until|till|in|on|since|bis) ([\d-]{4,10}))?/g
const openWord =
  /^(?:open(?:ly|access|baar|data)?|public(?:ly|o|a|os|as|ado)?|publique|unrestricted|unclassified|unlimited|oa|ogl|free(?:ly)?|gratis|kostenlos|gratuite?|everyone|everybody|anyone|anybody|all|world|worldwide|gold|diamond|green|hybrid|bronze|ouverte?s?|abiert[oa]s?|aberto|aperto|libre(?:ment)?|livre|liber[oa]|offentlich|offen|frei|uneingeschrankt|unbeschrankt|avoin|oppen|oppet|apen|aben|otwarty|otevreny|открытыи|открытый|открыт|открыто|cc0|cc-?by(?:-sa)?(?:-?\d(?:\.\d)?)?|pddl|odbl|odc-by|pu|immediate(?:ly)?|downloadable)$/
const neutralWord =
  /^(?:a|an|the|and|or|is|are|to|for|of|now|this|that|it|its|access(?:ible)?|acces|accesso?|acesso|zugang|zugriff|zuganglich|verfugbar|available|availability|data(?:set)?s?|files?|content|record|metadata|may|can|be|download(?:s|ed)?|via|https?|ftp|fully|completely|licensed?|license|licence|under|domain|by|cc|attribution|international|\d(?:\.\d)?|online|web|immediately|with(?=$)|der|die|das|daten|ist|sind|les|donnees|los|datos|wheelchair|use|reuse|used|reused|set|full|toegang|tillgang|including|companies|closed-form|solutions|contains?|since|dostep|pristup|доступ|unclassified)$/

/** True only where each word is understood: an open word, with licences, denied limits and joins. */
export function isOpenText(text: string, now = ''): boolean {
  const plain = plainText(text)
  if (openLicense.test(plain) || openTerm.test(plain)) return true
  if (text.length > 1000 || /\?/.test(plain.replaceAll(address, ''))) return false
  let isOpen = false
  const rest = plain
    .replaceAll(address, (found) => {
      isOpen ||=
        !/semantics|access[-_]rights?|restrict|closed|private|embargo|confid|internal|committee|request|appl(?:y|ication)|permission|agreement/.test(
          found,
        )
      return isOpen ? ' ' : ' closed '
    })
    .replaceAll(deniedLimit, () => {
      isOpen = true
      return ' '
    })
    .replaceAll(endedEmbargo, (found, day?: string) => {
      const end = day === undefined ? undefined : lastDayOf(day)
      const isOver = /formerly|previously|was|were|ended|expired|lifted|over\b/.test(found)
      return (end === undefined ? isOver : end <= now) ? ' ' : ' closed '
    })
  const words = rest.split(/[\s,;:!()"'/]+|\.(?!\d)/).filter((word) => word !== '')
  if (words.length === 0) return isOpen || openWord.test(plain)
  if (!words.every((word) => openWord.test(word) || neutralWord.test(word))) return false
  // "Open metadata, files": nothing is said of the files.
  if (/\bmetadata\b/.test(rest) && !/\b(?:data|files?)\b/.test(rest)) return false
  return (
    isOpen ||
    words.some((word) => openWord.test(word)) ||
    /\bcc[ -]by\b/.test(rest) ||
    /^wheelchair accessible$/.test(plain)
  )
}

const address = /\b(?:https?:\/\/|info:)\S+/g

/** True for free text that limits access. After an open first word, only plain terms count. */
export function isLimitedText(text: string): boolean {
  const plain = plainText(text)
  return (openStart.test(plain) ? plainlyLimited : limited).test(plain) || limitedTerm.test(plain)
}

/** "Contact the authors for access", "after publication": in a statement of availability. */
export function isLimitedAvailability(text: string): boolean {
  return limitedAvailability.test(plainText(text).slice(0, longestStatement))
}

const longestStatement = 5000
const authors =
  '(?:the |an? |any )?(?:corresponding |first |lead |senior )?(?:authors?|owners?|investigators?|pi)\\b'
const limitedAvailability = new RegExp(
  `\\bnot (?:yet )?(?:be )?(?:made )?(?:publicly|openly|freely) (?:available|accessible|shared)\\b|\\b(?:cannot|can not|may not|must not|will not) (?:yet )?be (?:made |publicly |openly |freely )*(?:shared|available|public|released|distributed|disclosed|published)\\b` +
    `|\\b(?:available|obtain(?:ed|able)?|requested) (?:directly )?(?:from|by|through) (?:contacting )?${authors}(?!'|’)|^(?:please )?contact(?:ing)? ${authors}(?:$|[^.]* (?:access|data|obtain|request)\\b)` +
    '|(?:^|\\b(?:available|shared|released|public|accessible|published) )(?:only )?(?:(?:after|following) (?:the )?(?:acceptance|publication)|(?:up)?on (?:the )?acceptance)(?! of (?:the |a )?(?:[\\w-]+ ){0,2}licen)',
)

export function isLimitedTerm(text: string): boolean {
  return limitedTerm.test(plainText(text))
}

/** Grades of confidentiality, as the whole text: `Strictly confidential`, `Internal use only`. */
const grade = new RegExp(
  `^(?:(?:strictly|highly|for|tlp|company) ?:? ?)*(?:internal|intern[ea]?|confidential|restricted|private|(?:top )?secret|classified|hidden|unlisted|vertraulich|geheim|confidentiel(?:le)?|confidencial|riservat[oa])(?: (?:use|data|information|access|audience|only))*$|${denied}embargo|${only}|^tlp ?: ?(?:red|amber)|\\bnot for (?:public |external )?(?:release|distribution|circulation|publication|sharing|disclosure)\\b`,
)

export function isGrade(text: string): boolean {
  return grade.test(plainText(text))
}

/** `download`, "via HTTPS or FTP": a way of access, not a limit. */
export function isWay(text: string): boolean {
  const words = plainText(text).split(/[^a-z\d]+/)
  return (
    words.some((word) => way.test(word)) &&
    words.every((word) => way.test(word) || joins.test(word))
  )
}

const way =
  /^(?:download(?:s|able)?|direct|bulk|online|web(?:site)?|https?|s?ftps?|rsync|s3|git|api|rest|graphql|sparql|odata|opendap|w[mfc]s|stream(?:ing)?|browser)$/
const joins =
  /^(?:|a|an|the|and|or|by|via|from|through|over|files?|data|services?|endpoints?|links?|ur[il]s?|doi)$/

const misspellable = ['restricted', 'closed', 'embargoed', 'confidential', 'controlled']

/** `clsoed`. */
export function isMisspeltTerm(text: string): boolean {
  if (text.length > 15 || !/^(?!un)[a-z]+$/i.test(text)) return false
  return nearest(text, misspellable, text.length < 8 ? 1 : 2) !== undefined
}

/** "Until 2030-01-01", "gesperrt bis 2030": the last day at the end of a text of one clause. */
export function endNamedIn(text: string): string | undefined {
  return dayNamedIn(
    text,
    /^[^.;,]*\b(?:until|till|before|bis|jusqu'?(?:au?|en)?|hasta|fino al?|ate|tot) (?:(?:the|end of|zum|ende|el|le|en|au) )?(.{4,40})$/,
    lastDayOf,
  )
}

/** "Available from 2030", "frei ab 2030". */
export function startNamedIn(text: string): string | undefined {
  return dayNamedIn(
    text,
    /\b(?:from|after|as of|ab|nach|a partir (?:de|du|del)|des|desde|dal) (?:(?:the|dem|le|el|il) )?(.{4,40})$/,
    firstDayOf,
  )
}

/** Longer ones are descriptions. */
const longestClause = 200

function dayNamedIn(
  text: string,
  before: RegExp,
  read: (day: string) => string | undefined,
): string | undefined {
  if (text.length > longestClause) return undefined
  const [, day] = before.exec(plainText(text)) ?? []
  return day === undefined ? undefined : read(day.replace(/[.!)]$/, ''))
}

/** `false`, "no", "n/a", `[]`, "0 months", "https://schema.org/False". */
export function isNone(value: unknown): boolean {
  if (typeof value === 'object') return value === null || Object.keys(value).length === 0
  return (
    isBlank(value) ||
    /^(?:no?|none|f|false|off|0+(?: (?:days?|weeks?|months?|years?))?|p0+[dwmy]|n\/?a|nil|null|-|not applicable|aucune?|keine?|keins|nein|non|sans|nicht zutreffend|immediate(?:ly)?|ningun[oa]?|n\.a|.*\/false)(?:, open(?: immediately)?)?\.?$/.test(
      plainText(wordOf(value)),
    )
  )
}

/** "Expired", "lifted in 2020", "the embargo has ended", "not embargoed". */
export function isOverText(text: string, today: string): boolean {
  const plain = plainText(text)
  const [end, day] =
    /^(?:over|expired|lifted|ended)(?: (?:in |on |since )?(.*))?$/.exec(plain) ?? []
  if (end !== undefined) return day === undefined || (firstDayOf(day) ?? '9') <= today
  return plain.includes('embargo') && !limited.test(plain)
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const range = /^(\d{4}(?:-[^/]*)?)\/(\d{4}(?:-.*)?|\.\.)?$/

/** The first day of a date or range; undefined for other text. */
export function firstDayOf(value: unknown): string | undefined {
  const text = wordOf(value)
  return dayOf(range.exec(text)?.[1] ?? text, '01', '01')
}

/** The last day of a date: 31 December for a year. */
export function lastDayOf(value: unknown): string | undefined {
  const text = wordOf(value)
  return dayOf(range.exec(text)?.[2] ?? text, '12', '31')
}

function dayOf(text: string, anyMonth: string, anyDay: string): string | undefined {
  if (text.length > 60) return undefined
  const [, iso, isoMonth = anyMonth, isoDay = anyDay] =
    /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?:[T ]\d.*)?$/.exec(text) ?? []
  if (iso !== undefined) return instantOf(text) ?? toDay(iso, isoMonth, isoDay)
  const [, one, other, year] = /^(\d{1,2})[-/.] ?(\d{1,2})[-/.] ?(\d{4})$/.exec(text) ?? []
  if (one !== undefined && other !== undefined && year !== undefined) {
    // Day and month may be in either order: the later day is the safe one.
    const days = [toDay(year, other, one), toDay(year, one, other)]
    return days
      .filter((day) => day.slice(5, 7) <= '12')
      .toSorted()
      .at(-1)
  }
  return writtenDay(text.toLowerCase(), anyMonth, anyDay)
}

/** An instant with a time of day, in UTC: it sorts after its day. Undefined at midnight. */
function instantOf(text: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\d[T ]\d/.test(text)) return undefined
  const hasZone = /(?:z|[+-]\d\d:?\d\d)$/i.test(text)
  const time = Date.parse(`${text.replace(' ', 'T')}${hasZone ? '' : 'Z'}`)
  if (Number.isNaN(time)) return undefined
  const instant = new Date(time).toISOString()
  return instant.endsWith('T00:00:00.000Z') ? instant.slice(0, 10) : instant
}

/** "31 January 2020", "Jan 31st, 2020", "January 2020". */
function writtenDay(text: string, anyMonth: string, anyDay: string): string | undefined {
  const parts = text.split(/[\s,.]+/).filter((part) => part !== '')
  const years = parts.filter((part) => /^\d{4}$/.test(part))
  const days = parts.flatMap((part) => /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(part)?.[1] ?? [])
  const named = parts
    .map((part) => (/^[a-z]{3,9}$/.test(part) ? months.indexOf(part.slice(0, 3)) + 1 : 0))
    .filter((month) => month > 0)
  const [year, month = anyMonth, day = anyDay] = [years[0], named[0]?.toString(), days[0]]
  const isWhole = years.length + days.length + named.length === parts.length
  const isOne = years.length === 1 && days.length < 2 && named.length === 1
  return isWhole && isOne && year !== undefined ? toDay(year, month, day) : undefined
}

function toDay(year: string, month: string, day: string): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** A value in at most a line, for a message: `{active: true, until: "2030-01-01"}`. */
export function shortForm(value: unknown, depth = 0): string {
  if (typeof value === 'string') return JSON.stringify(sayOf(value).slice(0, depth > 0 ? 60 : 201))
  if (typeof value !== 'object' || value === null) return String(value)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const parts = Object.entries(value)
  const shown = parts.slice(0, 4).map(([name, part]) => {
    const said = depth > 1 && typeof part === 'object' ? '…' : shortForm(part, depth + 1)
    return Array.isArray(value) ? said : `${name.slice(0, 60)}: ${said}`
  })
  return `${open}${[...shown, ...(parts.length > 4 ? ['…'] : [])].join(', ')}${close}`
}

/** At most a line of the value, for a message. */
export function sayOf(value: unknown): string {
  const word = textsIn(value)[0] ?? wordOf(value)
  return word.length > 200 ? `${word.slice(0, 200)}…` : word
}

export interface Limited {
  /** `embargoed`, `restricted`: the document's own word. */
  readonly word: string
  readonly until?: string
}

/** The first text that limits access, unless it names a past end. */
export function limitInTexts(
  value: unknown,
  today: string,
  isLimited: (text: string) => boolean,
): Limited | undefined {
  for (const text of textsIn(value)) {
    const isLimit = isLimited(text) || isMisspeltTerm(text)
    const until = isLimit ? endNamedIn(text) : undefined
    if (!isLimit || (until !== undefined && until <= today)) continue
    return { word: sayOf(text), ...(until === undefined ? {} : { until }) }
  }
  return undefined
}
