/** Markup that was escaped already. */
export interface Markup {
  readonly markup: string
}

type Content = string | number | Markup | readonly (Markup | undefined)[]

type Attributes = Readonly<Record<string, string | undefined>>

/** An element: texts are escaped, attributes without a value left out. */
export function element(name: string, attributes: Attributes, content: Content): Markup {
  const inner = toMarkup(content)
  const named = Object.entries(attributes)
    .flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${escapeXml(value)}"`]))
    .join('')
  return { markup: inner === '' ? `<${name}${named}/>` : `<${name}${named}>${inner}</${name}>` }
}

/** An element of others; none where there are none. */
export function wrap(name: string, inner: readonly Markup[] | undefined): Markup | undefined {
  return inner === undefined || inner.length === 0 ? undefined : element(name, {}, inner)
}

/** An element of one text; none without it. */
export function optional(name: string, text: string | undefined): Markup | undefined {
  return text === undefined ? undefined : element(name, {}, text)
}

export function document(root: Markup): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.markup}\n`
}

function toMarkup(content: Content): string {
  if (typeof content === 'string') return escapeXml(content)
  if (typeof content === 'number') return String(content)
  if ('markup' in content) return content.markup
  // Long texts within each other are copied once, in the end, and not once at each level.
  let markup = ''
  for (const each of content) if (each) markup += `\n${each.markup}`
  return `${markup}\n`
}

/** Only the characters of XML 1.0. @see https://www.w3.org/TR/xml/#charsets */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll(/[&<>"\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}
