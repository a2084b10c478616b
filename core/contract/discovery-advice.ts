import type { Fields } from './access-names.ts'
import { isBlank } from './access-words.ts'

/** A field that search engines and assessments of FAIR data ask for, beyond the recommended ones. */
interface DiscoveryRule {
  readonly field: string
  /** The warning; undefined for a document that keeps the rule. */
  readonly judge: (document: Fields) => string | undefined
}

/** Characters that Google Dataset Search takes. */
const descriptionLength = { least: 50, most: 5000 }

/**
 * The rules that a document can break. The others are those of the service and of its files.
 *
 * @see https://developers.google.com/search/docs/appearance/structured-data/dataset
 * @see https://doi.org/10.5281/zenodo.4081213, the FAIRsFAIR metrics that F-UJI measures
 */
export const discoveryRules: readonly DiscoveryRule[] = [
  { field: 'description', judge: judgeDescription },
  {
    field: 'keywords',
    judge: ({ keywords }) =>
      isMissing(keywords) ? 'Add keywords: they help search engines find the record.' : undefined,
  },
]

/** One that is missing is a matter of the recommended fields. */
function judgeDescription({ description }: Fields): string | undefined {
  if (typeof description !== 'string' || isBlank(description)) return undefined
  const { length } = description.trim()
  const { least, most } = descriptionLength
  if (length >= least && length <= most) return undefined
  const has = `${length.toLocaleString('en')} character${length === 1 ? '' : 's'}`
  return `The description has ${has}; Google Dataset Search takes ${least} to ${most.toLocaleString('en')}.`
}

export function isMissing(value: unknown): boolean {
  return isBlank(value) || (Array.isArray(value) && value.length === 0)
}
