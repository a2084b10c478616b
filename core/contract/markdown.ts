/** A part of a line. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong'; readonly inside: readonly Inline[] }
  | { readonly kind: 'em'; readonly inside: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly inside: readonly Inline[] }

/** A part of a text. */
export type Block =
  | { readonly kind: 'paragraph' | 'quote'; readonly inside: readonly Inline[] }
  | { readonly kind: 'heading'; readonly level: number; readonly inside: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | Table
  | List

/** Lists within each other, as far as {@link deepestList}. */
export interface List {
  readonly kind: 'list' | 'numbers'
  readonly items: readonly Item[]
}

export interface Item {
  /** Of a numbered list, as it is written: `3. Oktober` is no first item. */
  readonly number?: number
  readonly inside: readonly Inline[]
  readonly lists: readonly List[]
}

/** Its head has no cells where it is empty. */
export interface Table {
  readonly kind: 'table'
  readonly head: readonly Cell[]
  readonly rows: readonly (readonly Cell[])[]
}

export type Cell = readonly Inline[]

export function isList(block: Block): block is List {
  return block.kind === 'list' || block.kind === 'numbers'
}

/** Characters in which a mark has to end: what is longer is no emphasis. */
export const longest = 2_000

/** Marks inside marks. */
const deepest = 4

/** Lists inside lists; items that stand further in are of the innermost list. */
export const deepestList = 6

/**
 * Reads a small Markdown: paragraphs, lists, headings, quotes, code, tables, emphasis and links. There
 * is nothing that is not text in the outcome; HTML stays as it is written. Lines of a paragraph stay
 * lines, as people have typed them.
 */
export function readMarkdown(source: string): readonly Block[] {
  const lines = source.replaceAll('\r\n', '\n').split('\n')
  const blocks: Block[] = []
  let at = 0
  /** Takes lines as long as they are of one kind. */
  const take = (isWanted: (line: string) => boolean): readonly string[] => {
    const begun = at
    while (at < lines.length && isWanted(lines[at] ?? '')) at += 1
    return lines.slice(begun, at)
  }
  while (at < lines.length) {
    const line = lines[at] ?? ''
    if (line.trim() === '') at += 1
    else if (/^\s{0,3}```/.test(line)) {
      at += 1
      blocks.push({ kind: 'code', text: take((next) => !/^\s{0,3}```/.test(next)).join('\n') })
      at += 1
    } else if (/^#{1,6} /.test(line)) {
      const level = line.indexOf(' ')
      blocks.push({ kind: 'heading', level, inside: readInline(line.slice(level + 1)) })
      at += 1
    } else if (isTable(line, lines[at + 1])) {
      blocks.push(toTable(take(isRow)))
    } else if (rule.test(line)) {
      blocks.push({ kind: 'paragraph', inside: [{ kind: 'text', text: line.trim() }] })
      at += 1
    } else if (bullet.test(line)) blocks.push(toList('list', take(isOfList(bullet))))
    else if (number.test(line)) blocks.push(toList('numbers', take(isOfList(number))))
    else if (line.startsWith('> ')) {
      const quoted = take((next) => next.startsWith('> ') || next === '>').map((next) =>
        next.slice(2),
      )
      blocks.push({ kind: 'quote', inside: readInline(quoted.join('\n')) })
    } else {
      const paragraph = take((next) => isOfParagraph(next) && !isTable(next, lines[at + 1]))
      blocks.push({ kind: 'paragraph', inside: readInline(paragraph.join('\n')) })
    }
  }
  return blocks
}

/** A line across, as `* * *`. */
export const rule = /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/
const bullet = /^\s{0,3}[-*+] +/
const number = /^\s{0,3}\d{1,4}[.)] +/

function isOfParagraph(line: string): boolean {
  return line.trim() !== '' && !/^(?:\s{0,3}```|#{1,6} |> )/.test(line) && !bullet.test(line)
}

/** An item goes on in lines that stand further in. */
function isOfList(mark: RegExp): (line: string) => boolean {
  return (line) => mark.test(line) || /^\s+\S/.test(line)
}

/** A list while its lines are read: its items so far, and how far in they stand. */
interface OpenList {
  readonly kind: List['kind']
  indent: number
  readonly items: { number?: number; text: string; readonly lists: OpenList[] }[]
}

function toList(kind: List['kind'], lines: readonly string[]): List {
  const open: OpenList[] = []
  for (const line of lines) {
    const [found, space = '', digits] = /^(\s*)(?:[-*+]|(\d{1,4})[.)]) +/.exec(line) ?? []
    const indent = space.replaceAll('\t', '    ').length
    const its = digits === undefined ? 'list' : 'numbers'
    const list = found === undefined ? undefined : listAt(open, its, indent, kind)
    if (list) {
      const text = line.slice(found?.length)
      list.items.push({ ...(digits !== undefined && { number: Number(digits) }), text, lists: [] })
    } else {
      const item = open.at(-1)?.items.at(-1)
      if (item) item.text += `\n${line.trim()}`
    }
  }
  const [whole = { kind, indent: 0, items: [] }] = open
  return toRead(whole)
}

/**
 * The list that an item belongs to: a new one where it stands further in than the item before. `open`
 * becomes the way to it. Undefined where the line only looks like an item, as `1. x` does in the outer
 * list of another kind.
 */
function listAt(
  open: OpenList[],
  kind: List['kind'],
  indent: number,
  outer: List['kind'],
): OpenList | undefined {
  const above = open.findLastIndex((list) => indent >= list.indent + 2)
  const depth = Math.min(above + 1, deepestList - 1)
  const same = open[depth]
  if (same?.kind === kind) {
    open.length = depth + 1
    same.indent = indent
    return same
  }
  if (depth === 0 && kind !== outer) return undefined
  const list: OpenList = { kind, indent, items: [] }
  const parent = open[depth - 1]?.items.at(-1)
  open.length = depth
  open.push(list)
  parent?.lists.push(list)
  return list
}

/** With its lists, of which there are no more inside each other than {@link deepestList}. */
function toRead({ kind, items }: OpenList): List {
  const read = items.map(({ text, lists, ...numbered }) => ({
    ...numbered,
    inside: readInline(text),
    lists: lists.map(toRead),
  }))
  return { kind, items: read }
}

function isRow(line: string): boolean {
  return line.startsWith('|')
}

/** A row of a table, above the line that divides its head from the others. */
export function isTable(line: string, next = ''): boolean {
  return isRow(line) && /^\|(?:\s*:?-+:?\s*\|)+\s*$/.test(next)
}

function toTable([head = '', , ...rows]: readonly string[]): Table {
  const cells = toCells(head)
  return {
    kind: 'table',
    head: cells.every((cell) => cell.length === 0) ? [] : cells,
    rows: rows.map(toCells),
  }
}

/** Cells have a line between, of which there is one at the end as well; `\|` is none. */
function toCells(row: string): readonly Cell[] {
  const parts = row.replace(/^\|/, '').split(/(?<!\\)\|/)
  if (parts.length > 1 && parts.at(-1)?.trim() === '') parts.pop()
  return parts.map((part) => readInline(part.trim().replaceAll('\\|', '|')))
}

/** Round brackets stay: `\(` begins a formula. */
export const escapable = /[\\`*_[\]{}#+\-.!>]/

/** The parts of a line, in one pass. There are no links within a link. */
function readInline(source: string, depth = 0, isLinked = false): readonly Inline[] {
  const parts: Inline[] = []
  let plain = ''
  const push = (part: Inline): void => {
    if (plain !== '') parts.push({ kind: 'text', text: plain })
    plain = ''
    parts.push(part)
  }
  for (let at = 0; at < source.length;) {
    const char = source.charAt(at)
    const next = source.charAt(at + 1)
    if (char === '\\' && escapable.test(next)) {
      plain += next
      at += 2
      continue
    }
    const found = depth < deepest ? markAt(source, at, depth, isLinked) : undefined
    if (found) push(found.part)
    else plain += char
    at = found?.end ?? at + 1
  }
  if (plain !== '') parts.push({ kind: 'text', text: plain })
  return parts
}

/** Stands before a mark that is part of a word: 10*20, sea_level. */
export const isInWord = /[\p{L}\p{N}_]/u

/** Follows a mark that is part of a word: f(*a*b), __init__.py. */
export const goesOn = /^(?:[\p{L}\p{N}_]|[^\s\p{L}\p{N}][\p{L}\p{N}_])/u

export interface Found {
  readonly part: Inline
  readonly end: number
}

function markAt(source: string, at: number, depth: number, isLinked: boolean): Found | undefined {
  const char = source.charAt(at)
  if (char === '`') {
    const end = endOf(source, '`', at + 1)
    return end === undefined
      ? undefined
      : { part: { kind: 'code', text: source.slice(at + 1, end) }, end: end + 1 }
  }
  if (char === '[') return isLinked ? undefined : linkAt(source, at, depth)
  if (char === 'h') return isLinked ? undefined : addressAt(source, at)
  if (char !== '*' && char !== '_') return undefined
  if (isInWord.test(source.charAt(at - 1))) return undefined
  const mark = source.charAt(at + 1) === char ? char + char : char
  const begin = at + mark.length
  if (/\s/.test(source.charAt(begin))) return undefined
  const end = endOf(source, mark, begin)
  if (end === undefined || end === begin || /\s/.test(source.charAt(end - 1))) return undefined
  if (goesOn.test(source.slice(end + mark.length, end + mark.length + 2))) return undefined
  const inside = readInline(source.slice(begin, end), depth + 1, isLinked)
  return {
    part: { kind: mark.length === 2 ? 'strong' : 'em', inside },
    end: end + mark.length,
  }
}

function endOf(source: string, mark: string, from: number): number | undefined {
  const end = source.slice(from, from + longest).indexOf(mark)
  return end < 0 ? undefined : from + end
}

/** `[words](https://…)` */
function linkAt(source: string, at: number, depth: number): Found | undefined {
  const middle = endOf(source, '](', at + 1)
  if (middle === undefined) return undefined
  const end = endOf(source, ')', middle + 2)
  if (end === undefined) return undefined
  const href = source.slice(middle + 2, end).trim()
  if (!isAddress(href)) return undefined
  const words = source.slice(at + 1, middle)
  return { part: { kind: 'link', href, inside: readInline(words, depth + 1, true) }, end: end + 1 }
}

/** An address that stands in the text; a full stop behind it is none of it. */
export function addressAt(source: string, at: number): Found | undefined {
  if (/\w/.test(source.charAt(at - 1)) || !/^https?:\/\//.test(source.slice(at, at + 8)))
    return undefined
  const [found = ''] = /^[^\s<>"]+/.exec(source.slice(at, at + longest)) ?? []
  const href = found.replace(/[.,;:!?'*_]+$/, '').replace(/^([^(]*)\)+$/, '$1')
  if (!isAddress(href)) return undefined
  return {
    part: { kind: 'link', href, inside: [{ kind: 'text', text: href }] },
    end: at + href.length,
  }
}

/** Nothing else runs, and nothing else is followed. */
export function isAddress(href: string): boolean {
  return /^(?:https?:\/\/[\p{L}\d[][^\s<>"\\]*|mailto:[^\s<>"\\]+)$/iu.test(href)
}
