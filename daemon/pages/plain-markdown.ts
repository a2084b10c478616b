import {
  isList,
  readMarkdown,
  type Block,
  type Inline,
  type List,
} from '../../core/contract/markdown.ts'

/** The words of a text in Markdown, in one line: without marks and addresses of links. */
export function plainText(source: string): string {
  return readMarkdown(source).map(ofBlock).join(' ').replaceAll(/\s+/g, ' ').trim()
}

function ofBlock(block: Block): string {
  if (block.kind === 'code') return block.text
  if (isList(block)) return ofList(block)
  if (block.kind !== 'table') return ofLine(block.inside)
  return [block.head, ...block.rows].flatMap((cells) => cells.map(ofLine)).join(' ')
}

function ofList({ items }: List): string {
  return items
    .map(({ number, inside, lists }) => {
      const line = number === undefined ? ofLine(inside) : `${number}. ${ofLine(inside)}`
      return [line, ...lists.map(ofList)].join(', ')
    })
    .join(', ')
}

function ofLine(line: readonly Inline[]): string {
  return line.map((part) => ('inside' in part ? ofLine(part.inside) : part.text)).join('')
}
