/** A part of a line. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong'; readonly inside: readonly Inline[] }
  | { readonly kind: 'em'; readonly inside: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly inside: readonly Inline[] }

/** A part of a text. */
export type Block =
  | { readonly kind: 'paragraph' | 'heading' | 'quote'; readonly inside: readonly Inline[] }
  | { readonly kind: 'list'; readonly items: readonly Item[] }
  | { readonly kind: 'numbers'; readonly items: readonly NumberedItem[] }
  | { readonly kind: 'code'; readonly text: string }

type Item = readonly Inline[]

/** With the number as it is written: `3. Oktober` is no first item. */
interface NumberedItem {
  readonly number: number
  readonly inside: Item
}

/** Characters in which a mark has to end: what is longer is no emphasis. */
const longest = 2_000

/** Marks inside marks. */
const deepest = 4

/**
 * Reads a small Markdown: paragraphs, lists, headings, quotes, code, emphasis and links. There is
 * nothing that is not text in the outcome; HTML stays as it is written. Lines of a paragraph stay
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
      blocks.push({ kind: 'heading', inside: readInline(line.replace(/^#+ /, '')) })
      at += 1
    } else if (rule.test(line)) {
      blocks.push({ kind: 'paragraph', inside: [{ kind: 'text', text: line.trim() }] })
      at += 1
    } else if (bullet.test(line)) {
      const items = toItems(take(isOfList(bullet)), bullet)
      blocks.push({ kind: 'list', items: items.map(({ text }) => readInline(text)) })
    } else if (number.test(line)) {
      const items = toItems(take(isOfList(number)), number)
      const read = ({ mark, text }: ItemText) => ({
        number: Number.parseInt(mark, 10),
        inside: readInline(text),
      })
      blocks.push({ kind: 'numbers', items: items.map(read) })
    } else if (line.startsWith('> ')) {
      const quoted = take((next) => next.startsWith('> ')).map((next) => next.slice(2))
      blocks.push({ kind: 'quote', inside: readInline(quoted.join('\n')) })
    } else blocks.push({ kind: 'paragraph', inside: readInline(take(isOfParagraph).join('\n')) })
  }
  return blocks
}

/** A line across, as `* * *`. */
const rule = /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/
const bullet = /^\s{0,3}[-*+] +/
const number = /^\s{0,3}\d{1,4}[.)] +/

function isOfParagraph(line: string): boolean {
  return line.trim() !== '' && !/^(?:\s{0,3}```|#{1,6} |> )/.test(line) && !bullet.test(line)
}

/** An item goes on in lines that stand further in. */
function isOfList(mark: RegExp): (line: string) => boolean {
  return (line) => mark.test(line) || /^\s+\S/.test(line)
}

interface ItemText {
  readonly mark: string
  readonly text: string
}

function toItems(lines: readonly string[], mark: RegExp): readonly ItemText[] {
  const items: ItemText[] = []
  for (const line of lines) {
    const [found] = mark.exec(line) ?? []
    const last = found === undefined ? items.pop() : undefined
    items.push(
      last
        ? { ...last, text: `${last.text}\n${line.trim()}` }
        : { mark: found ?? '', text: line.slice(found?.length ?? 0) },
    )
  }
  return items
}

/** Round brackets stay: `\(` begins a formula. */
const escapable = /[\\`*_[\]{}#+\-.!>]/

/** The parts of a line, in one pass. */
function readInline(source: string, depth = 0): readonly Inline[] {
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
    const found = depth < deepest ? markAt(source, at, depth) : undefined
    if (found) push(found.part)
    else plain += char
    at = found?.end ?? at + 1
  }
  if (plain !== '') parts.push({ kind: 'text', text: plain })
  return parts
}

/** Stands before a mark that is part of a word: 10*20, sea_level. */
const isInWord = /[\p{L}\p{N}_]/u

/** Follows a mark that is part of a word: f(*a*b), __init__.py. */
const goesOn = /^(?:[\p{L}\p{N}_]|[^\s\p{L}\p{N}][\p{L}\p{N}_])/u

interface Found {
  readonly part: Inline
  readonly end: number
}

function markAt(source: string, at: number, depth: number): Found | undefined {
  const char = source.charAt(at)
  if (char === '`') {
    const end = endOf(source, '`', at + 1)
    return end === undefined
      ? undefined
      : { part: { kind: 'code', text: source.slice(at + 1, end) }, end: end + 1 }
  }
  if (char === '[') return linkAt(source, at, depth)
  if (char === 'h') return addressAt(source, at)
  if (char !== '*' && char !== '_') return undefined
  if (isInWord.test(source.charAt(at - 1))) return undefined
  const mark = source.charAt(at + 1) === char ? char + char : char
  const begin = at + mark.length
  if (/\s/.test(source.charAt(begin))) return undefined
  const end = endOf(source, mark, begin)
  if (end === undefined || end === begin || /\s/.test(source.charAt(end - 1))) return undefined
  if (goesOn.test(source.slice(end + mark.length, end + mark.length + 2))) return undefined
  const inside = readInline(source.slice(begin, end), depth + 1)
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
  return { part: { kind: 'link', href, inside: readInline(words, depth + 1) }, end: end + 1 }
}

/** An address that stands in the text; a full stop behind it is none of it. */
function addressAt(source: string, at: number): Found | undefined {
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
function isAddress(href: string): boolean {
  return /^(?:https?:\/\/[\p{L}\d[][^\s<>"\\]*|mailto:[^\s<>"\\]+)$/iu.test(href)
}
