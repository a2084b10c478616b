import {
  addressAt,
  escapable,
  goesOn,
  isAddress,
  isInWord,
  isList,
  isTable,
  longest,
  readMarkdown,
  rule,
  type Block,
  type Inline,
  type Item,
  type List,
} from './markdown.ts'

/**
 * Writes what `readMarkdown` reads as the same again. Text that would be read as a mark is escaped.
 * Emphasis that it could not read, as within a word or around more than it takes, is left out.
 */
export function writeMarkdown(blocks: readonly Block[]): string {
  return blocks
    .map(writeBlock)
    .filter((written) => written !== '')
    .join('\n\n')
}

/** The same text in the marks that we write: equal texts say the same, however they were marked. */
export function inOurMarks(markdown: string): string {
  return writeMarkdown(readMarkdown(markdown))
}

function writeBlock(block: Block): string {
  if (block.kind === 'code') return writeCode(block.text)
  if (isList(block)) return linesOfList(block).join('\n')
  if (block.kind === 'table') return writeTable(block.head, block.rows)
  if (block.kind === 'heading') {
    const line = inOneLine(writeInline(block.inside))
    return line === '' ? '' : `${'#'.repeat(block.level)} ${line}`
  }
  if (block.kind === 'quote') {
    const lines = linesOf(block.inside)
    return lines.map((line) => `> ${line}`.trim()).join('\n')
  }
  const [only] = block.inside
  if (only?.kind === 'text' && block.inside.length === 1 && rule.test(only.text))
    return only.text.trim()
  return linesOf(block.inside)
    .join('\n')
    .split(/\n{2,}/)
    .map(writeParagraph)
    .join('\n\n')
}

/** Without empty lines around it. No line of it ends the block. */
function writeCode(text: string): string {
  const code = text.replace(/^(?:[ \t]*\n)+/, '').trimEnd()
  return code === '' ? '' : `\`\`\`\n${code.replaceAll(/^\s{0,3}```/gm, '    ```')}\n\`\`\``
}

/** Without spaces around them, and without empty ones around them all. */
function linesOf(inside: readonly Inline[]): readonly string[] {
  const lines = writeInline(inside)
    .split('\n')
    .map((line) => line.trim())
  const first = lines.findIndex((line) => line !== '')
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== '') + 1)
}

function inOneLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}

const bullet = /^[-*+](?= )/
const number = /^(\d{1,4})\.(?= )/

/** Its lines begin nothing else. */
function writeParagraph(paragraph: string): string {
  const lines = paragraph.split('\n')
  // A list of numbers looks as it is written, and is left alone.
  const isNumbered = lines.every((line) => number.test(line))
  return lines
    .map((line, at) => {
      if (rule.test(line))
        return lines.length === 1 || (at > 0 && !bullet.test(line)) ? line : `\\${line}`
      if (at === 0 && !isNumbered && number.test(line)) return line.replace(number, '$1\\.')
      if (isTable(lines[at - 1] ?? '', line)) return line.replace('-', '\\-')
      return line.replace(/^(?=[-*+] |#{1,6} |> |```)/, '\\')
    })
    .join('\n')
}

function linesOfList({ kind, items }: List): readonly string[] {
  return items.flatMap((item, at) => {
    const mark = kind === 'list' ? '- ' : `${item.number ?? at + 1}. `
    return linesOfItem(item, mark)
  })
}

/** Lines that belong to an item stand below its text. */
function linesOfItem({ inside, lists }: Item, mark: string): readonly string[] {
  const [first = '', ...more] = linesOf(inside).filter((line) => line !== '')
  const further = more.map((line) => line.replace(bullet, '\\$&').replace(number, '$1\\.'))
  const below = [...further, ...lists.flatMap(linesOfList)]
  if (first === '' && below.length === 0) return []
  const indent = ' '.repeat(mark.length)
  return [`${mark}${first}`, ...below.map((line) => `${indent}${line}`)]
}

function writeTable(
  head: readonly (readonly Inline[])[],
  rows: readonly (readonly (readonly Inline[])[])[],
): string {
  // A row that is empty stands for a head that is not there.
  const columns = Math.max(1, head.length, rows[0]?.length ?? 0)
  const first = head.length > 0 ? head : Array.from({ length: columns }, () => [])
  const write = (cells: readonly (readonly Inline[])[]): string => {
    const written = cells.map((cell) => inOneLine(writeInline(cell)).replaceAll('|', '\\|'))
    return `| ${written.join(' | ')} |`
  }
  const line = `|${' --- |'.repeat(first.length)}`
  const written = [write(first), ...rows.map(write)]
  if (written.every((row) => /^[|\s]*$/.test(row))) return ''
  return written.toSpliced(1, 0, line).join('\n')
}

/** Text to the right of what is written next, as far as it matters for it. */
class Right {
  /** From the end to the beginning. */
  readonly #pieces: string[] = []
  /** Marks that it has, which would end one that begins before it. */
  readonly #has = new Set<string>()
  /** Its first two characters. */
  next = ''

  add(piece: string): void {
    if (piece === '') return
    this.#pieces.push(piece)
    if (piece.includes('](') || (piece.endsWith(']') && this.next.startsWith('('))) {
      this.#has.add('[')
    }
    for (const mark of '*_`') if (piece.includes(mark)) this.#has.add(mark)
    this.next = (piece.slice(0, 2) + this.next).slice(0, 2)
  }

  has(mark: string): boolean {
    return this.#has.has(mark)
  }

  /** As far as an address may be long. */
  head(): string {
    let head = ''
    for (let at = this.#pieces.length - 1; at >= 0 && head.length < longest; at -= 1) {
      head += this.#pieces[at]?.slice(0, longest)
    }
    return head
  }

  whole(): string {
    return this.#pieces.toReversed().join('')
  }
}

interface Within {
  /** Marks around: the inner ones are others. */
  readonly marks: readonly Inline['kind'][]
  /** Marks around that are left out. */
  readonly without?: readonly Inline['kind'][]
}

/** From its end to its beginning: whether a mark is one depends on what follows. */
function writeInline(parts: readonly Inline[], within: Within = { marks: [] }): string {
  const right = new Right()
  writeParts(parts, '', right, within)
  return right.whole()
}

function writeParts(
  parts: readonly Inline[],
  previous: string,
  right: Right,
  within: Within,
): void {
  const all = merged(parts)
  for (let at = all.length - 1; at >= 0; at -= 1) {
    const part = all[at]
    if (part) writePart(part, at === 0 ? previous : before(all[at - 1]), right, within)
  }
}

/** Texts one after another are one. */
function merged(parts: readonly Inline[]): readonly Inline[] {
  const all: Inline[] = []
  let texts: string[] = []
  const flush = (): void => {
    if (texts.length > 0) all.push({ kind: 'text', text: texts.join('') })
    texts = []
  }
  for (const part of parts) {
    if (part.kind === 'text') texts.push(part.text)
    else {
      flush()
      all.push(part)
    }
  }
  flush()
  return all
}

/** The last character of what is written of a part. */
function before(part: Inline | undefined): string {
  if (part === undefined) return ''
  if (part.kind === 'text') return part.text.slice(-1)
  return part.kind === 'link' ? ')' : part.kind === 'code' ? '`' : '*'
}

function writePart(part: Inline, previous: string, right: Right, within: Within): void {
  if (part.kind === 'text') writeText(part.text, previous, right, within)
  else if (part.kind === 'code') {
    const text = inOneLine(part.text)
    const isCode = text.trim() !== '' && !text.includes('`') && text.length < longest
    if (isCode) right.add(`\`${text}\``)
    else writeText(text, previous, right, within)
  } else if (part.kind === 'link') writeLink(part.href, part.inside, previous, right, within)
  else writeMark(part.kind, part.inside, previous, right, within)
}

function writeMark(
  kind: 'strong' | 'em',
  parts: readonly Inline[],
  previous: string,
  right: Right,
  within: Within,
): void {
  const { marks, without = [] } = within
  if (marks.includes(kind) || without.includes(kind)) {
    writeParts(parts, previous, right, within)
    return
  }
  const inner = writeInline(parts, { ...within, marks: [...marks, kind] }).replaceAll(
    /\n\s*\n/g,
    '\n',
  )
  const core = inner.trim()
  const start = inner.length - inner.trimStart().length
  const [lead, trail] = [inner.slice(0, start), inner.slice(start + core.length)]
  const isNested = marks.some((mark) => mark === 'strong' || mark === 'em')
  const char = (isNested ? ['_'] : ['*', '_']).find((each) => !core.includes(each))
  const isRead =
    core !== '' &&
    char !== undefined &&
    core.length + 2 <= longest &&
    !isInWord.test(lead === '' ? previous : '') &&
    !goesOn.test((trail + right.next).slice(0, 2))
  if (isRead) {
    const mark = char.repeat(kind === 'strong' ? 2 : 1)
    for (const piece of [trail, mark, core, mark, lead]) right.add(piece)
  } else writeParts(parts, previous, right, { ...within, without: [...without, kind] })
}

function writeLink(
  address: string,
  parts: readonly Inline[],
  previous: string,
  right: Right,
  within: Within,
): void {
  if (within.marks.includes('link')) right.add(writeInline(parts, within))
  else if (isBare(address, parts, previous, right)) right.add(address)
  else {
    const href = address.replaceAll(/[\s<>"\\()*]/g, percent)
    const words = inOneLine(writeInline(parts, { marks: [...within.marks, 'link'] })).replaceAll(
      '](',
      '] (',
    )
    const isLink = isAddress(href) && words.length + 2 < longest && href.length + 1 < longest
    if (words !== '') right.add(isLink ? `[${words}](${href})` : `${words} (${href})`)
  }
}

/** Whether it is read as a link without brackets. */
function isBare(
  address: string,
  parts: readonly Inline[],
  previous: string,
  right: Right,
): boolean {
  const [only, ...more] = parts
  if (only?.kind !== 'text' || only.text !== address || more.length > 0) return false
  return !/\w/.test(previous) && addressAt(address + right.head(), 0)?.end === address.length
}

function percent(char: string): string {
  const encoded = encodeURIComponent(char)
  return encoded === char ? `%${char.charCodeAt(0).toString(16).toUpperCase()}` : encoded
}

/** Escapes the characters that would be read as marks. */
function writeText(text: string, previous: string, right: Right, within: Within): void {
  const isLinked = within.marks.includes('link')
  const addresses = isLinked || !text.includes('http') ? [] : addressesIn(text, right.head())
  let end = text.length
  for (const [from, to] of addresses.toReversed()) {
    escapeInto(text, to, end, previous, right, isLinked)
    right.add(text.slice(from, to))
    end = from
  }
  escapeInto(text, 0, end, previous, right, isLinked)
}

/** Where it has addresses, in which nothing is a mark. */
function addressesIn(text: string, following: string): readonly (readonly [number, number])[] {
  const found: (readonly [number, number])[] = []
  const whole = text + following
  for (let at = text.indexOf('http'); at >= 0; at = text.indexOf('http', at)) {
    const end = Math.min(addressAt(whole, at)?.end ?? 0, text.length)
    if (end > at) found.push([at, end])
    at = Math.max(end, at + 4)
  }
  return found
}

function escapeInto(
  text: string,
  from: number,
  to: number,
  previous: string,
  right: Right,
  isLinked: boolean,
): void {
  let done = to
  for (let at = to - 1; at >= from; at -= 1) {
    const char = text.charAt(at)
    if (!'\\`*_['.includes(char)) continue
    // Before the marks that follow are asked for.
    right.add(text.slice(at + 1, done))
    done = at
    const last = at > 0 ? text.charAt(at - 1) : previous
    if (isMark(char, last, right, isLinked)) right.add(`\\${char}`)
    else right.add(char)
  }
  right.add(text.slice(from, done))
}

function isMark(char: string, last: string, right: Right, isLinked: boolean): boolean {
  if (char === '\\') return escapable.test(right.next.charAt(0))
  if (char === '`') return right.has(char)
  if (char === '[') return !isLinked && right.has(char)
  return right.has(char) && !isInWord.test(last) && /^\S/.test(right.next)
}
