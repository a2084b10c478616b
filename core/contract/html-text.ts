import { toBlocks } from './html-blocks.ts'
import { decodeEntities, hasTags, readHtml } from './html-tokens.ts'
import { flatten } from './html-inline.ts'
import type { Inline } from './markdown.ts'
import { writeMarkdown } from './write-markdown.ts'

/**
 * HTML as the Markdown of our descriptions. Text without a tag is taken as it is: some services are sent
 * Markdown.
 */
export function fromHtml(html: string): string {
  return hasTags(html) ? writeMarkdown(toBlocks(readHtml(html))) : decodeEntities(html)
}

/** The same of a text that may be HTML, and is no other markup: entities are decoded in HTML alone. */
export function fromMaybeHtml(text: string): string {
  return /<(?:br|\/[a-z][a-z0-9:-]*)\s*\/?>/i.test(text) && hasTags(text) ? fromHtml(text) : text
}

/** The words of HTML, where there is no Markdown; addresses of links stand behind them. */
export function wordsOfHtml(html: string): string {
  if (!hasTags(html)) return decodeEntities(html)
  const lines = wordsOf(flatten(toBlocks(readHtml(html)), '\n\n')).split('\n')
  return lines
    .map((line) => line.trim())
    .join('\n')
    .trim()
}

function wordsOf(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (!('inside' in part)) return part.text
      const words = wordsOf(part.inside)
      return part.kind === 'link' && words !== part.href ? `${words} (${part.href})` : words
    })
    .join('')
}
