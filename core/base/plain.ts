/** Characters that control a terminal, break a line or change the direction of text. */
const control = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]+/gu

/**
 * Foreign text for one line of a terminal: without escape sequences, line breaks and characters
 * that change the direction of text.
 */
export function plain(text: string): string {
  return text.replaceAll(control, ' ')
}

/** The same for text of several lines, whose values may have tabs between them. */
export function plainLines(text: string): string {
  return text.replaceAll(/[^\n\t]+/g, plain)
}

/** The same for one line, whose values may have tabs between them. */
export function plainRow(text: string): string {
  return text.replaceAll(/[^\t]+/g, plain)
}

/** True where a name has none of these characters. */
export function isPlain(text: string): boolean {
  return text.search(control) === -1
}

/** A name in quotes, with such characters visible: `"a\u202eb"`. */
export function quoted(name: string): string {
  return plainJson(name)
}

/** JSON for people and programs, of any value that has one: every such character is escaped. */
export function plainJson(value: unknown, indent?: number): string {
  return escapeControls(JSON.stringify(value, undefined, indent))
}

/** Text with each such character as `\u202e`, but for line breaks and tabs. */
export function escapeControls(text: string): string {
  return text.replaceAll(/[^\n\t]+/g, (part) =>
    part.replaceAll(control, (found) =>
      Array.from(found, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    ),
  )
}
