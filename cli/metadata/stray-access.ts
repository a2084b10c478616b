import { isFields, type Fields } from '../../core/contract/access-names.ts'
import { isDay, isOwnAccess, toFileAccess } from '../../core/contract/file-access.ts'
import { nearest } from '../../core/contract/nearest.ts'
import { childPointer } from '../../core/base/json.ts'
import type { Finding } from '../output/finding.ts'

/** Letters of `access` that may be wrong. */
const mostWrong = 2

/** Other words that are as near. */
const others = new Set(['accessed', 'excess', 'recess', 'success'])

/**
 * Fields that no schema has, and that are probably meant to close the files: `access` in another spelling, whatever
 * it says; those that say so in a word, at any depth; and those with fields of `access` and a day to come.
 *
 * @param isKnown whether a field of this name has a meaning of its own
 */
export function findStrayAccess(
  document: Fields,
  isKnown: (name: string) => boolean,
): readonly Finding[] {
  if (toFileAccess(document['access']).files === 'restricted') return []
  const today = new Date().toISOString().slice(0, 10)
  return Object.entries(document).flatMap(([name, value]) => {
    if (isKnown(name) || isEmpty(value)) return []
    const until = isFields(value) ? dayIn(value) : undefined
    const said = sayStray(name, value, isOwnAccess(value) ? until : undefined, today)
    if (said === undefined) return []
    const day = until === undefined ? '' : `, until: ${until}`
    const message =
      `${said}, which has no effect: publishing makes the files public. To keep them closed, ` +
      `write in place of the field: access: {files: restricted${day}}. If they are open, write in ` +
      'place of the field: access: {files: public}'
    return [{ field: childPointer('', name), message }]
  })
}

function sayStray(
  name: string,
  value: unknown,
  until: string | undefined,
  today: string,
): string | undefined {
  const isOther = others.has(name.toLowerCase())
  if (!isOther && nearest(name, ['access'], mostWrong) !== undefined) return 'it looks like access'
  const word = closedWordIn(value)
  if (word !== undefined) return `it says ${JSON.stringify(word)}`
  return until !== undefined && until > today ? `it says until ${until}` : undefined
}

function dayIn({ until }: Fields): string | undefined {
  return isDay(until) ? until : undefined
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === undefined || value === null || value === ''
}

function closedWordIn(value: unknown): string | undefined {
  if (typeof value === 'string')
    return /^\s*(?:restricted|closed|embargoed)(?:[ -]access)?\s*$/i.test(value) ? value : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const each of Object.values(value)) {
    const word = closedWordIn(each)
    if (word !== undefined) return word
  }
  return undefined
}
