/** Longest segment of a key, in bytes of UTF-8: what file systems take as a name. */
export const maxSegmentBytes = 255

/** Longest key, in bytes of UTF-8. */
export const maxKeyBytes = 1024

/** C0 and C1 controls, bidirectional controls, and the byte order mark. */
const invisible = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu

/** Names that Windows keeps for devices, alone, before an extension or before a colon. */
const devices = String.raw`(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *`

const deviceName = new RegExp(`^${devices}(?:[.:]|$)`, 'i')

/** Names that are safe as they are, as most are: segments that end in no dot, of ASCII alone. */
const plainName = /^(?:[\w.-]*[\w-]\/)*[\w.-]*[\w-]$/

/**
 * The safe form of a file name, or why it has none.
 *
 * Unicode is kept (NFC) and folders are kept. Dropped are: control characters, bidirectional
 * controls and the byte order mark; empty, `.` and `..` segments; leading slashes; trailing dots
 * and spaces of a segment. A backslash separates segments.
 *
 * @see Contract §3.7
 */
export function safeKey(name: string): { readonly key: string } | { readonly reason: string } {
  if (name.length <= maxSegmentBytes && plainName.test(name)) return { key: name }
  if (!name.isWellFormed()) return { reason: 'the name is not valid Unicode' }
  const segments = name.normalize('NFC').replaceAll('\\', '/').split('/').map(safeSegment)
  const kept = segments.filter((segment) => segment !== '')
  const long = kept.find((segment) => isLonger(segment, maxSegmentBytes))
  if (long !== undefined) return { reason: `a name is longer than ${maxSegmentBytes} bytes` }
  const key = kept.join('/')
  if (key === '') return { reason: 'nothing is left of the name in its safe form' }
  if (isLonger(key, maxKeyBytes)) return { reason: `the name is longer than ${maxKeyBytes} bytes` }
  return { key }
}

/**
 * True if everybody takes `name` and `key` for one path: they differ at most in Unicode form, and in
 * empty and `.` segments. A name that loses more in its safe form may be meant for another file.
 */
export function isSamePath(name: string, key: string): boolean {
  const segments = name.normalize('NFC').split('/')
  return segments.filter((segment) => segment !== '' && segment !== '.').join('/') === key
}

/** Characters that Windows reserves for streams, wildcards and redirection. */
const windowsReserved = /[<>:"|?*]/g

/** What {@link toWindowsKey} replaces, anywhere in a key. */
const unfitForWindows = new RegExp(`${windowsReserved.source}|(?:^|/)${devices}(?:[.:/]|$)`, 'i')

/** True if Windows can store a file of this key. */
export function isFitForWindows(key: string): boolean {
  return !unfitForWindows.test(key)
}

/** The key under which Windows can store the file: `aux.csv` as `aux_.csv`, `12:30` as `12_30`. */
export function toWindowsKey(key: string): string {
  return key.split('/').map(toWindowsName).join('/')
}

function toWindowsName(segment: string): string {
  const [device] = deviceName.exec(segment) ?? []
  const stem = device?.replace(/[.:]$/, '')
  const named = stem === undefined ? segment : `${stem.trimEnd()}_${segment.slice(stem.length)}`
  return named.replaceAll(windowsReserved, '_')
}

/** The last segment of a path in either notation, as in the `filename` of a form part. */
export function withoutFolders(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}

function safeSegment(segment: string): string {
  const visible = segment.replaceAll(invisible, '').normalize('NFC')
  return visible.replace(/[. ]+$/u, '')
}

/** In UTF-8, where a UTF-16 unit takes up to three bytes: most names need not be encoded. */
function isLonger(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes
}
