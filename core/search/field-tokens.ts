import { sha256 } from '../json/canonical.ts'
import type { FieldPath } from './ast.ts'

/**
 * Tokens of indexes on disk beside the words of a text. Each begins with a character of private
 * use, which no word has, so that an index takes it for one word and no query can write it.
 */
const marks = { gap: '\ue000', field: '\ue001', exists: '\ue002', owner: '\ue003' } as const

/** Stands between two values, so that no phrase reaches from one into the next. */
export const gapToken = marks.gap

/**
 * The number of a field by its path: 48 bits of a digest, for fields are named by users, who may
 * have as many as they like and names of any length.
 */
export function fieldNumber(path: FieldPath): number {
  return path.reduce(innerField, 0)
}

const numbers = new Map<string, number>()

/** The number of the field `name` inside of another; 0 is the document. */
export function innerField(outer: number, name: string): number {
  const path = `${outer} ${name}`
  const known = numbers.get(path)
  if (known !== undefined) return known
  const number = Number.parseInt(sha256(path).slice(0, 12), 16)
  if (numbers.size >= mostNumbers) numbers.clear()
  numbers.set(path, number)
  return number
}

const mostNumbers = 10_000

/** Says that a value of the field, or of one below it, has the word; a prefix stays a prefix. */
export function fieldToken(field: number, word: string): string {
  return `${marks.field}${digits(field)}${word}`
}

/** Says that the field has a value. */
export function existsToken(field: number): string {
  return `${marks.exists}${digits(field)}`
}

/** Says whose a document is, to the letter. */
export function ownerToken(user: string): string {
  return `${marks.owner}${digits(fieldNumber([user]))}`
}

/** Always as many, so that a word behind them begins at the same place. */
function digits(field: number): string {
  const known = written.get(field)
  if (known !== undefined) return known
  const text = field.toString(36).padStart(10, '0')
  if (written.size >= mostNumbers) written.clear()
  written.set(field, text)
  return text
}

const written = new Map<number, string>()
