import type { MetadataFile } from '../metadata/read-metadata.ts'
import { count } from '../output/units.ts'

/** What was left out of a folder, in one line; undefined where nothing was. */
export function describeIgnored(ignored: readonly string[]): string | undefined {
  if (ignored.length === 0) return undefined
  const shown = ignored.slice(0, 5).join(', ')
  const more = ignored.length > 5 ? ', …' : ''
  return `Left out ${count(ignored.length, 'hidden or ignored name')}: ${shown}${more}`
}

/** What a metadata file in somebody else's form says beside, in one line; undefined for nothing. */
export function describeNotTaken({ notTaken }: MetadataFile): string | undefined {
  return notTaken.length === 0
    ? undefined
    : `Left out, since the metadata have no field for them: ${notTaken.join(', ')}`
}
