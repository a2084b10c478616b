import { advice } from './advice.ts'
import { UsageFailure } from './failure.ts'

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

const marks: readonly (readonly [Encoding, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/**
 * Decodes a text file of a person: UTF-8, or UTF-16 with a byte order mark. Other encodings are
 * refused, because their letters could only be guessed.
 *
 * @param source the file's name, for the message
 * @throws {UsageFailure} with the line of the first byte that is not text
 */
export function decodeText(bytes: Uint8Array, source: string): string {
  const [encoding] = marks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte)) ?? []
  const text = tryDecode(bytes, encoding ?? 'utf-8')
  if (text === undefined) throw notText(source, lineOfFault(bytes, encoding ?? 'utf-8'), encoding)
  const zero = text.indexOf('\0')
  if (zero !== -1) throw holdsZero(source, text.slice(0, zero).split('\n').length)
  return text
}

/** Without its byte order mark. */
function tryDecode(bytes: Uint8Array, encoding: Encoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Counted from 1. */
function lineOfFault(bytes: Uint8Array, encoding: Encoding): number {
  const decoder = new TextDecoder(encoding, { fatal: true })
  let line = 1
  try {
    for (const byte of bytes) {
      if (decoder.decode(Uint8Array.of(byte), { stream: true }) === '\n') line += 1
    }
  } catch {
    // This is the byte.
  }
  return line
}

function notText(source: string, line: number, encoding: Encoding | undefined): UsageFailure {
  const name = encoding === undefined ? 'UTF-8' : `${encoding.toUpperCase()}, as its mark says`
  return new UsageFailure({
    tried: `read ${source}`,
    said: `line ${line} is not ${name}`,
    next: isTable(source) ? advice.saveTableAsUtf8() : advice.saveAsUtf8(),
  })
}

function holdsZero(source: string, line: number): UsageFailure {
  return new UsageFailure({
    tried: `read ${source}`,
    said: `line ${line} contains a NUL character: the file is not text, or it is UTF-16 without a byte order mark`,
    next: isTable(source) ? advice.saveTableAsUtf8() : advice.saveAsUtf8(),
  })
}

/** Spreadsheets often write other encodings. */
function isTable(source: string): boolean {
  return /\.(?:csv|tsv)$/i.test(source)
}
