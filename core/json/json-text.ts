import { problem, type DepositError } from '../errors/errors.ts'
import type { Json } from '../base/json.ts'
import { runAtOnce, type Steps } from '../base/turns.ts'
import { patchLimits } from '../contract/json-patch.ts'
import { hasTooManyParts, scanJson, type JsonLimits } from './json-scan.ts'

/**
 * Deep enough for any metadata, shallow enough for every recursive step that follows; as many fields
 * as an object may have without its copies keeping others waiting; and as many objects and arrays
 * as a megabyte of real metadata has: each takes a hundred times the memory of its `{}`.
 */
export const defaultJsonLimits: JsonLimits = {
  maxDepth: patchLimits.maxDepth,
  maxFields: 10_000,
  maxParts: patchLimits.maxParts,
}

/**
 * Reads JSON that can be stored and given back exactly.
 *
 * Beyond broken syntax it refuses what a parser takes silently and changes: a field named twice,
 * numbers that a double cannot hold (integers beyond 2^53-1, overflow, underflow, `-0`), strings
 * with U+0000 or half of a surrogate pair; and what programs trip over: nesting and
 * objects beyond `limits`, fields named `__proto__`, and `prototype` below `constructor`.
 *
 * @throws {DepositError} malformed_json: the first of these, with its position and JSON pointer
 * @see RFC 8259, RFC 7493 (I-JSON)
 */
export function parseJson(text: string, limits: JsonLimits = defaultJsonLimits): Json {
  return runAtOnce(parseInPieces(text, limits))
}

/** As {@link parseJson}, in pieces of a few milliseconds. */
export function* parseInPieces(text: string, limits: JsonLimits = defaultJsonLimits): Steps<Json> {
  const isLong = text.length > mostSmall
  const isBeyond = isLong && hasTooManyParts(text, limits)
  if (isLong) yield
  const value = isBeyond ? refuseParts(text, limits) : parseSyntax(text)
  if (isLong) yield
  yield* scanJson(text, limits)
  return value
}

/** Characters up to which a text is parsed at once: what it can hold is parsed soon. */
const mostSmall = 16 * 1024

/**
 * Does not parse what is refused anyhow: 500,000 arrays in one another keep all others waiting for a
 * third of a second, and take a hundred times the memory of their text.
 */
function refuseParts(text: string, limits: JsonLimits): Json {
  try {
    runAtOnce(scanJson(text, limits))
  } catch (error) {
    // A string that is no JSON, before the fault that was looked for.
    if (!(error instanceof SyntaxError)) throw error
  }
  return parseSyntax(text)
}

function parseSyntax(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw toMalformedJson(error, text)
  }
}

/** The engine names the position of most faults within its message, and the place of the rest. */
function toMalformedJson({ message }: SyntaxError, text: string): DepositError<'malformed_json'> {
  const reason = message.replace(/(?: in JSON)? at position \d+.*$/s, '')
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position !== undefined)
    return problem('malformed_json', { reason, field: '', position: Number(position) })
  const isCutOff = message.startsWith('Unexpected end')
  return problem('malformed_json', {
    reason,
    field: '',
    position: isCutOff ? text.length : undefined,
  })
}
