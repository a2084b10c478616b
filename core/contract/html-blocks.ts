import { flatten, toInline, toItem, toLink } from './html-inline.ts'
import type { Mark, OpenMark } from './html-inline.ts'
import type { Block, Cell, Inline, Item } from './markdown.ts'
import { attributeOf, type Token } from './html-tokens.ts'
import { textOfParts } from './scripts.ts'

/** Elements that are open: more within each other have no effect. */
const mostOpen = 24

/** Elements that begin a paragraph of their own. */
const paragraphs = new Set(
  `p div section article header footer main address center figure figcaption caption`.split(' '),
)

const marks: ReadonlyMap<string, Mark> = new Map([
  ['b', 'strong'],
  ['strong', 'strong'],
  ['i', 'em'],
  ['em', 'em'],
  ['cite', 'em'],
  ['dfn', 'em'],
  ['var', 'em'],
  ['code', 'code'],
  ['tt', 'code'],
  ['kbd', 'code'],
  ['samp', 'code'],
  ['a', 'link'],
  ['sup', 'sup'],
  ['sub', 'sub'],
  ['s', 'del'],
  ['del', 'del'],
  ['strike', 'del'],
  ['q', 'quoted'],
])

type Holder = 'root' | 'blockquote' | 'ul' | 'ol' | 'li' | 'dl' | 'dt' | 'dd' | 'table' | 'td'

/** An element that holds blocks, lists items or cells. */
interface Open {
  readonly name: Holder
  readonly blocks: Block[]
  readonly items: Item[]
  readonly rows: { isHead: boolean; readonly cells: Cell[] }[]
  /** Of the item that is open, or the cell. */
  number: number
  isHead: boolean
}

/** Makes blocks of the pieces of HTML, in one pass; elements that are not closed end with those around. */
export function toBlocks(tokens: Iterable<Token>): readonly Block[] {
  const builder = new Builder()
  for (const token of tokens) builder.take(token)
  return builder.end()
}

class Builder {
  readonly #open: Open[] = [opened('root')]
  #marks: OpenMark[] = [{ mark: 'none', parts: [] }]
  #heading: number | undefined
  #pre: string[] | undefined

  take(token: Token): void {
    if (this.#pre && !(token.kind === 'close' && token.name === 'pre')) this.#takeRaw(token)
    else if (token.kind === 'text') this.#takeText(token.text)
    else if (token.kind === 'open') this.#takeOpen(token.name, token.attributes)
    else this.#takeClose(token.name)
  }

  end(): readonly Block[] {
    this.#endCode()
    this.#closeTo(1)
    return this.#open[0]?.blocks ?? []
  }

  get #holder(): Open {
    const last = this.#open.at(-1)
    if (!last) throw new Error('no element is open')
    return last
  }

  #takeRaw(token: Token): void {
    if (token.kind === 'text') this.#pre?.push(token.text)
    else if (token.name === 'br') this.#pre?.push('\n')
  }

  #takeText(text: string): void {
    const inOneLine = text.replaceAll(/\s+/g, (space) => (space.includes('\n') ? ' ' : space))
    if (inOneLine.trim() === '' && this.#isEmpty()) return
    this.#add({ kind: 'text', text: inOneLine })
  }

  #isEmpty(): boolean {
    return this.#marks.every(({ parts }) => parts.length === 0)
  }

  #add(part: Inline): void {
    this.#marks.at(-1)?.parts.push(part)
  }

  #takeOpen(name: string, attributes: string): void {
    const mark = marks.get(name)
    if (mark !== undefined) this.#openMark(mark, attributes)
    else if (name === 'br') this.#add({ kind: 'text', text: '\n' })
    else if (name === 'img') this.#addImage(attributes)
    else if (paragraphs.has(name)) this.#endParagraph()
    else if (/^h[1-6]$/.test(name)) {
      this.#endParagraph()
      this.#heading = Number(name.slice(1))
    } else if (name === 'hr') {
      this.#endParagraph()
      this.#holder.blocks.push({ kind: 'paragraph', inside: [{ kind: 'text', text: '* * *' }] })
    } else if (name === 'pre') {
      this.#endParagraph()
      this.#pre = []
    } else if (name === 'tr') {
      this.#closeCell()
      this.#openRow()
    } else this.#openHolder(name, attributes)
  }

  #takeClose(name: string): void {
    const mark = marks.get(name)
    if (mark !== undefined) this.#closeMark(mark)
    else if (name === 'pre') this.#endCode()
    else if (paragraphs.has(name) || /^h[1-6]$/.test(name)) this.#endParagraph()
    else if (name === 'tr') this.#closeCell()
    else if (name === 'li') this.#closeLast(['li'], ['ul', 'ol'])
    else if (name === 'td' || name === 'th') this.#closeCell()
    else if (name === 'dt' || name === 'dd') this.#closeLast(['dt', 'dd'], ['dl'])
    else if (isHolder(name)) this.#closeLast([name], [])
  }

  #openMark(mark: Mark, attributes: string): void {
    if (this.#marks.length >= mostOpen) return
    const href = mark === 'link' ? attributeOf(attributes, '(?:xlink:)?href') : undefined
    this.#marks.push({ mark, href, parts: [] })
  }

  /** Ends a mark; those that were opened within it and not closed go on after it. */
  #closeMark(mark: Mark): void {
    const at = this.#marks.findLastIndex((open, depth) => depth > 0 && open.mark === mark)
    if (at < 0) return
    const within = this.#marks.slice(at + 1)
    this.#endMarks(at)
    this.#marks.push(...within.map((open) => ({ ...open, parts: [] })))
  }

  /** Ends marks until `count` are open. */
  #endMarks(count: number): void {
    while (this.#marks.length > count) {
      const last = this.#marks.pop()
      if (last) for (const part of toInline(last)) this.#add(part)
    }
  }

  #addImage(attributes: string): void {
    const words = attributeOf(attributes, 'alt')?.replaceAll(/\s+/g, ' ').trim() ?? ''
    const parts = toLink(
      attributeOf(attributes, 'src'),
      words === '' ? [] : [{ kind: 'text', text: words }],
    )
    for (const part of parts) this.#add(part)
  }

  /** The text so far is a paragraph, or the heading that is open. */
  #endParagraph(): void {
    this.#endMarks(1)
    const [root] = this.#marks
    const inside = root?.parts ?? []
    this.#marks = [{ mark: 'none', parts: [] }]
    const heading = this.#heading
    this.#heading = undefined
    if (textOfParts(inside).trim() === '') return
    this.#holder.blocks.push(
      heading === undefined
        ? { kind: 'paragraph', inside }
        : { kind: 'heading', level: heading, inside },
    )
  }

  #endCode(): void {
    const text = this.#pre?.join('').replace(/^\r?\n/, '')
    this.#pre = undefined
    if (text === undefined || text.trim() === '') return
    this.#holder.blocks.push({
      kind: 'code',
      text: text.replaceAll('\r\n', '\n').replace(/\n$/, ''),
    })
  }

  #openHolder(name: string, attributes: string): void {
    if (name === 'li' && !this.#isOpen(['ul', 'ol'], ['td'])) this.#openHolder('ul', '')
    if (name === 'li') this.#closeLast(['li'], ['ul', 'ol'])
    if ((name === 'dt' || name === 'dd') && !this.#isOpen(['dl'], ['td']))
      this.#openHolder('dl', '')
    if (name === 'dt' || name === 'dd') this.#closeLast(['dt', 'dd'], ['dl'])
    if (name === 'td' || name === 'th') {
      if (!this.#isOpen(['table'], [])) {
        this.#add({ kind: 'text', text: ' ' })
        return
      }
      this.#closeCell()
      if (this.#holder.rows.length === 0) this.#openRow()
    }
    const holder = name === 'th' ? 'td' : name
    if (!isHolder(holder) || this.#open.length >= mostOpen) return
    this.#endParagraph()
    const open = opened(holder)
    open.isHead = name === 'th'
    if (name === 'ol') {
      const number = numberOf(attributes, 'start')
      open.number = number === undefined ? 0 : number - 1
    }
    if (name === 'li') {
      const list = this.#holder
      list.number = numberOf(attributes, 'value') ?? list.number + 1
    }
    this.#open.push(open)
  }

  #openRow(): void {
    this.#endParagraph()
    const { name, rows } = this.#holder
    if (name === 'table') rows.push({ isHead: true, cells: [] })
  }

  #isOpen(names: readonly Holder[], bounds: readonly Holder[]): boolean {
    const found = this.#open.findLast(({ name }) => names.includes(name) || bounds.includes(name))
    return found !== undefined && names.includes(found.name)
  }

  #closeCell(): void {
    this.#closeLast(['td'], ['table'])
  }

  /** Closes the last open element of these names, or only what is open within one of `bounds`. */
  #closeLast(names: readonly Holder[], bounds: readonly Holder[]): void {
    const at = this.#open.findLastIndex(({ name }) => names.includes(name) || bounds.includes(name))
    if (at > 0) this.#closeTo(names.includes(this.#open[at]?.name ?? 'root') ? at : at + 1)
  }

  #closeTo(count: number): void {
    this.#endParagraph()
    while (this.#open.length > count) {
      const last = this.#open.pop()
      if (last) close(last, this.#holder)
    }
  }
}

function opened(name: Holder): Open {
  return { name, blocks: [], items: [], rows: [], number: 0, isHead: false }
}

function isHolder(name: string): name is Holder {
  return ['blockquote', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'table', 'td'].includes(name)
}

/** Of four digits at most, as items of a list have them. */
function numberOf(attributes: string, name: string): number | undefined {
  const value = attributeOf(attributes, name)
  return value !== undefined && /^\d{1,4}$/.test(value) ? Number(value) : undefined
}

/** Puts what an element held into the one around it. */
function close(last: Open, around: Open): void {
  const { name, blocks, items, rows } = last
  if (name === 'blockquote') {
    if (blocks.length > 0) around.blocks.push({ kind: 'quote', inside: flatten(blocks, '\n\n') })
  } else if (name === 'li') {
    const number = around.name === 'ol' ? { number: around.number } : {}
    const item = { ...number, ...toItem(blocks) }
    if (item.inside.length + item.lists.length > 0) around.items.push(item)
  } else if (name === 'dt' || name === 'dd') {
    explain(name, toItem(blocks), around)
  } else if (name === 'td') {
    const row = around.rows.at(-1)
    row?.cells.push(flatten(blocks, ' '))
    if (row) row.isHead &&= last.isHead
  } else if (name === 'table') {
    around.blocks.push(...blocks)
    const filled = rows.filter(({ cells }) => cells.length > 0)
    const hasHead = filled[0]?.isHead === true
    const all = filled.map(({ cells }) => cells)
    const [head = []] = hasHead ? all : []
    if (all.length > 0)
      around.blocks.push({ kind: 'table', head, rows: all.slice(hasHead ? 1 : 0) })
  } else {
    const all = name === 'dl' ? items : withMore(items, blocks)
    if (all.length > 0) around.blocks.push({ kind: name === 'ol' ? 'numbers' : 'list', items: all })
  }
}

/** A term, or what it means, as an item of a list. */
function explain(name: 'dt' | 'dd', { inside, lists }: Item, { items }: Open): void {
  const last = items.at(-1)
  if (name === 'dt') items.push({ inside: [{ kind: 'strong', inside }], lists })
  else if (last) {
    const isFirst = last.inside.length === 1
    const between = { kind: 'text', text: isFirst ? ': ' : '; ' } as const
    items[items.length - 1] = {
      inside: [...last.inside, between, ...inside],
      lists: [...last.lists, ...lists],
    }
  } else items.push({ inside, lists })
}

/** Items with what a list has beside them, as lists that are in none of its items. */
function withMore(items: readonly Item[], blocks: readonly Block[]): readonly Item[] {
  if (blocks.length === 0) return items
  const { inside, lists } = toItem(blocks)
  const last = items.at(-1)
  if (!last) return [{ inside, lists }]
  const more = inside.length === 0 ? [] : [{ kind: 'text', text: '\n' } as const, ...inside]
  const whole = { ...last, inside: [...last.inside, ...more], lists: [...last.lists, ...lists] }
  return [...items.slice(0, -1), whole]
}
