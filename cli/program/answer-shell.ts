import type { CliContext } from '../session/context.ts'
import { complete } from './complete.ts'

/**
 * The lines that a script of `deposit completion` reads.
 *
 * `-- WORD...` is answered with what the last word may become, a tab, and what that is;
 * `--bash LINE TEXT` with what `TEXT` at the end of the line may become, as it is to be typed.
 */
export async function answerShell(
  context: CliContext,
  [form, ...rest]: readonly string[],
): Promise<readonly string[]> {
  const [line = '', text = ''] = rest
  if (form === '--bash') return completeInBash(context, line, text)
  const found = await complete(context, rest)
  return found.map(([value, what]) => `${value}\t${what}`)
}

/**
 * Replacements for `text`, the end of `line` that bash is about to replace. For bash a new word
 * begins behind `:`, `=` or `@` and behind an open quote; the part before it stays.
 *
 * @param line from the name of the command to the cursor
 */
async function completeInBash(
  context: CliContext,
  line: string,
  text: string,
): Promise<readonly string[]> {
  const words = splitWords(line).slice(1)
  const raw = words.at(-1)?.raw ?? ''
  const kept = splitWords(raw.endsWith(text) ? raw.slice(0, raw.length - text.length) : '').at(-1)
  const found = await complete(
    context,
    words.map(({ value }) => value),
  )
  return found.map(([value]) => toTyped(value.slice(kept?.value.length), kept?.quote ?? ''))
}

/** The quote that a word stands in at its end; empty outside of quotes. */
type Quote = '' | '"' | "'"

/** A word of a command line, as typed so far. */
interface BashWord {
  /** With its quotes, as it is typed. */
  readonly raw: string
  /** Unquoted, as a program sees it. */
  readonly value: string
  readonly quote: Quote
}

const nothing: BashWord = { raw: '', value: '', quote: '' }

/** White space, or a part of a word with one kind of quoting. */
const pieces =
  /\s+|'(?<single>[^']*)(?<singleEnd>'?)|"(?<double>(?:\\[^]|[^"\\])*)\\?(?<doubleEnd>"?)|\\(?<escaped>[^]?)|(?<plain>[^\s'"\\]+)/gu

/**
 * Splits a command line into words as bash does, without expansion. The last word is the one being
 * typed: empty behind a space.
 */
function splitWords(line: string): readonly BashWord[] {
  const words: BashWord[] = []
  let word = nothing
  for (const piece of line.matchAll(pieces)) {
    if (/^\s/.test(piece[0])) words.push(word)
    word = /^\s/.test(piece[0]) ? nothing : append(word, piece)
  }
  return [...words, word]
}

function append({ raw, value }: BashWord, { 0: typed, groups = {} }: RegExpExecArray): BashWord {
  const { single, singleEnd, double, doubleEnd, escaped, plain } = groups
  // Between double quotes a backslash escapes only these.
  const meant = single ?? double?.replaceAll(/\\([$`"\\\n])/g, '$1') ?? escaped ?? plain ?? ''
  const quote = singleEnd === '' ? "'" : doubleEnd === '' ? '"' : ''
  return { raw: raw + typed, value: value + meant, quote }
}

/** `value` as it is to be typed where `quote` is open. */
function toTyped(value: string, quote: Quote): string {
  if (quote === "'") return value.replaceAll("'", String.raw`'\''`)
  // Between double quotes, history expansion of ! is only prevented by single quotes.
  if (quote === '"') return value.replaceAll(/["$`\\]/g, String.raw`\$&`).replaceAll('!', `"'!'"`)
  return value.replaceAll(/[ !"#$&'()*;<>?[\\\]^`{|}~]/g, String.raw`\$&`)
}
