import { readMarkdown, type Block, type Inline } from '../../core/contract/markdown.ts'

/** The words of a text in Markdown, in one line: without marks and addresses of links. */
export function plainText(source: string): string {
  return readMarkdown(source).map(ofBlock).join(' ').replaceAll(/\s+/g, ' ').trim()
}

function ofBlock(block: Block): string {
  if (block.kind === 'code') return block.text
  if (block.kind === 'numbers')
    return block.items.map(({ number, inside }) => `${number}. ${ofLine(inside)}`).join(', ')
  if (block.kind === 'list') return block.items.map(ofLine).join(', ')
  return ofLine(block.inside)
}

function ofLine(line: readonly Inline[]): string {
  return line.map((part) => ('inside' in part ? ofLine(part.inside) : part.text)).join('')
}
