import {
  accessNameOf,
  isAboutDocument,
  containers,
  fieldsIn,
  generalNames,
  isForeign,
  isNearAccessName,
  knowing,
  literal,
  plainName,
  releaseName,
  type Field,
  type Fields,
} from './access-names.ts'
import {
  flagIn,
  isLimitedTerm,
  isMisspeltTerm,
  isNone,
  lastDayOf,
  sayOf,
  shortForm,
  textsIn,
  wordOf,
  type Limited,
} from './access-words.ts'
import {
  embargoName,
  embargoRuleOf,
  endOfEmbargo,
  type Context,
  type Rule,
} from './access-embargo.ts'
import {
  limitOfAccess,
  limitOfRight,
  limitOfAvailable,
  limitOfRelease,
  limitOfDate,
  limitOfDates,
  flag,
  openFlag,
  tick,
  limitOfTlp,
  limitOfDissemination,
  limitOfNamed,
  limitOfRestriction,
  limitOfGrade,
  limitOfConditions,
  limitOfTerms,
  limitOfLater,
  limitOfSensitivity,
  limitOfClosed,
  limitOfConstraints,
  limitOfAvailability,
} from './access-rules.ts'
import {
  holdFlag,
  limitOfAudience,
  limitOfPermissions,
  limitOfViewers,
  limitOfVisibility,
} from './access-people.ts'
import { nearest } from './nearest.ts'
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
  accessconstraints: limitOfConstraints,
  acl: limitOfRight,
  audience: limitOfAudience,
  available: limitOfAvailable,
  classificationcode: limitOfGrade,
  closed: limitOfClosed,
  closedaccess: flag('closed access'),
  confidential: flag('confidential'),
  date: limitOfDates,
  dates: limitOfDates,
  isaccessibleforfree: openFlag('not for free'),
  licence: limitOfTerms,
  license: limitOfTerms,
  licenses: limitOfTerms,
  disseminationlevel: limitOfDissemination,
  geheim: flag('geheim'),
  hidden: flag('hidden'),
  hold: holdFlag('on hold'),
  internal: tick('internal'),
  internaluse: flag('internal use'),
  internaluseonly: flag('internal use only'),
  listed: openFlag('not listed'),
  locked: holdFlag('locked'),
  mdclassificationcode: limitOfGrade,
  membersonly: flag('members only'),
  metadataonly: flag('metadata only'),
  keepprivate: flag('private'),
  noaccess: flag('no access'),
  nonpublic: flag('not public'),
  notforrelease: flag('not for release'),
  notpublic: flag('not public'),
  onhold: holdFlag('on hold'),
  onrequest: flag('on request'),
  open: openFlag('not open'),
  openaccess: openFlag('not open access'),
  passwordprotected: holdFlag('protected'),
  permission: limitOfPermissions,
  permissions: limitOfPermissions,
  private: flag('private'),
  protected: holdFlag('protected'),
  public: openFlag('not public'),
  restricted: flag('restricted'),
  restrictedaccess: flag('restricted access'),
  restricteduse: flag('restricted use'),
  right: limitOfRight,
  rights: limitOfTerms,
  rightslist: limitOfTerms,
  secret: flag('secret'),
  sensitivity: limitOfSensitivity,
  sharing: limitOfPermissions,
  status: limitOfGrade,
  tlp: limitOfTlp,
  unlisted: flag('unlisted'),
  visibility: limitOfVisibility,
  アクセス: limitOfRight,
  アクセス権: limitOfRight,
  公開: openFlag('not public'),
  доступ: limitOfRight,
  правадоступа: limitOfRight,
  访问: limitOfRight,
  访问权限: limitOfRight,
  訪問權限: limitOfRight,
}

/** Every field about an embargo limits access, unless it says that it is over or absent. */
function ruleOf(plain: string, isOwn: boolean): Rule | undefined {
  return isOwn ? ownRuleOf(plain) : commonRuleOf(plain)
}

const commonRuleOf = knowing((plain): Rule | undefined => {
  if (Object.hasOwn(rules, plain)) return rules[plain]
  return embargoName.test(plain) ? embargoRuleOf(plain) : undefined
})

const viewersName = /^(?:visible|readable|viewable)(?:to|by|for)$/

const ownRuleOf = knowing((plain): Rule | undefined => {
  const common = commonRuleOf(plain)
  if (common) return common
  if (/^(?:do?not|dont|never|no)(?:publish|release|share|distribute|disclose)$/.test(plain)) {
    return flag('do not publish')
  }
  if (plain === 'release') return limitOfRelease
  if (releaseName.test(plain)) return limitOfAvailable
  if (viewersName.test(plain)) return limitOfViewers
  const name = Object.hasOwn(ownRules, plain) ? plain : plain.replace(/^is/, '')
  return Object.hasOwn(ownRules, name) ? ownRules[name] : undefined
})

/** By the words of a name that no schema has: `file_access`, `droits_acces`, `is_oa`. */
function namedRule(name: string, value: unknown, { isOwn, isNear }: Place): Rule | undefined {
  const said = accessNameOf(name)
  if (said === undefined || (!isOwn && !said.isWhole)) return undefined
  if (said.speaksOf === 'sharing' && !isOwn) return undefined
  const isAmount = said.isCountable && /^\d+$/.test(wordOf(value))
  const mayBeFlag = said.isWhole && (isOwn || isNear || said.speaksOf === 'access')
  if (mayBeFlag && said.limitsIf !== undefined && isFlag(value) && !isAmount) {
    return said.limitsIf
      ? flag('restricted')
      : openFlag(said.speaksOf === 'sharing' ? 'not public' : 'not open')
  }
  if (said.speaksOf === 'grade') {
    if (!isOwn) return undefined
    return /audience|readership|circulation/i.test(name) ? limitOfAudience : limitOfGrade
  }
  if (said.speaksOf === 'sharing' && said.isWhole) return limitOfLater
  if (said.speaksOf !== 'access') return said.isWhole ? limitOfTerms : undefined
  // The address of a file does not limit access.
  if (!said.isWhole || !isOwn || /ur[il]s?$/i.test(name)) return limitOfTerms
  if (isAvailability.test(name)) return limitOfAvailability
  if (isStatement.test(name)) return limitOfConditions
  return said.limitsIf === true || isRestriction.test(name) ? limitOfRestriction : limitOfNamed
}

function isFlag(value: unknown): boolean {
  return flagIn(value) !== undefined
}

/** Names of free text, of a day or of ways. */
const isAvailability = /avail|dispon|verf/i
const isStatement =
  /accessibilit|polic|note|info|statement|date|text|metadata|id$|list|settings|options|request|label|code/i
const isRestriction = /restri|restre|schr[aä]nk|sperr/i

/** Names whose misspellings count, in documents with few enough fields to compare each. */
const guarded = [
  ...Object.keys(rules),
  'embargo',
  'embargodate',
  'embargountil',
  'isembargoed',
  'restricted',
  'confidential',
]
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
  return [...limitsIn(document, new Date(now).toISOString()).take(maxLimits)].map(
    ([[pointer, , value, name], { word, until: end }]) => {
      const until = end === undefined ? undefined : dayFrom(end)
      const day = until === undefined ? '' : ` until ${until}`
      const wait = until === undefined ? 'If' : 'Publish from that day on, or, if'
      const message =
        `${sayValue(name, literal(value), word)}, which limits access${day}, and publishing makes ` +
        `the files public. ${wait} they are open, write in place of the field: access: open`
      return { field: pointer, message, ...(until === undefined ? {} : { until }) }
    },
  )
}

/** Reasons of ISO 19115, as `license`, and further texts that do not say who may have the files. */
export function findAccessDoubts(document: Fields, now: string): readonly SchemaFault[] {
  const { access } = document
  if (access !== undefined && limitOfAccess(access, contextOn(now)) === undefined) return []
  return Object.entries(document).flatMap(([name, value]) => {
    if (plainName(name) !== 'accessconstraints' || isNone(value)) return []
    const context = contextOn(now)
    const isSaid = [value].flat().every((part) => limitOfRight(part, context) === undefined)
    if (isSaid || limitOfConstraints(value, context)) return []
    const said = `${sayOf(name)} is ${shortForm(value)}`
    const message = `${said}, which does not say who may have the files: publishing makes them public. If they are open, add the field: access: open`
    return [{ field: childPointer('', name), message }]
  })
}

function contextOn(now: string): Context {
  return { today: new Date(now).toISOString(), end: () => undefined }
}

/** `access_right is "restricted"`; of a long value, the text that limits access. */
function sayValue(name: string, value: unknown, word: string): string {
  const short = shortForm(value)
  const isHidden = typeof value === 'object' && !short.includes(word.slice(0, 60))
  const said = isHidden && textsIn(value).includes(word) ? `says ${shortForm(word)}` : `is ${short}`
  return `${sayOf(name)} ${said}`
}

/** The first whole day, in UTC, that does not begin before `instant`. */
function dayFrom(instant: string): string {
  if (instant.length === 10) return instant
  return new Date(Date.parse(instant) + 86_400_000).toISOString().slice(0, 10)
}

interface Place {
  /** Is about the document itself. */
  readonly isOwn: boolean
  /** Is by its name about the document, too: `dataset_info`, not `patients`. */
  readonly isNear: boolean
}

interface Part extends Place {
  readonly pointer: string
  readonly value: unknown
  /** A field of the name `access`. */
  readonly isAccess: boolean
}

/** Outer fields first; each part is visited once. */
function* limitsIn(
  document: Fields,
  today: string,
): Generator<readonly [Field, Limited], undefined, undefined> {
  const whole = { isOwn: true, isNear: true, isAccess: false }
  const parts: Part[] = [{ pointer: '', value: document, ...whole }]
  for (const part of parts) {
    const { pointer, value, isOwn, isNear, isAccess } = part
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) {
        if (typeof item === 'object') {
          parts.push({ ...part, pointer: childPointer(pointer, at), value: item })
        }
      }
    }
    const fields = fieldsIn(pointer, value)
    if (fields.length === 0) continue
    const ends = isAccess ? ['until'] : []
    const context = { today, end: once(() => endOfEmbargo(fields, ends)) }
    const mayGuess = pointer === '' && fields.length <= mostGuessed
    for (const found of fields) {
      const [below, plain, field, name] = found
      const rule =
        ruleOf(plain, isOwn) ??
        namedRule(name, field, part) ??
        (mayGuess ? misspeltRule(plain, name, field) : undefined)
      const limit = rule?.(literal(field), context)
      if (limit !== undefined) yield [found, limit]
      else if (typeof field === 'object' && !isForeign(plain, field)) {
        const isInner = isOwn && containers.test(plain)
        parts.push({
          pointer: below,
          value: field,
          isOwn: isInner,
          isNear: isInner || (isNear && isAboutDocument(name)),
          isAccess: plain === 'access',
        })
      }
    }
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
