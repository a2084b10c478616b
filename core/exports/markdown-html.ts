import {
  isList,
  readMarkdown,
  type Block,
  type Cell,
  type Inline,
  type List,
} from '../contract/markdown.ts'
import { escapeXml } from './xml.ts'

/** How a place shows what it has no tags or attributes for. */
interface Style {
  /** Of each block. */
  readonly block: string
  readonly link: string
  /** True where lines of text stay lines. */
  readonly keepsLines: boolean
  /** A list of numbers. */
  readonly numbers: (items: readonly WrittenItem[]) => string
  readonly heading: (level: number, inside: string) => string
}

interface WrittenItem {
  readonly number: number
  readonly line: string
  readonly lists: string
}

/** The HTML of a text in Markdown on a page: tags of ours around text that is escaped. */
export function markdownHtml(source: string): string {
  return write(readMarkdown(source), ofPages)
}

const ofPages: Style = {
  block: ' dir="auto"',
  link: ' rel="external nofollow noreferrer"',
  keepsLines: true,
  numbers: (items) => {
    const all = items.map(({ number, line, lists }) => `<li value="${number}">${line}${lists}</li>`)
    return `<ol dir="auto">${all.join('')}</ol>`
  },
  // The page has headings of its own.
  heading: (_, inside) => `<p class="heading" dir="auto">${inside}</p>`,
}

/** The same without attributes but addresses of links, as repositories and mail programs take it. */
export function plainHtml(source: string, headings = 0): string {
  return write(readMarkdown(source), {
    block: '',
    link: '',
    keepsLines: false,
    numbers: toPlainNumbers,
    heading: (level, inside) => {
      const name = `h${Math.min(6, level + headings)}`
      return `<${name}>${inside}</${name}>`
    },
  })
}

/**
 * The value of a field that other services show as HTML. A text that is the same as HTML stays as it is.
 */
export function htmlOf(text: string | undefined): string | undefined {
  if (text === undefined || isPlain(text)) return text
  return plainHtml(text)
}

/** One line of a paragraph, without marks and signs of HTML. */
function isPlain(text: string): boolean {
  if (/[<>&\n]/.test(text)) return false
  const [block, ...more] = readMarkdown(text)
  if (block === undefined) return true
  if (block.kind !== 'paragraph' || more.length > 0) return false
  const [only] = block.inside
  return block.inside.length === 1 && only?.kind === 'text' && only.text === text
}

function write(blocks: readonly Block[], style: Style): string {
  return blocks.map((block) => blockHtml(block, style)).join('')
}

function blockHtml(block: Block, style: Style): string {
  if (block.kind === 'code') return `<pre><code>${escapeXml(block.text)}</code></pre>`
  if (isList(block)) return listHtml(block, style)
  if (block.kind === 'table') {
    const row = (cells: readonly Cell[], name: 'th' | 'td') =>
      `<tr>${cells.map((cell) => `<${name}>${inlineHtml(cell, style)}</${name}>`).join('')}</tr>`
    const head = block.head.length === 0 ? '' : `<thead>${row(block.head, 'th')}</thead>`
    const rows = block.rows.map((cells) => row(cells, 'td')).join('')
    return `<table${style.block}>${head}<tbody>${rows}</tbody></table>`
  }
  const inside = inlineHtml(block.inside, style)
  if (block.kind === 'quote') return `<blockquote${style.block}>${inside}</blockquote>`
  return block.kind === 'heading'
    ? style.heading(block.level, inside)
    : `<p${style.block}>${inside}</p>`
}

function listHtml({ kind, items }: List, style: Style): string {
  const written = items.map(({ number, inside, lists }, at) => ({
    number: number ?? at + 1,
    line: inlineHtml(inside, style),
    lists: lists.map((each) => listHtml(each, style)).join(''),
  }))
  if (kind === 'numbers') return style.numbers(written)
  return `<ul${style.block}>${written.map(({ line, lists }) => `<li>${line}${lists}</li>`).join('')}</ul>`
}

/** Repositories take no attributes of lists: items that do not count from 1 are lines with their numbers. */
function toPlainNumbers(all: readonly WrittenItem[]): string {
  const items = all.filter(({ line, lists }) => line + lists !== '')
  if (items.every(({ number }, at) => number === at + 1)) {
    return `<ol>${items.map(({ line, lists }) => `<li>${line}${lists}</li>`).join('')}</ol>`
  }
  const lines = items.map(({ number, line }) => `${number}. ${line}`)
  if (items.every(({ lists }) => lists === '')) return `<p>${lines.join('<br>')}</p>`
  return lines.map((line, at) => `<p>${line}</p>${items[at]?.lists}`).join('')
}

function inlineHtml(parts: readonly Inline[], style: Style): string {
  return parts
    .map((part) => {
      if (part.kind === 'text') {
        const text = escapeXml(part.text)
        return style.keepsLines ? text : text.replaceAll('\n', '<br>')
      }
      if (part.kind === 'code') return `<code>${escapeXml(part.text)}</code>`
      const inside = inlineHtml(part.inside, style)
      if (part.kind !== 'link') return `<${part.kind}>${inside}</${part.kind}>`
      return `<a href="${escapeXml(part.href)}"${style.link}>${inside}</a>`
    })
    .join('')
}
