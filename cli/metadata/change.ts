import { advice } from '../advice.ts'
import type { Metadata } from '../client/deposit-client.ts'
import { UsageFailure } from '../failure.ts'
import { readJson } from './json-text.ts'
import { childPointer } from '../../core/base/json.ts'
import { suggestion } from '../../core/contract/nearest.ts'
import { ownMetadata } from '../output/deposit-facts.ts'

import fields from '../../core/contract/metadata/fields-v1.0.0.json' with { type: 'json' }

/** Fields of the package's schemas. */
const knownFields: ReadonlySet<string> = new Set(Object.keys(fields.properties))

const listFields: ReadonlySet<string> = new Set(
  Object.entries(fields.properties).flatMap(([name, field]) =>
    'type' in field && field.type === 'array' ? [name] : [],
  ),
)

/** One `--set` or `--unset`. */
export interface Change {
  readonly path: readonly string[]
  /** Absent: the field is removed. */
  readonly value?: unknown
}

/**
 * `title=Tides` sets a text, `keywords:=["tide"]` any JSON. The field is a name, or a JSON Pointer.
 *
 * @throws {UsageFailure} it has no `=`, or what follows `:=` is not JSON
 * @see RFC 6901
 */
export function parseSet(text: string): Change {
  const [, field, kind, value] = /^(.*?)(:?=)(.*)$/s.exec(text) ?? []
  if (!field || value === undefined)
    throw malformed(`--set ${text}`, 'it is not `field=text` or `field:=json`')
  requireField('--set', field, `${kind}${value}`)
  return { path: parsePath(field), value: kind === '=' ? value : parseJson(text, value) }
}

export function parseUnset(field: string): Change {
  requireField('--unset', field, '')
  return { path: parsePath(field) }
}

/**
 * Refuses notations of other tools such as `creators.0.name` and `keywords+`, which would become
 * fields of that name.
 */
function requireField(option: string, field: string, rest: string): void {
  if (parsePath(field)[0] === '_deposit') throw keptByService(option, field)
  const [, name = '', path = '', more] = /^(\w+)((?:[.[]\w+\]?)*)(\+|\[\])?$/.exec(field) ?? []
  if (!knownFields.has(name) || (path === '' && more === undefined)) return
  const named = path.replaceAll(/[.[]/g, '/').replaceAll(']', '')
  // In a list, an index comes before the names of fields.
  const isWithoutPlace = listFields.has(name) && /^\/(?!\d)/.test(named)
  const steps = isWithoutPlace ? `/${option === '--set' ? '-' : '0'}${named}` : named
  const isOfPeople = ['creators', 'contributors'].includes(name) && path === ''
  const appended = isOfPeople ? '/-/name' : '/-'
  const pointer = `/${name}${steps}${more === undefined ? '' : appended}`
  const next = advice.writePointer(option, pointer + rest)
  const example = pointer.replaceAll('/-', '/0')
  const said = `a field within another is written with slashes, such as "${example}"`
  throw new UsageFailure({ tried: `understand ${option} ${field}${rest}`, said, next })
}

/** Refuses `_deposit`: the daemon would keep its own value, and nothing would change. */
function keptByService(option: string, field: string): UsageFailure {
  return new UsageFailure({
    tried: `change ${field}`,
    said: '`_deposit` holds what the service keeps of a deposit, such as its id and status; it cannot be set',
    next: advice.leaveOut(`${option} ${field}`),
  })
}

/** A changed copy of `document`; missing parents of a new field are created. */
export function applyChanges(document: Metadata, changes: readonly Change[]): Metadata {
  const copy: Record<string, unknown> = structuredClone(document)
  for (const change of changes) applyChange(copy, change)
  return copy
}

function applyChange(root: object, { path, value }: Change): void {
  const name = path.at(-1)
  if (name === undefined) throw malformed('--set', 'the whole document is given with --metadata')
  const isSet = value !== undefined
  const holder = path
    .slice(0, -1)
    .reduce((parent, step, at) => enter(parent, step, path, isSet ? path[at + 1] : undefined), root)
  if (isSet) put(holder, name, value, path)
  else if (!Object.hasOwn(holder, name)) throw noSuchField(holder, path)
  else if (Array.isArray(holder)) holder.splice(indexIn(holder, name, path), 1)
  else Reflect.deleteProperty(holder, name)
}

/** @param next what is named in it, where it may be made: a list for its first element */
function enter(
  parent: object,
  step: string,
  path: readonly string[],
  next: string | undefined,
): object {
  const found: unknown = Object.hasOwn(parent, step) ? Reflect.get(parent, step) : undefined
  if (typeof found === 'object' && found !== null) return found
  if (found === undefined && next === undefined) throw noSuchField(parent, path)
  if (found !== undefined) throw malformed(`--set ${path.join('/')}`, `"${step}" holds no fields`)
  const created = next === '-' || next === '0' ? [] : {}
  put(parent, step, created, path)
  return created
}

function put(holder: object, name: string, value: unknown, path: readonly string[]): void {
  const key = Array.isArray(holder) ? indexIn(holder, name, path) : name
  // Defined rather than assigned: `__proto__` is a field like any other.
  Object.defineProperty(holder, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  })
}

/** The index in a list; `-` is behind the last element. */
function indexIn(list: readonly unknown[], name: string, path: readonly string[]): number {
  const index = name === '-' ? list.length : Number(name)
  if (/^(?:-|0|[1-9]\d*)$/.test(name) && index <= list.length) return index
  throw malformed(path.join('/'), `the list has no place "${name}"`)
}

function noSuchField(holder: object, path: readonly string[]): UsageFailure {
  const name = path.length === 1 ? path.join('') : `/${path.join('/')}`
  const near = suggestion(path.at(-1) ?? '', Object.keys(holder))
  const said = `there is no field ${JSON.stringify(name)}${near}; there are ${Object.keys(holder).join(', ')}`
  const next = advice.correctOption('--unset')
  return new UsageFailure({ tried: `unset ${name}`, said, next })
}

function parsePath(field: string): readonly string[] {
  if (!field.startsWith('/')) return [field]
  return field
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function parseJson(text: string, value: string): unknown {
  const read = readJson(value)
  if ('value' in read) return read.value
  throw malformed(`--set ${text}`, `the value after := cannot be used: ${read.said}`)
}

function malformed(what: string, said: string): UsageFailure {
  const next = advice.writeSet()
  return new UsageFailure({ tried: `understand ${what}`, said, next })
}

/** A change of metadata. @see RFC 6902 */
export type MetadataChange =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

/**
 * A patch from `before` to `after`. `_deposit` is the server's and is ignored; a `$schema` that
 * `after` does not name stays.
 */
export function compareMetadata(before: Metadata, after: Metadata): readonly MetadataChange[] {
  const { $schema: kept } = before
  return compare('', ownMetadata(before), ownMetadata({ $schema: kept, ...after }))
}

function compare(path: string, before: unknown, after: unknown): readonly MetadataChange[] {
  if (before === after) return []
  if (!isHolder(before) || !isHolder(after) || Array.isArray(before) !== Array.isArray(after))
    return [{ op: 'replace', path, value: after }]
  const earlier = new Map<string, unknown>(Object.entries(before))
  const later = new Map<string, unknown>(Object.entries(after))
  // From the last: a removal leaves the indexes before it unchanged.
  const changed = [...earlier].toReversed().flatMap(([name, value]): readonly MetadataChange[] => {
    const at = childPointer(path, name)
    return later.has(name) ? compare(at, value, later.get(name)) : [{ op: 'remove', path: at }]
  })
  const added = [...later].filter(([name]) => !earlier.has(name))
  return [
    ...changed,
    ...added.map(([name, value]) => ({
      op: 'add' as const,
      path: childPointer(path, name),
      value,
    })),
  ]
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
