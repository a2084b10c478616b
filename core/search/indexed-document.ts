import type { UserId } from '../access/caller.ts'
import { findersOf } from '../access/rights.ts'
import type { Deposit } from '../deposit/deposit.ts'
import { toDepositDocument, toRecordDocument, type SchemaUrl } from '../deposit/document.ts'
import { isJsonObject, type JsonObject, type Json } from '../base/json.ts'
import { depositPidType } from '../pid/deposit-pid.ts'
import type { PublishedRecord } from '../record/record.ts'
import type { Query, FieldPath } from './ast.ts'

/** The searchable form of a deposit or a record. */
export interface IndexedDocument {
  /** Unique among the documents of its kind. */
  readonly id: string
  readonly kind: 'deposit' | 'record'
  /** Rises with each change of the document. */
  readonly revision: number
  /** The users who may find it, where not everybody may. */
  readonly owners: readonly UserId[]
  readonly status: 'draft' | 'published'
  /** ISO 8601, UTC. */
  readonly created: string
  readonly updated: string
  /** The `metadata` that clients see, with `_deposit` and `$schema`. */
  readonly document: JsonObject
}

export function toIndexedDeposit(deposit: Deposit, schemaUrl: SchemaUrl): IndexedDocument {
  return {
    id: deposit.id,
    kind: 'deposit',
    revision: deposit.revision,
    owners: findersOf(deposit),
    status: deposit.status,
    created: deposit.created,
    updated: deposit.updated,
    document: withPidType(toDepositDocument(deposit, schemaUrl), deposit.pidType),
  }
}

/**
 * Field below which a document has one named after the type of its identifier. Those of `depid` have
 * none, so that an index from before there were others stays as it was.
 */
const pidTypeField = ['_deposit', 'pid_type'] as const

function withPidType(document: JsonObject, pidType: string): JsonObject {
  const { _deposit } = document
  if (pidType === depositPidType || !isJsonObject(_deposit)) return document
  return { ...document, _deposit: { ..._deposit, pid_type: { [pidType]: true } } }
}

/** Narrows `query` to deposits whose identifiers are of a type. */
export function ofPidType(query: Query | undefined, pidType: string): Query {
  const narrowed: Query =
    pidType === depositPidType
      ? { type: 'not', clause: { type: 'exists', field: pidTypeField } }
      : { type: 'exists', field: [...pidTypeField, pidType] }
  return query ? { type: 'and', clauses: [query, narrowed] } : narrowed
}

/** Field of the records that a later version has superseded; others have none. */
const supersededField = ['_deposit', 'superseded'] as const

/** A later version changes the document without a revision: it counts as more than all of them. */
const supersededStep = 2 ** 30

/** Narrows `query` to the newest version of each concept. */
export function ofNewest(query: Query | undefined): Query {
  const narrowed: Query = { type: 'not', clause: { type: 'exists', field: supersededField } }
  return query ? { type: 'and', clauses: [query, narrowed] } : narrowed
}

export function isSuperseded({ document: { _deposit } }: IndexedDocument): boolean {
  return isJsonObject(_deposit) && _deposit['superseded'] === true
}

/** A record's id is the value of its identifier. */
export function toIndexedRecord(record: PublishedRecord, schemaUrl: SchemaUrl): IndexedDocument {
  return {
    id: record.value,
    kind: 'record',
    revision: record.revision + (record.superseded ? supersededStep : 0),
    owners: record.deposit.owners,
    status: 'published',
    created: record.created,
    updated: record.updated,
    document: withSuperseded(toRecordDocument(record, schemaUrl), record.superseded),
  }
}

function withSuperseded(document: JsonObject, superseded: boolean): JsonObject {
  const { _deposit } = document
  if (!superseded || !isJsonObject(_deposit)) return document
  return { ...document, _deposit: { ..._deposit, superseded } }
}

/** A value that can be compared: null, arrays and objects are only the way to one. */
export type Leaf = string | number | boolean

/**
 * The values at a path: through arrays into each of their elements, and everything below where the
 * path ends at an object. `_created` and `_updated` are the document's own times.
 */
export function* leavesAt(indexed: IndexedDocument, path: FieldPath): Generator<Leaf> {
  if (path.length === 1 && path[0] === '_created') yield indexed.created
  else if (path.length === 1 && path[0] === '_updated') yield indexed.updated
  else yield* descend(indexed.document, path, 0)
}

/** Values that a term without a field is searched in: the user's fields and the identifiers. */
export function* plainLeaves(indexed: IndexedDocument, without?: string): Generator<Leaf> {
  for (const [name, value] of Object.entries(indexed.document)) {
    if (!isServiceField(name) && name !== without) yield* leavesOf(value)
  }
  yield* leavesAt(indexed, ['_deposit', 'id'])
  yield* leavesAt(indexed, ['_deposit', 'value'])
}

/** True for the top-level fields that only a query with a field looks into. */
export function isServiceField(name: string): boolean {
  return name === '_deposit' || name === '$schema' || name === '_created' || name === '_updated'
}

export function* leavesOf(value: Json): Generator<Leaf> {
  if (value === null) return
  if (typeof value !== 'object') yield value
  else for (const inner of Object.values<Json>(value)) yield* leavesOf(inner)
}

function* descend(value: Json, path: FieldPath, depth: number): Generator<Leaf> {
  const name = path[depth]
  if (name === undefined) yield* leavesOf(value)
  else if (isArray(value)) for (const inner of value) yield* descend(inner, path, depth)
  else if (typeof value === 'object' && value !== null && Object.hasOwn(value, name)) {
    yield* descend(value[name] ?? null, path, depth + 1)
  }
}

/** `Array.isArray` does not narrow a readonly array. */
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** Characters of the text of a document, by which its place in memory is estimated. */
export function textLength({ document }: IndexedDocument): number {
  return lengthOf(document)
}

/** Without an iterator: each change of a document asks for this. */
function lengthOf(value: Json): number {
  if (value === null) return 0
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object') return 8
  let length = 0
  if (isArray(value)) for (const inner of value) length += lengthOf(inner)
  else for (const name in value) length += lengthOf(value[name] ?? null)
  return length
}

/** Characters of a document that are looked into in one piece of work, at most. */
const longest = 16 * 1024

/** Estimates of memory in bytes: of a document, and of each character of it. */
const bytesOfDocument = 2000
const bytesOfCharacter = 8

/** Whether the event loop cannot look into the document: its text takes too long. */
export function isTooLong(document: IndexedDocument): boolean {
  return textLength(document) > longest
}

/** Memory that a document takes without its words, in bytes. */
export function estimatedBytes(document: IndexedDocument): number {
  return bytesOfDocument + bytesOfCharacter * textLength(document)
}
