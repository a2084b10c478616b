import {
  accessNameOf,
  generalNames,
  isFields,
  isNearAccessName,
  knowing,
  plainName,
  releaseName,
  type Field,
} from './access-names.ts'
import { flagIn, isLimitedTerm, isMisspeltTerm, lastDayOf, wordOf } from './access-words.ts'
import { embargoName, embargoRuleOf, limitOfEmbargo, type Rule } from './access-embargo.ts'
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

/**
 * Fields with one meaning at any depth, by their names in the metadata of Zenodo and InvenioRDM, in
 * CodeMeta, DataCite, DCAT, Dataverse and ours. Spelling variants count as one name: {@link
 * plainName}.
 */
const rules: Readonly<Record<string, Rule>> = {
  accessconditions: limitOfConditions,
  accessconstraints: limitOfConstraints,
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

/** Fields that only count directly in the document or in its containers. */
const ownRules: Readonly<Record<string, Rule>> = {
  access: limitOfAccess,
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
  lock: holdFlag('locked'),
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
  sharedwith: limitOfPermissions,
  sharewith: limitOfPermissions,
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

/** The relation of a field to the document. */
export interface Place {
  /** Is about the document itself. */
  readonly isOwn: boolean
  /** Is by its name about the document, too: `dataset_info`, not `patients`. */
  readonly isNear: boolean
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

/** The day on which the files become public, as of an embargo: `restricted_until`. */
const closedUntilName =
  /^(?:access|data|files?)?(?:is)?(?:closed|confidential|geschlossen|gesperrt|hidden|private|restricted|secret|vertraulich)(?:access)?(?:until|till|bis)$/

const ownRuleOf = knowing((plain): Rule | undefined => {
  const common = commonRuleOf(plain)
  if (common) return common
  if (/^(?:do?not|dont|never|no)(?:publish|release|share|distribute|disclose)$/.test(plain)) {
    return flag('do not publish')
  }
  if (closedUntilName.test(plain)) return limitOfEmbargo
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
  const rule =
    said.limitsIf === true || isRestriction.test(name) ? limitOfRestriction : limitOfNamed
  return isFields(value) ? withDay(rule) : rule
}

/** In the form of `access`, it ends on a day. */
function withDay(rule: Rule): Rule {
  return (value, context) => {
    const own = limitOfAccess(value, context)
    return own?.until === undefined ? rule(value, context) : own
  }
}

function isFlag(value: unknown): boolean {
  return flagIn(value) !== undefined
}

/** Names of free text, of a day or of ways. */
const isAvailability = /avail|dispon|verf/i
const isStatement =
  /accessibilit|polic|note|info|statement|date|text|metadata|id$|list|settings|options|request|label|code/i
const isRestriction = /restri|restre|schr[aä]nk|sperr/i

/** Names whose misspellings count. */
const guarded = [
  ...Object.keys(rules),
  'embargo',
  'embargodate',
  'embargountil',
  'isembargoed',
  'restricted',
  'confidential',
]

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

/** How to read a field that is known by its name; undefined for one that only sounds like access. */
export function knownAccessRule([, plain]: Field, { isOwn }: Place): Rule | undefined {
  // An embargo in the middle of a name is one of the data: of oil, against a country.
  const isPartly = embargoName.test(plain) && !/^(?:is|under|data|files?)?embargo/.test(plain)
  return isPartly ? undefined : ruleOf(plain, isOwn)
}

/**
 * How to read a field; undefined if it does not speak of access.
 *
 * @param mayGuess misspelt names count, too
 */
export function accessRule(
  [, plain, value, name]: Field,
  place: Place,
  mayGuess: boolean,
): Rule | undefined {
  return (
    ruleOf(plain, place.isOwn) ??
    namedRule(name, value, place) ??
    (mayGuess ? misspeltRule(plain, name, value) : undefined)
  )
}
