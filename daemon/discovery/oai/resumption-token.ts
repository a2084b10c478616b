import { hash } from 'node:crypto'
import { isJsonArray, parseJson, type Json, type RecordChange } from '../../../core/index.ts'
import type { Range, Verb } from './arguments.ts'
import { momentPattern, namePattern, OaiError } from './oai-error.ts'

/** The whole state of a harvest: the service keeps none of it, so a token never expires. */
export interface Harvest {
  readonly verb: Verb
  readonly prefix: string
  readonly set: string | undefined
  /** Its end is the moment of the first answer, unless the request names an earlier one. */
  readonly range: Range
  /** The last record that was answered. */
  readonly after: RecordChange | undefined
  /** Number of records that were answered before. */
  readonly cursor: number
}

/** Raised where the meaning of the fields changes: older tokens are refused then. */
const version = 1

export function toToken({ verb, prefix, set, range, after, cursor }: Harvest): string {
  const { from = null, until = null } = range
  const { updated = null, value = null } = after ?? {}
  const fields = [version, verb, prefix, set ?? null, from, until, updated, value, cursor]
  const text = Buffer.from(JSON.stringify(fields)).toString('base64url')
  return `${text}.${checksum(text)}`
}

/** @throws {OaiError} badResumptionToken: the service did not make it, or not for this verb */
export function readToken(token: string, verb: Verb): Harvest {
  const [text = '', sum, ...rest] = token.split('.')
  const fields = sum === checksum(text) && rest.length === 0 ? parse(text) : []
  const [made, ofVerb, prefix, set, from, until, updated, value, cursor] = fields
  if (
    made !== version ||
    ofVerb !== verb ||
    !isText(prefix, namePattern) ||
    !(set === null || isText(set, namePattern)) ||
    !(from === null || isText(from, momentPattern)) ||
    !isText(until, momentPattern) ||
    !isText(updated, momentPattern) ||
    !isText(value, /./) ||
    typeof cursor !== 'number'
  ) {
    throw new OaiError(
      'badResumptionToken',
      'The resumption token is not valid for this request. Start the list again.',
    )
  }
  const range = { from: from ?? undefined, until }
  return { verb, prefix, set: set ?? undefined, range, after: { updated, value }, cursor }
}

function parse(text: string): readonly Json[] {
  try {
    const json = parseJson(Buffer.from(text, 'base64url').toString())
    return isJsonArray(json) ? json : []
  } catch {
    return []
  }
}

/** Finds tokens that were cut or changed on their way. They hold nothing but what anybody may ask. */
function checksum(text: string): string {
  return hash('sha256', `oai ${text}`).slice(0, 16)
}

function isText(value: Json | undefined, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value)
}
