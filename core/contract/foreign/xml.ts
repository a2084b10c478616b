/** An element of an XML text. Names are without their prefix. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** Its own text, without that of its children. */
  readonly text: string
}

interface Open {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: XmlElement[]
  text: string
}

/** Elements within each other; deeper ones are none of a metadata format. */
const mostDepth = 50

/**
 * Comments, CDATA, other declarations, tags, and text. One that has no end is a stray `<`. No part
 * can be matched in two ways, so that the time does not grow with the square of the text.
 */
const pieces =
  /<!--[^]*?-->|<!\[CDATA\[([^]*?)\]\]>|<(?!!--|!\[CDATA\[)[!?][^>]*>|<\/([^\s<>]{1,200})\s*>|<([^\s/<>!?"'=]{1,200})(\/|\s(?:[^"'<>]|"[^"<]*"|'[^'<]*')*)?>|([^<]+)|(<)/g

/**
 * Reads an XML text; undefined for one that is not well-formed, and with entities of its own, which
 * could grow without end.
 */
export function parseXml(text: string): XmlElement | undefined {
  const top: Open = { name: '', attributes: {}, children: [], text: '' }
  const open = [top]
  for (const [whole, data, closed, opened, rest = '', plain, stray] of text.matchAll(pieces)) {
    const around = open.at(-1)
    if (around === undefined || stray !== undefined || /^<!(?:DOCTYPE|ENTITY)/i.test(whole))
      return undefined
    if (data !== undefined) around.text += data
    else if (plain !== undefined) around.text += decoded(plain)
    else if (closed !== undefined) {
      if (open.length === 1 || around.name !== localName(closed)) return undefined
      open.pop()
    } else if (opened !== undefined) {
      const isEmpty = rest.endsWith('/')
      const element = {
        name: localName(opened),
        attributes: attributesIn(rest),
        children: [],
        text: '',
      }
      around.children.push(element)
      if (!isEmpty) open.push(element)
      if (open.length > mostDepth) return undefined
    }
  }
  const [root, ...others] = top.children
  return open.length === 1 && others.length === 0 ? root : undefined
}

function attributesIn(text: string): Readonly<Record<string, string>> {
  const found = text.matchAll(/(?:^|\s)([^\s=/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)
  return Object.fromEntries(
    Array.from(found, ([, name = '', one, other]) => [
      localName(name),
      decoded(one ?? other ?? ''),
    ]),
  )
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

function decoded(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi,
    (whole, ten, sixteen, name) => {
      if (typeof name === 'string') return entities[name] ?? whole
      const code = typeof ten === 'string' ? Number(ten) : Number.parseInt(String(sixteen), 16)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
}
