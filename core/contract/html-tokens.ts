/** A piece of HTML. Text has its entities decoded; line ends in it are as they are written. */
export type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: string }
  | { readonly kind: 'close'; readonly name: string }

/** Tags of what people write in a description; others are text. Those of JATS have its prefix. */
const known = new Set(
  `p br div ul ol li b strong i em u s a span sub sup code pre blockquote h1 h2 h3 h4 h5 h6 table thead
  tbody tfoot tr td th caption colgroup col hr dl dt dd img figure figcaption section article header
  footer main address center font small big mark ins del strike q cite abbr acronym dfn kbd samp var tt
  script style jats:p jats:sec jats:title jats:bold jats:italic jats:sup jats:sub jats:list
  jats:list-item jats:ext-link jats:monospace jats:disp-quote jats:preformat jats:underline jats:sc
  jats:break jats:label jats:styled-content jats:named-content jats:inline-formula jats:disp-formula
  jats:alternatives jats:tex-math`.split(/\s+/),
)

/** Elements of JATS by the name of those of HTML that mean the same. */
const names: ReadonlyMap<string, string> = new Map([
  ['jats:sec', 'section'],
  ['jats:title', 'h3'],
  ['jats:list', 'ul'],
  ['jats:list-item', 'li'],
  ['jats:ext-link', 'a'],
  ['jats:monospace', 'code'],
  ['jats:disp-quote', 'blockquote'],
  ['jats:preformat', 'pre'],
  ['jats:break', 'br'],
  ['jats:disp-formula', 'div'],
  ['jats:bold', 'b'],
  ['jats:italic', 'i'],
])

/** Whether a text has any of the tags that are read. */
export function hasTags(text: string): boolean {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    if (tagAt(text, at)) return true
  }
  return false
}

/** The pieces of HTML, in one pass. Comments, scripts and styles are left out. */
export function* readHtml(html: string): Generator<Token> {
  let plain = ''
  // What has no end is looked for once.
  const unended = new Set<string>()
  const endOf = (end: RegExp, from: number): number => {
    if (unended.has(end.source)) return -1
    end.lastIndex = from
    const found = end.exec(html)
    if (!found) unended.add(end.source)
    return found ? end.lastIndex : -1
  }
  for (let at = 0; at < html.length;) {
    const begin = html.indexOf('<', at)
    const end = begin < 0 ? html.length : begin
    plain += html.slice(at, end)
    if (begin < 0) break
    const comment = html.startsWith('<!--', begin) ? endOf(/-->/g, begin + 4) : -1
    const tag = comment < 0 ? tagAt(html, begin) : undefined
    if (comment >= 0) at = comment
    else if (tag) {
      if (plain !== '') yield { kind: 'text', text: decodeEntities(plain) }
      plain = ''
      at = tag.end
      const { name } = tag
      const isHidden = name === 'script' || name === 'style'
      if (!isHidden && tag.isClose) yield { kind: 'close', name }
      else if (!isHidden) yield { kind: 'open', name, attributes: tag.attributes }
      else if (!tag.isClose) {
        const close = endOf(name === 'script' ? /<\/script[^<>]*>/gi : /<\/style[^<>]*>/gi, at)
        if (close >= 0) at = close
      }
    } else {
      plain += '<'
      at = begin + 1
    }
  }
  if (plain !== '') yield { kind: 'text', text: decodeEntities(plain) }
}

interface Tag {
  readonly name: string
  readonly attributes: string
  readonly isClose: boolean
  readonly end: number
}

const beginning = /<(\/?)([a-z][a-z0-9:-]{0,20})(?=[\s/>])/iy

/** A known tag; one never holds another, so that what is not closed is read once. */
function tagAt(html: string, at: number): Tag | undefined {
  beginning.lastIndex = at
  const [whole = '', slash, written = ''] = beginning.exec(html) ?? []
  const name = written.toLowerCase()
  if (!known.has(name)) return undefined
  const from = at + whole.length
  const end = endOfTag(html, from)
  if (end === undefined) return undefined
  const attributes = html.slice(from, end)
  const isOrdered = name === 'jats:list' && /list-type\s*=\s*["']?order/i.test(attributes)
  return {
    name: isOrdered ? 'ol' : (names.get(name) ?? name.replace('jats:', '')),
    attributes,
    isClose: slash === '/',
    end: end + 1,
  }
}

/** The place of the `>` that is in no quoted value; if quotes are not closed, the first one. */
function endOfTag(html: string, from: number): number | undefined {
  let quote = ''
  let first: number | undefined
  for (let at = from; at < html.length; at += 1) {
    const char = html.charAt(at)
    if (char === '<') return first
    if (char === '>') {
      if (quote === '') return at
      first ??= at
    } else if (char === quote) quote = ''
    else if (quote === '' && (char === '"' || char === "'")) quote = char
  }
  return first
}

/** The value of an attribute. */
export function attributeOf(attributes: string, name: string): string | undefined {
  const pattern = new RegExp(
    `(?:^|[\\s"'/])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`,
    'i',
  )
  const [, double, single, bare] = pattern.exec(attributes) ?? []
  const value = double ?? single ?? bare
  return value === undefined ? undefined : decodeEntities(value)
}

const entities: ReadonlyMap<string, string> = new Map([
  ...named(34, 'quot . . . amp apos . . . . . . . . . . . . . . . . . . . . lt . gt'),
  ...named(
    161,
    `iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3
    acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde
    Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute
    Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde
    auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute
    ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`,
  ),
  ...named(
    913,
    `Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho . Sigma Tau
    Upsilon Phi Chi Psi Omega . . . . . . . alpha beta gamma delta epsilon zeta eta theta iota kappa
    lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega`,
  ),
  ['nbsp', ' '],
  ['ensp', ' '],
  ['emsp', ' '],
  ['thinsp', '\u2009'],
  ['ndash', '–'],
  ['mdash', '—'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['sbquo', '‚'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['bdquo', '„'],
  ['bull', '•'],
  ['hellip', '…'],
  ['prime', '′'],
  ['Prime', '″'],
  ['permil', '‰'],
  ['euro', '€'],
  ['trade', '™'],
  ['rarr', '→'],
  ['larr', '←'],
  ['minus', '−'],
  ['radic', '√'],
  ['infin', '∞'],
  ['asymp', '≈'],
  ['ne', '≠'],
  ['le', '≤'],
  ['ge', '≥'],
  ['sum', '∑'],
  ['part', '∂'],
])

/** Entities of characters one after another. */
function named(from: number, list: string): readonly (readonly [string, string])[] {
  return list
    .split(/\s+/)
    .flatMap((name, at) => (name === '.' ? [] : [[name, String.fromCodePoint(from + at)] as const]))
}

export function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi, (whole, ...found) => {
    const [decimal, hex, name] = found as readonly (string | undefined)[]
    if (name !== undefined) return entities.get(name) ?? entities.get(name.toLowerCase()) ?? whole
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    const isText = code > 31 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    return isText ? String.fromCodePoint(code) : whole
  })
}
