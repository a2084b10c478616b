import type { Advice } from '../../../core/base/advice.ts'
import { translated } from '../../pages/text/text.ts'

/** Markup that is safe to send: made by {@link html} alone. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | readonly Html[] | undefined

/** Markup from a template; every value that is not markup itself is escaped. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(toMarkup)))
}

/** A text in the language of the reader, with commands between backticks, and what is stressed between asterisks. */
export function marked(text: Advice): Html {
  const parts = translated(text)
    .split(/(`[^`]+`|\*[^*]+\*)/)
    .map((part) => {
      const inside = part.slice(1, -1)
      if (part.startsWith('`')) return html`<code>${inside}</code>`
      return part.startsWith('*') ? html`<strong>${inside}</strong>` : html`${part}`
    })
  return html`${parts}`
}

function toMarkup(value: Value): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('')
  return escape(String(value))
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}
