import { childPointer } from './json-pointer.ts'

export type Fields = Readonly<Record<string, unknown>>

/** What they hold speaks of the document itself. */
export const containers =
  /^(?:access|attributes|custom(?:fields)?|data|dates|dataset(?:version)?|distribution|extras?|files|graph|metadata)$/

/**
 * `release_date`, `publish_after`, `open_from`: a day in the future on which the files are for all.
 * The publication date of a work is none.
 */
export const releaseName =
  /^(?:available|open|public|publish|release|visible)(?:after|from)$|^release(?:date|on)$/

/** They speak of other works, or hold names of the data's own: files, columns. */
const foreign =
  /^(?:deposit|citations?|columns|fields|files|isbasedon|ispartof|properties|references|related.*|schema|variable.*)$/

/** A list of files is of the document itself; an object has their names. */
export function isForeign(plain: string, value: unknown): boolean {
  if (plain === 'files') return !Array.isArray(value)
  return foreign.test(plain) || plain.includes('embargo')
}

/** Names that say more than who may have the files. */
export const generalNames = [
  'available',
  'closed',
  'date',
  'dates',
  'licence',
  'license',
  'licenses',
  'open',
  'public',
  'releasedate',
  'releaseon',
  'right',
  'rights',
  'rightslist',
]

/** `dct:Access_Right`, `access right` and `accessRight` are one name. */
export const plainName = knowing((name) => {
  const bare = name.slice(Math.max(...[':', '/', '#'].map((mark) => name.lastIndexOf(mark))) + 1)
  return bare.toLowerCase().replaceAll(/[\s_.@-]/g, '')
})

/** Names that are known at a time, and the longest of them. */
const mostKnown = 500
const longestKnown = 100

/** As `find`, which is asked for the same few names by every object of a long list. */
export function knowing<Found>(find: (name: string) => Found): (name: string) => Found {
  const known = new Map<string, { readonly found: Found }>()
  return (name) => {
    const before = known.get(name)
    if (before) return before.found
    const found = find(name)
    if (known.size >= mostKnown) known.clear()
    if (name.length <= longestKnown) known.set(name, { found })
    return found
  }
}

/** A field with the plain form of its name. */
export type Field = readonly [pointer: string, plain: string, value: unknown]

/** The fields of an object, or of a list as CKAN's `extras`: `[{key: "embargo_date", value: …}]`. */
export function fieldsIn(pointer: string, value: unknown): readonly Field[] {
  if (Array.isArray(value)) {
    const fields: Field[] = []
    for (const [at, item] of value.entries()) {
      if (!isFields(item) || !Object.hasOwn(item, 'value')) continue
      const { key, value: said } = item
      if (typeof key !== 'string') continue
      fields.push([`${childPointer(pointer, at)}/value`, plainName(key), said])
    }
    return fields
  }
  if (!isFields(value)) return []
  return Object.entries(value).map(([name, field]) => [
    childPointer(pointer, name),
    plainName(name),
    field,
  ])
}

/** JSON-LD writes a text as `{"@value": "text", "@type": …}`, too. */
export function literal(value: unknown): unknown {
  return isFields(value) && Object.hasOwn(value, '@value') ? value['@value'] : value
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The last day of an embargo, which may stand within it. */
export function endIn(embargo: unknown): unknown {
  return isFields(embargo) ? embargo['until'] : embargo
}
