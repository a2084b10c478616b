/** Escapes text for roff: requests, macros and escapes lose their meaning. */
export function escape(text: string): string {
  return text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll(/^([.'])/gm, String.raw`\&$1`)
    .replaceAll(/[^\n -~]/gu, (sign) => String.raw`\[u${codeOf(sign)}]`)
}

/** The roff name of a character, independent of the input encoding. */
function codeOf(sign: string): string {
  return (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}

/** `**bold**` and `` `code` `` in bold, `*name*` underlined, links as their text. */
export function inline(text: string): string {
  return escape(text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1'))
    .replaceAll(/\*\*(.+?)\*\*|`(.+?)`/g, (_all, bold?: string, code?: string) => {
      return `\\fB${bold ?? code ?? ''}\\fP`
    })
    .replaceAll(/(?<![\w*])\*(\S[^*]*)\*(?![\w*])/g, String.raw`\fI$1\fP`)
}

export function header(name: string, section: string): string {
  return `.TH ${escape(name.toUpperCase())} ${section} "" "deposit" "Manual of deposit"\n`
}

export function section(title: string): string {
  return `.SH ${escape(title)}\n`
}

export function paragraph(text: string): string {
  return `.PP\n${inline(text)}\n`
}

/** A term with its meaning, indented. */
export function item(term: string, text: string): string {
  return `.TP\n${inline(term)}\n${inline(text)}\n`
}

/** Verbatim lines, indented. */
export function verbatim(lines: readonly string[]): string {
  return `.PP\n.RS 4\n.nf\n${lines.map(escape).join('\n')}\n.fi\n.RE\n`
}
