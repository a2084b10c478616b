import {
  isAboutDocument,
  containers,
  fieldsIn,
  isForeign,
  literal,
  plainName,
  type Field,
  type Fields,
} from './access-names.ts'
import {
  findAccessFaults,
  isDay,
  isOwnAccess,
  toFileAccess,
  type FileAccess,
} from './file-access.ts'
import { isNone, sayOf, shortForm, textsIn, type Limited } from './access-words.ts'
import { endOfEmbargo, type Context } from './access-embargo.ts'
import { limitOfAccess, limitOfRight, limitOfConstraints } from './access-rules.ts'
import { childPointer } from '../base/json.ts'
import type { SchemaFault } from './schema-fault.ts'
import { accessRule, knownAccessRule, type Place } from './access-fields.ts'

/** A field that says that the files are not public. */
export interface AccessLimit extends SchemaFault {
  /** `YYYY-MM-DD`: the day they become public. */
  readonly until?: string
}

const inPlace = 'in place of the field'

/** A longer list is not read. */
const maxLimits = 100

/** In documents with few enough fields each is compared with the names that count. */
const mostGuessed = 1000

/**
 * Finds every statement in `document` that its files are embargoed, restricted or closed, and that
 * its own field `access` does not carry out: publishing would make them public, or public too early.
 * A past embargo is none. Faults in that field count as well.
 *
 * @param now ISO 8601, in UTC
 * @param place where to write that they are open, for the message
 * @see Publication §7
 */
export function findAccessLimits(
  document: Fields,
  now: string,
  place = inPlace,
): readonly AccessLimit[] {
  return limitsOf(document, now, { place, isCarriedOut: true })
}

/**
 * The same of a document that is not used: its field `access` closes nothing, and counts as a limit.
 *
 * @param place as above
 */
export function findUnusedLimits(
  document: Fields,
  now: string,
  place: string,
): readonly AccessLimit[] {
  return limitsOf(document, now, { place, isCarriedOut: false })
}

function limitsOf(
  document: Fields,
  now: string,
  { place, isCarriedOut: isUsed }: { readonly place: string; readonly isCarriedOut: boolean },
): readonly AccessLimit[] {
  const { access, ...others } = document
  const isOwn = isUsed && isOwnAccess(access)
  const today = new Date(now).toISOString()
  const own = toFileAccess(isOwn ? access : undefined)
  let told: { readonly until: string | undefined } | undefined
  // Who says that the files are public has settled what a name may mean.
  const isSettled = isOwn && access['files'] === 'public'
  const found = limitsIn(isOwn ? others : document, today, isSettled).flatMap(
    ([field, { word, until: end }, isProse]) => {
      const until = end === undefined ? undefined : dayFrom(end)
      if (isOwn && isCarriedOut(own, until)) return []
      // One field to write is enough: a second one would be given twice.
      const isAgain =
        told !== undefined && told.until === until && isUsed && own.until === undefined
      const message = messageOf(field, { word, until, place, own, isOwn, isAgain, isProse })
      told ??= { until }
      return [{ field: field[0], message, ...(until === undefined ? {} : { until }) }]
    },
  )
  return [...(isOwn ? findAccessFaults(access, today) : []), ...found.take(maxLimits)]
}

/** Whether the files stay closed at least as long as another field says. */
function isCarriedOut({ files, until }: FileAccess, limit: string | undefined): boolean {
  if (files === 'public') return false
  return until === undefined || (limit !== undefined && limit <= until)
}

interface Told {
  readonly word: string
  readonly until: string | undefined
  readonly place: string
  readonly own: FileAccess
  /** The document has it. */
  readonly isOwn: boolean
  /** It stays beside `access`: a statement of availability, which journals demand. */
  readonly isProse: boolean
  /** Another fault says what to write. */
  readonly isAgain: boolean
}

function messageOf(
  [pointer, , value, name]: Field,
  { word, until, place: given, own, isOwn, isAgain, isProse }: Told,
): string {
  const isInner = pointer.lastIndexOf('/') > 0
  const place = isInner && given === inPlace ? `at the top of the document, ${given}` : given
  const day = until === undefined ? '' : ` until ${until}`
  const said = `${sayValue(name, literal(value), word)}, which limits access${day}`
  if (own.files === 'restricted' && own.until !== undefined) {
    const right = until === undefined ? 'Remove access.until' : `Write until: ${until} in access`
    return `${said}, but access opens the files on ${own.until}. ${right}, or remove the field`
  }
  if (isOwn && own.files === 'public') {
    return `${said}, but access says that the files are public. Write access: {files: restricted${until === undefined ? '' : `, until: ${until}`}}, or correct the field`
  }
  if (isAgain) return `${said}, too. Remove the field where access says it`
  const closed = `access: {files: restricted${until === undefined ? '' : `, until: ${until}`}}`
  return (
    `${said}, and publishing makes the files public. To keep them closed, write ${place}: ` +
    `${closed}. If they are open, ${isProse ? 'add the field' : `write ${place}`}: access: {files: public}`
  )
}

/** Names of texts about access that may say anything. */
const statements =
  /^(?:access(?:conditions?|constraints|info(?:rmation)?|notes?|polic(?:y|ies)|statement|terms)|conditionsofaccess|termsofaccess)$/

/** Reasons of ISO 19115, as `license`, and further texts that do not say who may have the files. */
export function findAccessDoubts(document: Fields, now: string): readonly SchemaFault[] {
  const { access } = document
  if (isOwnAccess(access)) return []
  if (access !== undefined && limitOfAccess(access, contextOn(now)) === undefined) return []
  const statementDoubts = Object.entries(document).flatMap(([name, value]) => {
    if (!statements.test(plainName(name)) || isNone(value)) return []
    const context = contextOn(now)
    const isSaid = [value].flat().every((part) => limitOfRight(part, context) === undefined)
    if (isSaid || limitOfConstraints(value, context)) return []
    const said = `${sayOf(name)} is ${shortForm(value)}`
    const message = `${said}, which does not say who may have the files: publishing makes them public. If they are open, add the field: access: {files: public}`
    return [{ field: childPointer('', name), message }]
  })
  return [...statementDoubts, ...findEarly(document, now)]
}

/** A publication date more than a day ahead may be meant as the day on which the files become public. */
function findEarly({ publication_date: date }: Fields, now: string): readonly SchemaFault[] {
  const tomorrow = new Date(Date.parse(now) + 86_400_000).toISOString().slice(0, 10)
  if (!isDay(date) || date <= tomorrow) return []
  const message = `${date} is a day to come: publishing makes the files public at once. To keep them closed until then, add the field: access: {files: restricted, until: ${date}}. If they are open, add access: {files: public}`
  return [{ field: '/publication_date', message }]
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
  isSettled: boolean,
): Generator<readonly [Field, Limited, isProse: boolean], undefined, undefined> {
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
      const rule = isSettled ? knownAccessRule(found, part) : accessRule(found, part, mayGuess)
      const limit = rule?.(literal(field), context)
      if (limit !== undefined) yield [found, limit, isProse(field) && !knownAccessRule(found, part)]
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

/** Of some words. */
function isProse(value: unknown): boolean {
  return typeof value === 'string' && /\S\s+\S+\s+\S+\s+\S/.test(value)
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
