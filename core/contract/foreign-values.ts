/** A document in a foreign format; its values may have any type. */
export type Foreign = Readonly<Record<string, unknown>>

export function isForeign(value: unknown): value is Foreign {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Text, numbers and dates as text; undefined for other values. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** A number, or text that is one; undefined for other values. */
export function numberOf(value: unknown): number | undefined {
  const number = Number(textOf(value) ?? Number.NaN)
  return Number.isFinite(number) ? number : undefined
}

/** A list; a single value counts as a list of one. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

/** The first of a list; a single value counts as a list of one. */
export function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value
}

export function objectsOf(value: unknown): readonly Foreign[] {
  return listOf(value).filter(isForeign)
}

export function textsOf(value: unknown): readonly string[] {
  return listOf(value).flatMap((item) => textOf(item) ?? [])
}

/** Without empty fields. */
export function filled(fields: Foreign): Foreign {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)))
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

interface Person {
  /** The whole name, if known. */
  readonly name?: unknown
  readonly given?: unknown
  readonly family?: unknown
  readonly orcid?: unknown
  /** Names, or `{name, ror}`. */
  readonly affiliation: readonly (string | Foreign)[]
}

/** A creator; undefined without a name, or with DataCite's code for one that is not known. */
export function toPerson(person: Person): Foreign | undefined {
  const [given, family] = [textOf(person.given), textOf(person.family)]
  const parts = [family, given].filter((part) => part !== undefined)
  const name = textOf(person.name) ?? (parts.length === 0 ? undefined : parts.join(', '))
  if (name === undefined || name === ':unav') return undefined
  return filled({
    name,
    given_name: given,
    family_name: family,
    orcid: orcidOf(textOf(person.orcid)),
    affiliation: person.affiliation,
  })
}

function orcidOf(text: string | undefined): string | undefined {
  return /\d{4}-\d{4}-\d{4}-\d{3}[\dX]/.exec(text ?? '')?.[0]
}

/** Organizations in one text, with semicolons between. */
export function affiliationsOf(value: unknown): readonly string[] {
  return textsOf(value).flatMap((text) => text.split(/\s*;\s*/).filter(Boolean))
}

/** The SPDX identifier in an address of SPDX; other text as it is. */
export function licenseOf(text: string | undefined): string | undefined {
  return /spdx\.org\/licenses\/([\w.+-]+?)(?:\.html)?$/.exec(text ?? '')?.[1] ?? text
}

/** A DOI, with or without its resolver; undefined for other text. */
export function doiOf(value: unknown): string | undefined {
  const pattern = /^(?:doi:\s*|https?:\/\/(?:dx\.)?doi\.org\/)?(10\.\d{4,9}(?:\.\d+)*\/\S+)$/i
  return pattern.exec(textOf(value) ?? '')?.[1]
}
