import {
  filePaths,
  messageOf,
  objectNames,
  textFile,
  userOf,
} from '../../../core/packages/ocfl/record-names.ts'
import type { NewFile, NewVersion } from '../../../core/packages/ocfl/write-object.ts'
import { canonicalJson, manifestFiles, toManifest, toManifestText } from '../../../core/index.ts'
import type {
  ManifestFile,
  PublishedRecord,
  RecordManifest,
  Withdrawal,
} from '../../../core/index.ts'
import { toRecordBody } from '../../api/deposit-json.ts'
import { toWithdrawalBody } from '../../discovery/tombstones.ts'
import type { Links } from '../../config/links.ts'
import type { WorkContext } from '../command/operator-command.ts'

/** How the bytes and addresses of an object are made. */
export interface ObjectSource {
  readonly context: Pick<WorkContext, 'parts'>
  /** At the origin that the root names its objects by. */
  readonly links: Links
  /** Writes the bytes of a blob to a new file, and compares their digest. */
  readonly copyBlob: (blob: ManifestFile['versions'][number]['blob'], path: string) => Promise<void>
}

/** A record as it is now. */
interface RecordNow {
  readonly latest: PublishedRecord
  readonly withdrawal: Withdrawal | undefined
}

/**
 * The versions that an object lacks: one for each revision of its record after that of `known`; and
 * one if its identifiers or owners have changed, or if it was withdrawn or restored. That of a
 * withdrawal has a tombstone, and none of the files.
 *
 * @param known the manifest of the head
 */
export async function* versionsOf(
  { context, links, copyBlob }: ObjectSource,
  { latest, withdrawal }: RecordNow,
  known: RecordManifest | undefined,
): AsyncGenerator<NewVersion, void, undefined> {
  const { database, clock } = context.parts
  const { value, bucket, deposit } = latest
  const { records, accounts } = database.read
  const isNew = (known?.revision ?? -1) < latest.revision
  if (!isNew && known && (await isSameState(context, latest, known))) return
  const files = await manifestFiles(database, bucket)
  const stored = storedFiles(files, copyBlob)
  const provided = await database.read.identifiers.ofSubjects([value, latest.concept])
  const identifiers = [...provided.values()].flat()
  const user = userOf(deposit.createdBy, await accounts.find(deposit.createdBy))
  const toVersion = async (
    record: PublishedRecord,
    facts: Pick<NewVersion, 'created' | 'message'>,
  ): Promise<NewVersion> => {
    const body = `${JSON.stringify(toRecordBody(record, links, { identifiers }), undefined, 2)}\n`
    const manifest = toManifestText(await toManifest(database, record, files))
    const texts = [textFile(objectNames.record, body), textFile(objectNames.manifest, manifest)]
    return { ...facts, user, files: [...texts, ...stored] }
  }
  const toTombstone = async (ended: Withdrawal): Promise<NewVersion> => {
    const body = {
      id: value,
      url: links.recordPage(value),
      withdrawn: toWithdrawalBody(ended, links),
    }
    const texts = [
      textFile(objectNames.record, `${JSON.stringify(body, undefined, 2)}\n`),
      textFile(objectNames.manifest, toManifestText(await toManifest(database, latest, files))),
    ]
    return { created: clock.now(), message: `Withdrawn: ${ended.reason}`, user, files: texts }
  }
  if (!isNew && !withdrawal) {
    const message = known?.deposit.withdrawal ? 'Restored' : 'Identifier or owners changed'
    yield await toVersion(latest, { created: clock.now(), message })
    return
  }
  const found = await records.revisions(value, (known?.revision ?? -1) + 1)
  for await (const batch of records.revisionBatches(value, found)) {
    for (const record of batch) {
      yield await toVersion(record, { created: record.updated, message: messageOf(record) })
    }
  }
  if (withdrawal) yield await toTombstone(withdrawal)
}

/** Whether a manifest still says what may change without a new revision. */
async function isSameState(
  { parts }: ObjectSource['context'],
  latest: PublishedRecord,
  known: RecordManifest,
): Promise<boolean> {
  const now = await toManifest(parts.database, latest, [])
  const stateOf = ({ pid, identifiers, deposit }: RecordManifest): string =>
    canonicalJson([pid, identifiers ?? [], deposit.pid, deposit.owners, deposit.withdrawal ?? null])
  return stateOf(now) === stateOf(known)
}

function storedFiles(
  files: readonly ManifestFile[],
  copyBlob: ObjectSource['copyBlob'],
): readonly NewFile[] {
  const paths = filePaths(files.map(({ key }) => key))
  return files.flatMap(({ key, versions }) =>
    versions.map(({ id, blob }, age) => ({
      path: age > 0 ? objectNames.earlier + id : (paths.get(key) ?? key),
      digest: blob.sha256,
      writeTo: (path: string) => copyBlob(blob, path),
    })),
  )
}
