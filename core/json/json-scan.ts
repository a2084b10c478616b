import { problem } from '../errors/errors.ts'
import { toPointer } from '../base/json.ts'
import type { Steps } from '../base/turns.ts'

const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const zero = 0x30
const nine = 0x39
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Any integer of so few characters is safe. */
const safeLength = 15

/** Limits of a JSON text beyond its grammar. */
export interface JsonLimits {
  /** Arrays and objects within each other. */
  readonly maxDepth: number
  /** Fields of one object. */
  readonly maxFields: number
  /** Objects and arrays together. */
  readonly maxParts: number
}

/** A container the scan is inside of. */
interface Frame {
  /** Names met so far; undefined for an array. */
  readonly names: Set<string> | undefined
  expectsName: boolean
  /** Name or index of the current element. */
  token: string | number
}

/** Characters that are scanned in one piece of work. */
const pieceLength = 128 * 1024

/**
 * Checks a text that is known to be JSON for what its parser let pass, in one pass without
 * recursion.
 *
 * @throws {DepositError} malformed_json: the first fault, with its position and JSON pointer
 */
export function* scanJson(text: string, limits: JsonLimits): Steps<undefined> {
  const scanner = new Scanner(text, limits)
  for (let end = pieceLength; end < text.length; end += pieceLength) {
    scanner.scanTo(end)
    yield
  }
  scanner.scanTo(text.length)
  return undefined
}

/**
 * Whether a text of whatever syntax has more arrays and objects than `limits` allow, at any depth or in
 * all; strings are skipped. Takes a few milliseconds a megabyte, and nearly no memory.
 */
export function hasTooManyParts(text: string, { maxDepth, maxParts }: JsonLimits): boolean {
  let depth = 0
  let parts = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = closingQuote(text, at)
      if (at === -1) return false
    } else if (code === openBrace || code === openBracket) {
      depth += 1
      parts += 1
      if (depth > maxDepth || parts > maxParts) return true
    } else if (code === closeBrace || code === closeBracket) depth -= 1
  }
  return false
}

/** Index of the quote that closes the string which opens at `start`; -1 where none does. */
function closingQuote(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, index: number): boolean {
  let first = index
  while (text.charCodeAt(first - 1) === backslash) first -= 1
  return (index - first) % 2 === 1
}

class Scanner {
  readonly #text: string
  readonly #limits: JsonLimits
  readonly #frames: Frame[] = []
  /** False where no string can hold anything but whole, visible characters. */
  readonly #hasOddText: boolean
  #at = 0
  #parts = 0
  #nextBackslash = -1

  constructor(text: string, limits: JsonLimits) {
    this.#text = text
    this.#limits = limits
    this.#hasOddText = text.includes('\\u') || !text.isWellFormed()
  }

  scanTo(end: number): void {
    while (this.#at < end) this.#step(this.#text.charCodeAt(this.#at))
  }

  #step(code: number): void {
    if (code === quote) this.#string()
    else if (code === minus || (code >= zero && code <= nine)) this.#number()
    else {
      if (code === comma) this.#next()
      else if (code === openBrace || code === openBracket) this.#open(code === openBrace)
      else if (code === closeBrace || code === closeBracket) this.#frames.pop()
      this.#at += 1
    }
  }

  #open(isObject: boolean): void {
    const { maxDepth } = this.#limits
    if (this.#frames.length === maxDepth) {
      this.#refuse(`the nesting is deeper than ${maxDepth} levels`)
    }
    const { maxParts } = this.#limits
    this.#parts += 1
    if (this.#parts > maxParts)
      this.#refuse(`the document has more than ${maxParts} objects and arrays`)
    const names = isObject ? new Set<string>() : undefined
    this.#frames.push({ names, expectsName: isObject, token: 0 })
  }

  #next(): void {
    const frame = this.#frames.at(-1)
    if (frame?.names) frame.expectsName = true
    else if (typeof frame?.token === 'number') frame.token += 1
  }

  #string(): void {
    const start = this.#at
    const end = closingQuote(this.#text, start) + 1
    const frame = this.#frames.at(-1)
    if (frame?.expectsName) this.#name(frame, this.#decode(start, end))
    if (this.#hasOddText) this.#checkText(this.#decode(start, end))
    this.#at = end
  }

  #name(frame: Frame, name: string): void {
    frame.token = name
    frame.expectsName = false
    if (frame.names?.has(name)) this.#refuse('the field appears twice')
    if (name === '__proto__') this.#refuse('a field may not be named __proto__')
    if (name === 'prototype' && this.#frames.at(-2)?.token === 'constructor') {
      this.#refuse('a field named constructor may not hold one named prototype')
    }
    frame.names?.add(name)
    const { maxFields } = this.#limits
    if ((frame.names?.size ?? 0) > maxFields) {
      this.#refuse(`the object has more than ${maxFields} fields`)
    }
  }

  #checkText(text: string): void {
    if (text.includes('\0')) this.#refuse('a string holds the character U+0000')
    if (!text.isWellFormed()) this.#refuse('a string holds half of a surrogate pair')
  }

  #number(): void {
    const start = this.#at
    let end = start + 1
    while (isOfNumber(this.#text.charCodeAt(end))) end += 1
    const literal = this.#text.slice(start, end)
    if (literal.length > safeLength || !/^[1-9]?\d*$/.test(literal)) this.#checkNumber(literal)
    this.#at = end
  }

  #checkNumber(literal: string): void {
    const value = Number(literal)
    if (!Number.isFinite(value)) this.#refuse('the number is too large')
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      this.#refuse('the integer is beyond 2^53-1, which is as far as they are exact')
    }
    if (Object.is(value, -0)) this.#refuse('the number is a negative zero')
    if (value === 0 && /^[^eE]*[1-9]/.test(literal)) this.#refuse('the number is too close to zero')
  }

  #decode(start: number, end: number): string {
    // Looked for only when passed, so that all searches together read the text once.
    if (this.#nextBackslash < start) {
      const next = this.#text.indexOf('\\', start)
      this.#nextBackslash = next === -1 ? Infinity : next
    }
    if (this.#nextBackslash >= end) return this.#text.slice(start + 1, end - 1)
    return String(JSON.parse(this.#text.slice(start, end)))
  }

  #refuse(reason: string): never {
    throw problem('malformed_json', {
      reason,
      field: toPointer(this.#frames.map(({ token }) => token)),
      position: this.#at,
    })
  }
}

/** Digits, and `+ - . e E`. */
function isOfNumber(code: number): boolean {
  if (code >= zero && code <= nine) return true
  return code === 0x2b || code === minus || code === 0x2e || code === 0x65 || code === 0x45
}
