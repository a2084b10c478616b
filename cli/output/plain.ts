const control = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]+/gu

/**
 * Text of somebody else's on one line of a terminal: without escape sequences, line breaks and
 * characters that change the direction of what follows.
 */
export function plain(text: string): string {
  return text.replaceAll(control, ' ')
}

/** A name in quotes, where each such character is to be seen: `"a\u202eb"`. */
export function quoted(name: string): string {
  return JSON.stringify(name).replaceAll(control, (found) =>
    Array.from(found, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  )
}

/** A word of a command line, for a shell: as it is where that is safe. */
export function shellWord(text: string): string {
  return /^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
