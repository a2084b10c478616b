/** What they hold speaks of the document itself. */
export const containers =
  /^(?:access|attributes|custom(?:fields)?|data|dates|dataset(?:version)?|distribution|extras?|files|graph|metadata)$/

/** They speak of other works, or hold names of the data's own: files, columns. */
const foreign =
  /^(?:deposit|citations?|columns|fields|files|isbasedon|ispartof|properties|references|related.*|schema|variable.*)$/

/** A list of files is of the document itself; an object has their names. */
export function isForeign(plain: string, value: unknown): boolean {
  if (plain === 'files') return !Array.isArray(value)
  return foreign.test(plain) || plain.includes('embargo')
}

/** `dct:Access_Right`, `access right` and `accessRight` are one name. */
export function plainName(name: string): string {
  const bare = name.slice(Math.max(...[':', '/', '#'].map((mark) => name.lastIndexOf(mark))) + 1)
  return bare.toLowerCase().replaceAll(/[\s_.@-]/g, '')
}
