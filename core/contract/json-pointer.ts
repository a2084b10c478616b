/**
 * Tokens of a JSON pointer; undefined for other text.
 *
 * @see RFC 6901
 */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer.slice(1).split('/').map(unescapeToken)
}

/** The pointer to a field or element below `pointer`. */
export function childPointer(pointer: string, token: string | number): string {
  return `${pointer}/${typeof token === 'number' ? token : escapeToken(token)}`
}

/** The JSON pointer made of `tokens`. */
export function toPointer(tokens: readonly (string | number)[]): string {
  return tokens.reduce(childPointer, '')
}

function escapeToken(token: string): string {
  return /[~/]/.test(token) ? token.replaceAll('~', '~0').replaceAll('/', '~1') : token
}

function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}
