import { readMarkdown, type Block, type Inline } from '../contract/markdown.ts'
import { escapeXml } from './xml.ts'

/** The HTML of a text in Markdown: tags of ours around text that is escaped. */
export function markdownHtml(source: string): string {
  return readMarkdown(source).map(blockHtml).join('')
}

function blockHtml(block: Block): string {
  if (block.kind === 'code') return `<pre><code>${escapeXml(block.text)}</code></pre>`
  if (block.kind === 'list') {
    const items = block.items.map((item) => `<li>${inlineHtml(item)}</li>`).join('')
    return `<ul dir="auto">${items}</ul>`
  }
  if (block.kind === 'numbers') {
    const items = block.items.map(
      ({ number, inside }) => `<li value="${number}">${inlineHtml(inside)}</li>`,
    )
    return `<ol dir="auto">${items.join('')}</ol>`
  }
  const inside = inlineHtml(block.inside)
  if (block.kind === 'quote') return `<blockquote dir="auto">${inside}</blockquote>`
  // The page has headings of its own.
  return block.kind === 'heading'
    ? `<p class="heading" dir="auto">${inside}</p>`
    : `<p dir="auto">${inside}</p>`
}

function inlineHtml(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (part.kind === 'text') return escapeXml(part.text)
      if (part.kind === 'code') return `<code>${escapeXml(part.text)}</code>`
      const inside = inlineHtml(part.inside)
      if (part.kind !== 'link') return `<${part.kind}>${inside}</${part.kind}>`
      return `<a href="${escapeXml(part.href)}" rel="external nofollow noreferrer">${inside}</a>`
    })
    .join('')
}
