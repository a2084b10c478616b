/** Combining marks by the commands for them. */
const marks: Readonly<Record<string, string>> = {
  '`': '\u0300',
  "'": '\u0301',
  '^': '\u0302',
  '~': '\u0303',
  '"': '\u0308',
  '=': '\u0304',
  '.': '\u0307',
  u: '\u0306',
  v: '\u030c',
  H: '\u030b',
  c: '\u0327',
  k: '\u0328',
  r: '\u030a',
}

const letters: Readonly<Record<string, string>> = {
  ss: 'ß',
  ae: 'æ',
  AE: 'Æ',
  oe: 'œ',
  OE: 'Œ',
  aa: 'å',
  AA: 'Å',
  o: 'ø',
  O: 'Ø',
  l: 'ł',
  L: 'Ł',
  i: 'i',
  j: 'j',
  textendash: '–',
  textemdash: '—',
  textdegree: '°',
  degree: '°',
}

/** Text of LaTeX as people read it: accents as letters, without commands, braces and line breaks. */
export function plainLatex(text: string): string {
  return text
    .replaceAll(
      /\\(?:([`'^~"=.])\s*|([uvHckr])(?:\s+|(?=\{)))(?:\{\s*\\?([A-Za-z])\s*\}|\\?([A-Za-z]))/g,
      (whole, sign?: string, word?: string, inBraces?: string, plain?: string) => {
        const mark = marks[sign ?? word ?? '']
        const letter = inBraces ?? plain
        return mark === undefined || letter === undefined ? whole : letter + mark
      },
    )
    .replaceAll(/\\([A-Za-z]+)(?:\{\}|\s+|(?![A-Za-z]))/g, (_, name: string) =>
      Object.hasOwn(letters, name) ? (letters[name] ?? '') : '',
    )
    .replaceAll(/\\([&%$#_{}])/g, (_, sign: string) => (sign === '{' || sign === '}' ? '' : sign))
    .replaceAll('---', '—')
    .replaceAll('--', '–')
    .replaceAll(/(?<!\\)[{}]/g, '')
    .replaceAll('~', ' ')
    .replaceAll(/\s+/g, ' ')
    .normalize('NFC')
    .trim()
}
