import { isAddress, isList, type Block, type Inline, type Item } from './markdown.ts'
import { textOfParts, toScript } from './scripts.ts'

export type Mark = 'strong' | 'em' | 'code' | 'link' | 'sup' | 'sub' | 'del' | 'quoted'

/** A mark that is open, with what is in it so far; the text around all of them has none. */
export interface OpenMark {
  readonly mark: Mark | 'none'
  readonly href?: string | undefined
  readonly parts: Inline[]
}

export function toInline({ mark, href, parts }: OpenMark): readonly Inline[] {
  if (parts.length === 0) return []
  if (mark === 'sup' || mark === 'sub') return toScript(mark, parts)
  if (mark === 'link') return toLink(href, parts)
  if (mark === 'del') return [text('~~'), ...parts, text('~~')]
  if (mark === 'quoted') return [text('“'), ...parts, text('”')]
  const words = textOfParts(parts)
  if (mark === 'none' || words.trim() === '') return parts
  return [mark === 'code' ? { kind: mark, text: words } : { kind: mark, inside: parts }]
}

/** A link, where its address is one of the web or of mail; another is told, unless it is a script. */
export function toLink(address: string | undefined, parts: readonly Inline[]): readonly Inline[] {
  const given = address?.trim().replaceAll(/[\t\r\n]/g, '') ?? ''
  const href = given.startsWith('//') ? `https:${given}` : given
  const encoded = href.replaceAll(/[\s<>"\\]/g, encodeURIComponent)
  const hasWords = textOfParts(parts).trim() !== ''
  if (isAddress(encoded)) {
    return [{ kind: 'link', href: encoded, inside: hasWords ? parts : [text(encoded)] }]
  }
  // Within the page that it was on, or for browsers to run.
  if (href === '' || /^#|^\s*(?:javascript|vbscript|data|blob|about|file):/i.test(href))
    return parts
  return hasWords ? [...parts, text(` (${href})`)] : [text(href)]
}

/** What an item of a list holds; lists stand below the rest. */
export function toItem(blocks: readonly Block[]): Item {
  return {
    inside: flatten(
      blocks.filter((block) => !isList(block)),
      '\n',
    ),
    lists: blocks.filter(isList),
  }
}

/** Blocks where there is room for a line alone. */
export function flatten(blocks: readonly Block[], between: string): readonly Inline[] {
  return joined(blocks.map(lineOf), between)
}

function lineOf(block: Block): readonly Inline[] {
  if (block.kind === 'code') {
    const lines = block.text.split('\n').filter((line) => line.trim() !== '')
    return joined(
      lines.map((line) => [{ kind: 'code', text: line }]),
      '\n',
    )
  }
  if (block.kind === 'table') {
    const rows = block.head.length === 0 ? block.rows : [block.head, ...block.rows]
    return joined(
      rows.map((cells) => joined(cells, ' | ')),
      '\n',
    )
  }
  if (!isList(block)) return block.inside
  const lines = block.items.map(({ number, inside, lists }) => [
    text(number === undefined ? '- ' : `${number}. `),
    ...joined([inside, ...lists.map(lineOf)], '\n'),
  ])
  return joined(lines, '\n')
}

function joined(lines: readonly (readonly Inline[])[], between: string): readonly Inline[] {
  return lines.flatMap((line, at) => (at === 0 ? line : [text(between), ...line]))
}

function text(words: string): Inline {
  return { kind: 'text', text: words }
}
