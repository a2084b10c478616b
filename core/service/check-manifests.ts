import { canonicalJson } from '../json/canonical.ts'
import { isProblem } from '../errors/errors.ts'
import type { Database } from '../ports/database.ts'
import type { ManifestStore } from '../ports/manifest-store.ts'
import type { PublishedRecord } from '../record/record.ts'
import type { Finding } from '../ports/upkeep.ts'
import { nameOfManifest, strangeManifests } from './strange-manifests.ts'

/** More than anybody has waiting. */
const everything = 1_000_000

/**
 * Compares manifests with their rows. The daemon rewrites a lost or damaged one from the rows; it
 * is still a finding.
 */
export async function* checkManifests(
  database: Database,
  manifests: ManifestStore,
): AsyncGenerator<Finding, void, undefined> {
  const due = new Set((await database.upkeep.unmanifested(everything)).map(nameOfManifest))
  for await (const { value } of database.read.records.each()) {
    const { records } = database.read
    const found = await records.revisions(value, 0)
    for await (const batch of records.revisionBatches(value, found)) {
      for (const record of batch) {
        const message = due.has(nameOfManifest(record))
          ? undefined
          : await compare(manifests, record)
        if (message === undefined) continue
        yield { kind: 'damage', subject: 'manifest', name: nameOfManifest(record), message }
        if (!database.isWritable()) continue
        await database.write((unit) => unit.upkeep.dropManifested(value, record.revision))
      }
    }
  }
  for await (const name of strangeManifests({ database, manifests })) {
    const isFile = 'strange' in name
    const [path, message] = isFile
      ? [name.strange, 'is none of ours']
      : [nameOfManifest(name), 'is of a record or revision that the database does not have']
    yield { kind: 'strange', subject: 'manifest', name: path, message }
  }
}

/** The fault of the manifest of a revision; undefined if there is none. */
async function compare(
  manifests: ManifestStore,
  record: PublishedRecord,
): Promise<string | undefined> {
  try {
    const manifest = await manifests.read(record)
    if (!manifest) return 'is missing; it is written again'
    const isSame = canonicalJson(manifest.metadata) === canonicalJson(record.metadata)
    return isSame ? undefined : 'does not match its row; it is written again'
  } catch (error) {
    if (isProblem(error, 'damaged_file')) return 'is damaged; it is written again'
    throw error
  }
}
