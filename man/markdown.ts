import { header, inline, item, paragraph, section, verbatim } from './roff.ts'

/**
 * Converts the Markdown of this folder to roff: headings, paragraphs, lists, fenced or indented
 * code, tables, and terms with `: ` before their meaning.
 */
export function toRoff(markdown: string): string {
  const [title = '', ...blocks] = blocksOf(markdown)
  const [, name = '', number = ''] = /^# (.+)\((\d)\)$/.exec(title) ?? []
  const isNamed = blocks[0] === '## NAME'
  const named = isNamed
    ? []
    : [section('NAME'), paragraph(`${name} - ${toSummary(blocks[0] ?? '')}`)]
  const rest = isNamed ? blocks : blocks.slice(1)
  return [header(name, number), ...named, ...rest.map(toBlock)].join('')
}

/** The first sentence of a page, as `whatis` shows it. */
function toSummary(sentence: string): string {
  return unfold(sentence.charAt(0).toLowerCase() + sentence.slice(1)).replace(/\.$/, '')
}

/** Blocks between empty lines; fenced code is one block. */
function blocksOf(markdown: string): readonly string[] {
  const pattern = /^```[\s\S]*?^```$|(?:^ {4}.*\n(?:\n(?= {4}))?)+|(?:^.*\S.*(?:\n|$))+/gm
  return [...markdown.matchAll(pattern)].map(([block]) => block.trimEnd())
}

function toBlock(block: string): string {
  const [, level, title = ''] = /^(#+) (.*)$/.exec(block) ?? []
  if (level === '##') return section(title.toUpperCase())
  if (level !== undefined) return `.SS ${inline(title)}\n`
  if (block.startsWith('```')) return verbatim(block.split('\n').slice(1, -1))
  if (block.startsWith('    ')) return verbatim(block.replaceAll(/^ {4}/gm, '').split('\n'))
  if (block.startsWith('|')) return table(block)
  if (/^(?:[-*]|\d+\.) /.test(block)) return listItems(block)
  const [, term, text = ''] = /^(.+)\n: ([\s\S]*)$/.exec(block) ?? []
  return term === undefined ? paragraph(unfold(block)) : item(term, unfold(text))
}

/** A table of two columns without titles is a list of terms. */
function table(block: string): string {
  const [titles = '', , ...rows] = block.split('\n')
  if (!/^\|\s*\|\s*\|$/.test(titles)) return verbatim(block.split('\n'))
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()))
  return cells.map(([, term = '', text = '']) => item(term, text)).join('')
}

function listItems(block: string): string {
  const items = [...block.matchAll(/^([-*]|\d+\.) ([\s\S]*?)(?=^(?:[-*]|\d+\.) |$(?![\s\S]))/gm)]
  return items
    .map(([, mark = '', text = '']) => {
      const bullet = /\d/.test(mark) ? mark : String.raw`\(bu`
      return `.IP ${bullet} 4\n${inline(unfold(text))}\n`
    })
    .join('')
}

/** roff fills lines itself. */
function unfold(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, '\n').trim()
}
