import type { Metadata } from '../client/deposit-client.ts'
import { UsageFailure } from '../failure.ts'

/** One `--set` or `--unset`: where, and what comes there. */
export interface Change {
  readonly path: readonly string[]
  /** Absent: the field goes. */
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
  return { path: parsePath(field), value: kind === '=' ? value : parseJson(text, value) }
}

export function parseUnset(field: string): Change {
  return { path: parsePath(field) }
}

/** A copy of `document` with the changes made; what lies on the way to a new field is created. */
export function applyChanges(document: Metadata, changes: readonly Change[]): Metadata {
  const copy: Record<string, unknown> = structuredClone(document)
  for (const change of changes) applyChange(copy, change)
  return copy
}

function applyChange(root: object, { path, value }: Change): void {
  const name = path.at(-1)
  if (name === undefined) throw malformed('--set', 'the whole document is given with --metadata')
  const holder = path.slice(0, -1).reduce((parent, step) => enter(parent, step, path), root)
  if (value !== undefined) put(holder, name, value, path)
  else if (Array.isArray(holder)) holder.splice(indexIn(holder, name, path), 1)
  else Reflect.deleteProperty(holder, name)
}

function enter(parent: object, step: string, path: readonly string[]): object {
  const found: unknown = Object.hasOwn(parent, step) ? Reflect.get(parent, step) : undefined
  if (typeof found === 'object' && found !== null) return found
  if (found !== undefined) throw malformed(`--set ${path.join('/')}`, `"${step}" holds no fields`)
  const created = {}
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

/** `-` is the place behind the last element. */
function indexIn(list: readonly unknown[], name: string, path: readonly string[]): number {
  const index = name === '-' ? list.length : Number(name)
  if (/^(?:-|0|[1-9]\d*)$/.test(name) && index <= list.length) return index
  throw malformed(path.join('/'), `the list has no place "${name}"`)
}

function parsePath(field: string): readonly string[] {
  if (!field.startsWith('/')) return [field]
  return field
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function parseJson(text: string, value: string): unknown {
  try {
    return JSON.parse(value)
  } catch (error) {
    throw malformed(`--set ${text}`, 'what follows := is not JSON', error)
  }
}

function malformed(what: string, said: string, cause?: unknown): UsageFailure {
  const next = "write `--set title='A title'`, or `--set keywords:='[\"tide\"]'`; nothing was sent"
  return new UsageFailure({ tried: `understand ${what}`, said, next }, { cause })
}
