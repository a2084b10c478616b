import { withoutAccents } from './access-words.ts'
import { childPointer } from '../base/json.ts'
import { nearest } from './nearest.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Containers of fields about the document itself. */
export const containers =
  /^(?:access|attributes|custom(?:fields)?|data|datacite|dates|dataset(?:version)?|dc|dcterms|distribution|dublincore|extras?|files|graph|metadata|parent|record|resource)$/

/**
 * `release_date`, `publish_after`, `open_from`: a future day on which the files become public. The
 * publication date of a work is none.
 */
export const releaseName =
  /^(?:available|open|public|publish(?:ed)?|released?|visible)(?:after|from)$|^release(?:date|on)?$|^(?:datumder)?freigabe(?:datum|ab|am)?$|^(?:freigegeben|verfügbar|sichtbar|öffentlich|offen|frei)ab$|^publishon$|^(?:notbefore|holddate)$/

/** Containers about other works, or with names from the data: files, columns. */
const foreign =
  /^(?:deposit|citations?|columns|fields|files|isbasedon|ispartof|properties|references|related.*|schema|variable.*)$/

/**
 * True for a container about other things. A list of files is about the document itself; an object
 * has file names as keys.
 */
export function isForeign(plain: string, value: unknown): boolean {
  if (plain === 'files') return !Array.isArray(value)
  return foreign.test(plain) || plain.includes('embargo')
}

/** Names with a wider meaning than access. */
export const generalNames = [
  'available',
  'closed',
  'date',
  'dates',
  'licence',
  'license',
  'licenses',
  'open',
  'public',
  'release',
  'releasedate',
  'releaseon',
  'right',
  'rights',
  'rightslist',
  'acl',
  'hidden',
  'hold',
  'listed',
  'lock',
  'locked',
  'onhold',
  'permission',
  'permissions',
  'protected',
  'secret',
  'sensitivity',
  'sharedwith',
  'sharewith',
  'sharing',
  'status',
]

/** `dct:Access_Right`, `dc.access right` and `accessRight` are one name. */
export const plainName = knowing((name) => {
  const bare = name.slice(Math.max(...[':', '/', '#'].map((mark) => name.lastIndexOf(mark))) + 1)
  return bare
    .replace(/^(?:dc|dct|dcterms|datacite)\./i, '')
    .toLowerCase()
    .replaceAll(/[\s_.@-]/g, '')
})

/** A name of a field about access, in a schema or invented. */
export interface AccessName {
  /**
   * `access`: only access. `general`: also other things, as `rights`. `sharing`: `published`,
   * `share`. `grade`: `audience`, `classification`, which also grade other things.
   */
  readonly speaksOf: 'access' | 'general' | 'sharing' | 'grade'
  /** Consists only of words of access and words joined to them: `access_to_water` does not. */
  readonly isWhole: boolean
  /** `restricted_files`, `is_oa`: whether `true` limits access, or `false` does. */
  readonly limitsIf: boolean | undefined
  /** A number in it is an amount: `downloads`, and `share` in economics. */
  readonly isCountable: boolean
}

const accessWord =
  /^(?:access(?!i(?:on|ng)|ed|or)|acces$|accesos?$|acessos?$|(?:data|file)access|zugang|zugriff|toegang|restri|restre|gesperrt|sperr|beschrank|eingeschrank|embargo|moratori)/
const generalWord =
  /^(?:rights?|droits?|derechos?|diritti|\w*rechte?|rightslist|licen[cs]es?|sharing|oa|open)$/
/** About access only as the whole name: water has an availability, too. */
const wholeWord =
  /^(?:availabilit|disponi|verfugbarkeit|openness$|sensitivity|confidential|vertraulich|confidencial)/
const limitingWord =
  /^(?:restrict|closed$|private$|confidential$|gated$|internal$|nonpublic$|secret$|embargoed$|gesperrt$|eingeschrankt$|vertraulich$|restreint|restringid|confidentiel|confidencial$)|(?<!un)restri|restre|sperr|(?<!unein|gunbe)schrank|^geheim$|^un(?:published|released|shared|disclosed|listed)$/
const openingWord =
  /^(?:open|openly|oa|openaccess|public|publicly|free|freely|unrestricted|offentlich|accessible|available|shareable)$/
/** Verbs of sharing. */
const sharingWord =
  /^(?:shar(?:e|ed|able)|publish(?:ed|able)?|released?|downloads?|downloadable|visible|disclosed?)$/
const countableWord = /^(?:share|release|download)s?$/
/** Words of confidentiality. */
const gradeWord =
  /^(?:audiences?|readership|circulation|classification|dissemination|secrecy|security|privacy|clearance|tlp|einstufung)$/
/** `request_access`, `login_required`. */
const askingWord =
  /^(?:request|appl(?:y|ication)$|approv|permission|login$|regist(?:er|ration)|auth(?:entication|orisation|orization)?$)/
const needingWord = /^(?:require[ds]?|needs|needed)$/
/** Words that make a name about something else: `internal_id`, `free_text`. */
const ofOthers = /^(?:id|ur[il]|code|label|value|text|notes?|type|items?|content)$/
/** `file_access`, `allow_access`: objects and verbs of access. */
const things = new Set(
  (
    'a the of is are has for by and or de la le du des der die das del d l my our allow allows allowed can permit ' +
    'permitted file files data dataset datasets record records document documents content item items resource deposit ' +
    'donnees fichiers datos daten dateien user users download downloads'
  ).split(' '),
)
/** Containers that, by their names, say more of the document itself. */
const ownParts = new Set('project study sharing privacy publication details'.split(' '))

/** `dataset_info`, `sharing`; not `patients`. */
export function isAboutDocument(container: string): boolean {
  return wordsOf(container).every(
    (word) => ownParts.has(word) || joined.has(word) || parts.some((part) => part.test(word)),
  )
}

/** Words that are joined to those of access. */
const joined = new Set([
  ...things,
  ...(
    'only until till start from on metadata date status state level type types kind category class mode control conditions condition term terms policy ' +
    'statement note notes info information text code label value uri url id list settings options flag right rights ' +
    'dc dct dcterms dcat ddi dcmi schema datacite datacite1 elements eu member members consortium team publication ' +
    'intended target'
  ).split(' '),
])

/** The words of `dc.accessRights`, `droits_accès` and `dataAccess`. */
function wordsOf(name: string): readonly string[] {
  return withoutAccents(name)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
}

/** A cheap test that excludes most names. */
const mayNameAccess =
  /acc|ac[eè]s|ffentlich|geheim|auth|zug|toeg|restr|sperrt?|schr|embar|morat|right|droit|derech|diritt|recht|licen|avail|dispon|verf|open|oa|sensit|confid|vertrau|clos|priv|gated|intern|publi|secre|free|shar|releas|downl|visib|disclo|listed|audien|reader|circul|classif|dissem|privacy|clear|tlp|einstuf|login|regist|approv|permission/i

/** Longer text is no field name. */
const longestName = 200

/** Reads a name; undefined if it is not about access. */
export const accessNameOf = knowing((name): AccessName | undefined => {
  if (name.length > longestName || !mayNameAccess.test(name)) return undefined
  const words = wordsOf(/[/#]/.test(name) ? name.slice(name.search(/[^/#]*$/)) : name)
  const some = (part: RegExp): boolean => words.some((word) => part.test(word))
  const isWhole = words.every((word) => parts.some((part) => part.test(word)) || joined.has(word))
  const isOfAccess = some(accessWord)
  const asks = some(askingWord) && (isOfAccess || some(needingWord))
  const limits = some(limitingWord) || asks
  const isBare = words.every((word) => accessWord.test(word) || things.has(word))
  const opens = some(openingWord) || some(sharingWord) || (isOfAccess && isBare)
  const isByWhole = isWhole && some(wholeWord)
  const isGeneral = some(generalWord)
  const isGrade = isWhole && some(gradeWord)
  if (!isOfAccess && !isByWhole && !isGeneral && !isGrade) {
    if ((!limits && !opens) || words.some((word) => ofOthers.test(word))) return undefined
  }
  const isSharing = !limits && some(sharingWord) && !some(openingWord) && !isGeneral
  const general = isGrade ? 'grade' : isSharing ? 'sharing' : 'general'
  return {
    speaksOf: (isOfAccess && !words.includes('to')) || isByWhole ? 'access' : general,
    isWhole,
    limitsIf: limits || opens ? limits : undefined,
    isCountable: words.every((word) => countableWord.test(word) || things.has(word)),
  }
})

const parts = [
  accessWord,
  generalWord,
  wholeWord,
  limitingWord,
  openingWord,
  sharingWord,
  gradeWord,
  askingWord,
  needingWord,
]

const misspellable = ['access', 'restricted', 'restriction', 'availability', 'openness']

/** `file_acess`. */
export function isNearAccessName(name: string): boolean {
  if (name.length > longestName) return false
  const words = wordsOf(name)
  const isNear = (word: string): boolean =>
    word.length > 4 && nearest(word, misspellable, word.length < 9 ? 1 : 2) !== undefined
  return words.some(isNear) && words.every((word) => isNear(word) || joined.has(word))
}

/** Names that are known at a time, and the longest of them. */
const mostKnown = 500
const longestKnown = 100

/** Caches `find`: the objects of a long list repeat the same few names. */
export function knowing<Found>(find: (name: string) => Found): (name: string) => Found {
  const known = new Map<string, { readonly found: Found }>()
  return (name) => {
    const before = known.get(name)
    if (before) return before.found
    const found = find(name)
    if (known.size >= mostKnown) known.clear()
    if (name.length <= longestKnown) known.set(name, { found })
    return found
  }
}

/** A field with the plain form of its name, and that name. */
export type Field = readonly [pointer: string, plain: string, value: unknown, name: string]

/** The fields of an object, or of a list as CKAN's `extras`: `[{key: "embargo_date", value: …}]`. */
export function fieldsIn(pointer: string, value: unknown): readonly Field[] {
  if (Array.isArray(value)) {
    const fields: Field[] = []
    for (const [at, item] of value.entries()) {
      if (!isFields(item) || !Object.hasOwn(item, 'value')) continue
      const { key, value: said } = item
      if (typeof key !== 'string') continue
      fields.push([`${childPointer(pointer, at)}/value`, plainName(key), said, key])
    }
    return fields
  }
  if (!isFields(value)) return []
  return Object.entries(value).map(([name, field]) => [
    childPointer(pointer, name),
    plainName(name),
    field,
    name,
  ])
}

/** JSON-LD writes a text as `{"@value": "text", "@type": …}`, too. */
export function literal(value: unknown): unknown {
  return isFields(value) && Object.hasOwn(value, '@value') ? value['@value'] : value
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The last day of an embargo, which may stand within it. */
export function endIn(embargo: unknown): unknown {
  return isFields(embargo) ? embargo['until'] : embargo
}
