import type { CliContext } from '../session/context.ts'
import { powerShellWord } from '../plain.ts'
import { complete } from './complete.ts'

/**
 * The lines that a script of `deposit completion` reads.
 *
 * `-- WORD...` is answered with what the last word may become, a tab, and what that is;
 * `--bash LINE TEXT` with what `TEXT` at the end of the line may become, as it is to be typed;
 * `--powershell WORDS` with JSON in ASCII, `WORDS` being those behind `deposit`, a line each, in
 * UTF-8 and base64: no version of PowerShell changes either on its way.
 */
export async function answerShell(
  context: CliContext,
  [form, ...rest]: readonly string[],
): Promise<readonly string[]> {
  const [line = '', text = ''] = rest
  if (form === '--bash') return completeInBash(context, line, text)
  if (form === '--powershell') return completeInPowerShell(context, line)
  const found = await complete(context, rest)
  return found.map(([value, what]) => `${value}\t${what}`)
}

/** `typed` is what replaces the word; PowerShell takes no empty text for `what`. */
async function completeInPowerShell(
  context: CliContext,
  encoded: string,
): Promise<readonly string[]> {
  const words = Buffer.from(encoded, 'base64').toString('utf8').split('\n')
  // The quote that the last word begins with is not closed yet.
  const begun = words.at(-1)?.replace(/^['"\u2018-\u201E]/, '') ?? ''
  const found = await complete(context, [...words.slice(0, -1), begun])
  const answer = found.map(([value, what]) => ({
    typed: powerShellWord(value),
    value,
    what: what || value,
  }))
  return [inAscii(JSON.stringify(answer))]
}

/** JSON with every other character escaped. */
function inAscii(json: string): string {
  return json.replaceAll(/[^\x20-\x7e]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
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
