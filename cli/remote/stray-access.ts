import { isDay } from '../../core/contract/file-access.ts'
import { nearest } from '../../core/contract/nearest.ts'
import type { Description } from '../../core/describe/description.ts'
import type { Finding } from '../output/finding.ts'
import { hasValue, isToldField } from './port/stays-here.ts'
import { objectOf } from './port/values.ts'

/** Letters of `access` that may be wrong. */
const mostWrong = 2

/** Other words that are as near. */
const others = new Set(['excess', 'recess', 'success'])

/**
 * Fields that no repository is told of, and that are probably meant to close the files: `access` in
 * another spelling, whatever it says; and those that say so in a word, at any depth.
 */
export function findStrayAccess({ document, access }: Description): readonly Finding[] {
  if (access.files === 'restricted') return []
  return Object.entries(document).flatMap(([name, value]) => {
    if (isToldField(name) || !hasValue(value)) return []
    const isMisspelt =
      !others.has(name.toLowerCase()) && nearest(name, ['access'], mostWrong) !== undefined
    const word = isMisspelt ? undefined : closedWordIn(value)
    if (!isMisspelt && word === undefined) return []
    const said = isMisspelt ? 'it looks like access' : `it says ${JSON.stringify(word)}`
    const { until } = objectOf(value)
    const day = isDay(until) ? `, until: ${until}` : ''
    const message =
      `${said}, which has no effect: publishing makes the files public. To keep them closed, ` +
      `write in place of the field: access: {files: restricted${day}}. If they are open, write in ` +
      'place of the field: access: {files: public}'
    return [{ field: `/${name}`, message }]
  })
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
