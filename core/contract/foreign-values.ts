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
  /** `Jr.` or `III`. */
  readonly suffix?: unknown
  readonly orcid?: unknown
  /** Names, or `{name, ror}`. */
  readonly affiliation: readonly (string | Foreign)[]
}

/** A creator; undefined without a name, or with DataCite's code for one that is not known. */
export function toPerson(person: Person): Foreign | undefined {
  const [given, family] = [textOf(person.given), textOf(person.family)]
  const parts = [family, given, textOf(person.suffix)].filter((part) => part !== undefined)
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
  return textsOf(value).flatMap((text) => text.split(';').flatMap((name) => name.trim() || []))
}

/** The SPDX identifier for the address of a license that is well known; other text as it is. */
export function licenseOf(text: string | undefined): string | undefined {
  const address = /^https?:\/\/(?:www\.)?(\S+?)\/?$/i.exec(text ?? '')?.[1] ?? ''
  const spdx = /^spdx\.org\/licenses\/([\w.+-]+?)(?:\.html|\.json)?$/i.exec(address)?.[1]
  if (spdx !== undefined) return spdx
  const plain = address.toLowerCase().replace(/\/?(?:legalcode|deed)(?:\.\w+)?$/, '')
  const [, terms, version] =
    /^creativecommons\.org\/licenses\/(by(?:-nc)?(?:-sa|-nd)?)\/(\d\.\d)$/.exec(plain) ?? []
  if (terms !== undefined) return `CC-${terms.toUpperCase()}-${version}`
  const approved = /^opensource\.org\/licen[sc]es?\/([\w.-]+?)(?:\.(?:php|html))?$/.exec(plain)?.[1]
  return approvedLicenses[approved?.replaceAll('.', '-') ?? ''] ?? otherLicenses[plain] ?? text
}

/** By their names in addresses of the Open Source Initiative, with hyphens in the place of dots. */
const approvedLicenses: Readonly<Record<string, string>> = {
  '0bsd': '0BSD',
  'afl-3-0': 'AFL-3.0',
  'agpl-3-0': 'AGPL-3.0-only',
  'apache-2-0': 'Apache-2.0',
  'artistic-2-0': 'Artistic-2.0',
  'bsd-2-clause': 'BSD-2-Clause',
  'bsd-3-clause': 'BSD-3-Clause',
  'bsl-1-0': 'BSL-1.0',
  'cddl-1-0': 'CDDL-1.0',
  'epl-2-0': 'EPL-2.0',
  'eupl-1-2': 'EUPL-1.2',
  'gpl-2-0': 'GPL-2.0-only',
  'gpl-3-0': 'GPL-3.0-only',
  isc: 'ISC',
  'lgpl-2-1': 'LGPL-2.1-only',
  'lgpl-3-0': 'LGPL-3.0-only',
  mit: 'MIT',
  'mit-license': 'MIT',
  'mpl-2-0': 'MPL-2.0',
  unlicense: 'Unlicense',
  zlib: 'Zlib',
}

const otherLicenses: Readonly<Record<string, string>> = {
  'creativecommons.org/publicdomain/zero/1.0': 'CC0-1.0',
  'creativecommons.org/publicdomain/mark/1.0': 'CC-PDM-1.0',
  'apache.org/licenses/license-2.0': 'Apache-2.0',
  'apache.org/licenses/license-2.0.html': 'Apache-2.0',
  'apache.org/licenses/license-2.0.txt': 'Apache-2.0',
  'opendatacommons.org/licenses/by/1-0': 'ODC-By-1.0',
  'opendatacommons.org/licenses/odbl/1-0': 'ODbL-1.0',
  'opendatacommons.org/licenses/pddl/1-0': 'PDDL-1.0',
}

/** A DOI, with or without its resolver; undefined for other text. */
export function doiOf(value: unknown): string | undefined {
  const pattern = /^(?:doi:\s*|https?:\/\/(?:dx\.)?doi\.org\/)?(10\.\d{4,9}(?:\.\d+)*\/\S+)$/i
  return pattern.exec(textOf(value) ?? '')?.[1]
}
