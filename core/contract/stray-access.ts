import { isAccessField } from './access-fields.ts'
import { lastDayOf } from './access-words.ts'
import { isFields, type Fields } from './access-names.ts'
import { isDay, isOwnAccess, toFileAccess } from './file-access.ts'
import { packageSchemas } from './metadata.ts'
import { nearest } from './nearest.ts'
import { childPointer } from '../base/json.ts'
import type { SchemaFault } from './schema-fault.ts'

/** A field that is probably meant to close the files. */
export interface StrayAccess extends SchemaFault {
  readonly name: string
  /** It can hardly mean anything else: publishing is refused. Others may speak of the data. */
  readonly isSure: boolean
}

/** Letters of `access` that may be wrong. With one there is no other word, with two there are some. */
const mostWrong = 2

/** Other words that are as near. */
const others = new Set(['accessed', 'excess', 'recess', 'success'])

/** What clients of other services sent is under these, and has rules of its own. */
const ofOtherServices = new Set(['zenodo', 'rdm'])

/**
 * Fields that no schema has, and that are probably meant to close the files: `access` in another spelling,
 * those that say so in a word, at any depth, and those with fields of `access` and a day to come. A
 * document's own `access` settles the doubtful ones. Fields about access in the words of others are
 * judged by `access-limits.ts`.
 *
 * @param now ISO 8601, in UTC
 * @param isKnown whether a field of this name has a meaning of its own
 */
export function findStrayAccess(
  document: Fields,
  now: string,
  isKnown: (name: string) => boolean,
): readonly StrayAccess[] {
  const { access } = document
  if (toFileAccess(access).files === 'restricted') return []
  const today = now.slice(0, 10)
  const isSaid = isFields(access) && access['files'] === 'public'
  return Object.entries(document).flatMap(([name, value]) => {
    if (isKnown(name) || ofOtherServices.has(name) || isEmpty(value)) return []
    const until = isFields(value) ? dayIn(value) : openingDay(name, value)
    const isOfAccess = isOwnAccess(value) || !isFields(value)
    const said = sayStray(name, value, isOfAccess ? until : undefined, today)
    if (said === undefined) return []
    const isSure = isSureOf(name, value)
    if (!isSure && isSaid) return []
    const message = messageOf(said, until, isSure)
    return [{ name, field: childPointer('', name), message, isSure }]
  })
}

function messageOf(said: string, until: string | undefined, isSure: boolean): string {
  const day = until === undefined ? '' : `, until: ${until}`
  const open = isSure ? 'write in place of the field' : 'add'
  return (
    `${said}, which has no effect: publishing makes the files public. To keep them closed, ` +
    `write in place of the field: access: {files: restricted${day}}. If they are open, ` +
    `${open}: access: {files: public}`
  )
}

/**
 * Whether a field of this name has a meaning of its own in the package's schemas, or is the
 * service's. Of an operator's own schema this says nothing.
 */
export function isPackageField(name: string): boolean {
  return Object.hasOwn(ownFields, name) || name.startsWith('_') || name === '$schema'
}

const { properties: ownFields = {} }: { readonly properties?: object } =
  packageSchemas['deposit-v1.0.0.json']

function sayStray(
  name: string,
  value: unknown,
  until: string | undefined,
  today: string,
): string | undefined {
  if (isNear(name, mostWrong)) return 'it looks like access'
  if (isAccessField(name) && until === undefined) return undefined
  const word = closedWordIn(value)
  if (word !== undefined) return `it says ${JSON.stringify(word)}`
  return until !== undefined && until > today ? `it says until ${until}` : undefined
}

/** True for `acess`, whatever it says, and for what says `files: restricted`, whatever its name is. */
function isSureOf(name: string, value: unknown): boolean {
  if (name === 'until') return true
  if (isNear(name, 1)) return true
  if (name.toLowerCase() === 'files') return typeof value === 'string'
  const { files } = isOwnAccess(value)
    ? value
    : { files: isNear(name, mostWrong) ? value : undefined }
  return closedWordIn(files) !== undefined
}

/** `access` itself is no misspelling of it, and neither is a name that has a meaning elsewhere. */
function isNear(name: string, most: number): boolean {
  if (others.has(name.toLowerCase()) || isAccessField(name)) return false
  return nearest(name, ['access'], most) !== undefined
}

/** Words of a name by which a day to come is that on which files become public. */
const opening = /avail|open|publi|releas|delay|access|visib|disclos|shar|^until$/i

/** The day of `until`, `data_release`, `access_opens`; undefined under other names, as `valid_until`. */
function openingDay(name: string, value: unknown): string | undefined {
  return opening.test(name) ? lastDayOf(value) : undefined
}

function dayIn({ until }: Fields): string | undefined {
  return isDay(until) ? until : undefined
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === undefined || value === null || value === ''
}

const closedWord =
  /^\s*(?:restricted|closed|embargoed)(?:[ -]access)?\s*$|\bdo not (?:disclose|distribute|publish|release|share)\b/i

function closedWordIn(value: unknown): string | undefined {
  if (typeof value === 'string') return closedWord.test(value) ? value.slice(0, 200) : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const each of Object.values(value)) {
    const word = closedWordIn(each)
    if (word !== undefined) return word
  }
  return undefined
}
