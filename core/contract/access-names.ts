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

/** `dct:Access_Right`, `access right` and `accessRight` are one name. */
export function plainName(name: string): string {
  const bare = name.slice(Math.max(...[':', '/', '#'].map((mark) => name.lastIndexOf(mark))) + 1)
  return bare.toLowerCase().replaceAll(/[\s_.@-]/g, '')
}

/** A field with the plain form of its name. */
export type Field = readonly [pointer: string, plain: string, value: unknown]

/** The fields of an object, or of a list as CKAN's `extras`: `[{key: "embargo_date", value: …}]`. */
export function fieldsIn(pointer: string, value: unknown): readonly Field[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, at) => {
      const key = isFields(item) && Object.hasOwn(item, 'value') ? item['key'] : undefined
      if (!isFields(item) || typeof key !== 'string') return []
      return [[`${childPointer(pointer, at)}/value`, plainName(key), item['value']] as const]
    })
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
