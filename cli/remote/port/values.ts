/** JSON of a repository, of which nothing is certain. */
export type Foreign = Readonly<Record<string, unknown>>

export function objectOf(value: unknown): Foreign {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Foreign)
    : {}
}

export function listOf(value: unknown): readonly Foreign[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}

/** Text, also of a number; undefined for anything else and for empty text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A DOI; undefined of anything that has not the form of one. */
export function doiOf(value: unknown): string | undefined {
  const text = textOf(value)
  return text !== undefined && /^10\.\d{4,9}(?:\.\d+)*\/[^\s<>"\p{C}]+$/u.test(text)
    ? text
    : undefined
}

/** Bytes; `NaN` of anything that is no size. */
export function sizeOf(value: unknown): number {
  const size = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : Number.NaN
}

/** The addresses among its fields. */
export function linksOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(objectOf(value)).flatMap(([name, link]) =>
      typeof link === 'string' ? [[name, link] as const] : [],
    ),
  )
}

/** 32 hexadecimal digits, of `md5:…` too. */
export function md5Of(value: unknown): string | undefined {
  return /^(?:md5:)?([0-9a-f]{32})$/i.exec(textOf(value) ?? '')?.[1]?.toLowerCase()
}

/** `urn:uuid:…` among identifiers. */
export function markerIn(identifiers: readonly Foreign[]): string | undefined {
  return identifiers
    .map(({ identifier }) => textOf(identifier)?.toLowerCase() ?? '')
    .find((identifier) => isMarker(identifier))
}

export function isMarker(text: string): boolean {
  return /^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
