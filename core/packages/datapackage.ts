import type { DescribedFile } from '../describe/description.ts'
import { toLocalResources } from '../exports/datapackage.ts'
import type { PackageTexts } from '../exports/package-texts.ts'
import { isTaken, type NamedFile } from './crate.ts'
import { writeFile } from './written-file.ts'

const descriptorName = 'datapackage.json'

/**
 * The descriptor of a Data Package beside the files of a user. A descriptor of their own is kept as
 * it is. A record without files is no Data Package, which has one file at least.
 *
 * @param describe the file of a key, in the order of `keys`
 * @see Data Package 2.0
 */
export async function writeDatapackage(
  { datapackage }: PackageTexts,
  keys: readonly string[],
  describe: (index: number) => DescribedFile,
): Promise<readonly NamedFile[]> {
  if (keys.length === 0 || isTaken(keys, descriptorName)) return []
  const written = await writeFile(function* () {
    yield datapackage.before
    yield* toLocalResources(keys, describe)
    yield datapackage.after
  })
  return [{ path: descriptorName, written }]
}
