/** Tags of what people write in a description; others are text. */
const tag =
  /<(\/?)(p|br|div|ul|ol|li|b|strong|i|em|u|s|a|span|sub|sup|code|pre|blockquote|h[1-6]|table|thead|tbody|tr|td|th|hr)\b[^<>]*>/gi

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
])

/** Elements that begin a paragraph of their own. */
const blocks = /^(?:p|div|ul|ol|blockquote|pre|h[1-6]|table|hr)$/

/** The text of HTML: its paragraphs with a blank line between, items of lists on lines. */
export function fromHtml(html: string): string {
  if (!html.match(tag)) return decode(html)
  const text = html
    .replaceAll(/\s+/g, (space) => (space.includes('\n') ? ' ' : space))
    .replaceAll(tag, (_, slash: string, written: string) => {
      const name = written.toLowerCase()
      if (name === 'br' || name === 'tr') return slash === '' || name === 'tr' ? '\n' : ''
      if (name === 'li') return slash === '' ? '\n- ' : ''
      if (name === 'td' || name === 'th') return ' '
      return blocks.test(name) ? '\u0000' : ''
    })
  const paragraphs = text.split('\u0000').map((part) => withoutSpaces(part))
  return decode(
    paragraphs
      .filter((part) => part.trim() !== '')
      .map((part) => part.replace(/^\n(?=- )/, ''))
      .join('\n\n'),
  )
}

/** Without the spaces around it: a pattern for those at the end takes the square of their number. */
function withoutSpaces(text: string): string {
  const rest = text.replace(/^ +/, '')
  let end = rest.length
  while (rest[end - 1] === ' ') end -= 1
  return rest.slice(0, end)
}

function decode(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,6}));/gi, (whole, ...found) => {
    const [decimal, hex, name] = found as readonly (string | undefined)[]
    if (name !== undefined) return entities.get(name.toLowerCase()) ?? whole
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    const isText = code > 31 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    return isText ? String.fromCodePoint(code) : whole
  })
}
