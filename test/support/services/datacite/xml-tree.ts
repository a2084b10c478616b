/** An element of an XML document, without the names of its namespaces' prefixes. */
export interface XmlElement {
  readonly name: string
  readonly namespace: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** Of itself and all elements in it. */
  readonly text: string
  /** Counted from 1. */
  readonly line: number
}

/** Text that is no well-formed XML, with the words of libxml2. */
export class XmlFault extends Error {}

interface Open {
  readonly name: string
  readonly raw: string
  readonly namespace: string
  readonly attributes: Record<string, string>
  readonly children: XmlElement[]
  readonly scopes: Readonly<Record<string, string>>
  readonly line: number
  text: string
}

const tokens =
  /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)|([\s\S])/g
const attribute = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

/** Reads a document without a DTD. @throws XmlFault */
export function parseXml(source: string): XmlElement {
  const open: Open[] = []
  let root: XmlElement | undefined
  for (const token of source.matchAll(tokens)) {
    const [whole, cdata, closing, raw, attributes = '', isEmpty, text, stray] = token
    const line = source.slice(0, token.index).split('\n').length
    if (stray !== undefined) throw new XmlFault(`${line}:0: FATAL: StartTag: invalid element name`)
    const parent = open.at(-1)
    if (raw === undefined) {
      if (parent) parent.text += cdata ?? (text === undefined ? '' : unescaped(text, line))
      else if (text?.trim())
        throw new XmlFault(`${line}:0: FATAL: Start tag expected, '<' not found`)
      continue
    }
    if (closing) {
      if (parent?.raw !== raw) {
        throw new XmlFault(`${line}:0: FATAL: Opening and ending tag mismatch: ${whole}`)
      }
    } else {
      open.push(opened(raw, attributes, parent?.scopes ?? {}, line))
    }
    if (!closing && !isEmpty) continue
    const ended = open.pop()
    if (!ended) continue
    const above = open.at(-1)
    if (above) {
      above.children.push(ended)
      above.text += ended.text
    } else root = ended
  }
  if (!root || open.length > 0) throw new XmlFault('1:0: FATAL: Premature end of data')
  return root
}

function opened(raw: string, written: string, above: Open['scopes'], line: number): Open {
  const attributes: Record<string, string> = {}
  const scopes: Record<string, string> = { ...above }
  for (const [, key = '', double, single] of written.matchAll(attribute)) {
    const value = unescaped(double ?? single ?? '', line)
    if (key === 'xmlns') scopes[''] = value
    else if (key.startsWith('xmlns:')) scopes[key.slice(6)] = value
    else attributes[key] = value
  }
  const [prefix, name] = raw.includes(':') ? raw.split(':') : ['', raw]
  const namespace = scopes[prefix ?? ''] ?? ''
  return { name: name ?? raw, raw, namespace, attributes, children: [], scopes, line, text: '' }
}

function unescaped(text: string, line: number): string {
  return text.replaceAll(/&(#x?)?([\w]*);?/g, (_, number: string | undefined, name: string) => {
    if (number) return String.fromCodePoint(Number.parseInt(name, number === '#x' ? 16 : 10))
    const found = entities[name]
    if (found === undefined) throw new XmlFault(`${line}:0: FATAL: xmlParseEntityRef: no name`)
    return found
  })
}

export const childrenOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? []

export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  childrenOf(element, name)[0]

/** `attributes` without a value are left out. Nothing but text in `content` is indented. */
export function writeElement(
  name: string,
  attributes: Readonly<Record<string, unknown>>,
  content: readonly string[] | string,
): string {
  const given = Object.entries(attributes).filter(
    ([, value]) => value !== undefined && value !== null,
  )
  const written = given.map(([key, value]) => ` ${key}="${escaped(String(value))}"`).join('')
  const inner = typeof content === 'string' ? escaped(content) : indented(content)
  return inner === '' ? `<${name}${written}/>` : `<${name}${written}>${inner}</${name}>`
}

const indented = (content: readonly string[]): string =>
  content.length === 0
    ? ''
    : `\n${content.map((line) => `  ${line.replaceAll('\n', '\n  ')}\n`).join('')}`

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
