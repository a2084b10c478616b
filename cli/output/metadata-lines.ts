import { plain } from '../plain.ts'
import { wrap } from './wrap.ts'

/** Metadata for a person: a paragraph a field, what belongs to it indented. */
export function metadataLines(
  metadata: Readonly<Record<string, unknown>>,
  columns: number,
): readonly string[] {
  return Object.entries(metadata).flatMap(([name, value]) => {
    const label = plain(name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '))
    const items = Array.isArray(value) && value.some(isObject) ? value : [value]
    const texts = items.map(toText)
    if (texts.length === 1) return wrap(`${label}: ${texts[0] ?? ''}`, columns)
    return [`${label}:`, ...texts.flatMap((text) => wrap(`  ${text}`, columns))]
  })
}

/** A name goes first, and what else there is behind it in brackets. */
function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(', ')
  if (!isObject(value)) return plain(typeof value === 'string' ? value : JSON.stringify(value))
  const { name, family_name: family, given_name: given, ...rest } = value
  if (typeof name !== 'string') return describe(value)
  const more = describe(family === undefined && given === undefined ? value : rest, 'name')
  return more === '' ? plain(name) : `${plain(name)} (${more})`
}

function describe(value: object, left?: string): string {
  return Object.entries(value)
    .filter(([name]) => name !== left)
    .map(([name, part]) => `${plain(name)}: ${toText(part)}`)
    .join('; ')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
