import type { BagField } from '../../../core/packages/bag-format.ts'
import type { Metadata } from '../../client/deposit-client.ts'
import { filled } from '../../../core/contract/foreign-values.ts'

/** Elements about the bag itself. */
const ofBag = /^(?:bag-|bagging-|bagit-|payload-|internal-)/i

interface FromBag {
  readonly metadata: Metadata
  /** Labels of elements without an equivalent in our metadata. */
  readonly notTaken: readonly string[]
}

/**
 * Metadata from the elements of a bag, which has no others; undefined where they say nothing.
 *
 * @see RFC 8493, §2.2.2
 */
export function fromBagInfo(info: readonly BagField[]): FromBag | undefined {
  const valuesOf = (name: string): readonly string[] =>
    info.flatMap(({ label, value }) => (label.toLowerCase() === name && value ? [value] : []))
  const descriptions = valuesOf('external-description')
  const metadata = filled({
    description: descriptions.length === 0 ? undefined : descriptions.join('\n\n'),
    publisher: valuesOf('source-organization')[0],
    alternate_identifiers: valuesOf('external-identifier').map((identifier) => ({ identifier })),
  })
  const taken = ['external-description', 'source-organization', 'external-identifier']
  const labels = new Set(info.map(({ label }) => label))
  const notTaken = [...labels].filter(
    (label) => !ofBag.test(label) && !taken.includes(label.toLowerCase()),
  )
  if (Object.keys(metadata).length === 0) return undefined
  return { metadata, notTaken }
}
