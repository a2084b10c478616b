import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { NewFile, NewVersion } from '../../../core/packages/ocfl/write-object.ts'
import type { VersionUser } from '../../../core/packages/ocfl/inventory.ts'
import { canonicalJson, manifestFiles, toManifest, toManifestText } from '../../../core/index.ts'
import type { ManifestFile, PublishedRecord, RecordManifest } from '../../../core/index.ts'
import { toRecordBody } from '../../api/deposit-json.ts'
import type { Links } from '../../config/links.ts'
import type { WorkContext } from '../command/operator-command.ts'

/** Logical paths of what an object of ours has. Files of users have folders of their own. */
export const objectNames = {
  /** The revision as the API answers it. */
  record: 'record.json',
  /** What rows are made of again. */
  manifest: 'manifest.json',
  /** The files of the record, under their names. */
  files: 'files/',
  /** Files whose name is also that of a folder, encoded. */
  clashing: 'files-named-as-folders/',
  /** Versions of files that were replaced before the record was published, by their ids. */
  earlier: 'earlier-versions/',
} as const

/** How the bytes and addresses of an object are made. */
export interface ObjectSource {
  readonly context: Pick<WorkContext, 'parts'>
  /** At the origin that the root names its objects by. */
  readonly links: Links
  /** Writes the bytes of a blob to a new file, and compares their digest. */
  readonly copyBlob: (blob: ManifestFile['versions'][number]['blob'], path: string) => Promise<void>
}

/**
 * The versions that an object lacks: one for each revision of its record after that of `known`, or
 * one if only its identifiers or owners have changed.
 *
 * @param known the manifest of the head
 */
export async function* versionsOf(
  { context, links, copyBlob }: ObjectSource,
  latest: PublishedRecord,
  known: RecordManifest | undefined,
): AsyncGenerator<NewVersion, void, undefined> {
  const { database, clock } = context.parts
  const { value, bucket, deposit } = latest
  const { records, accounts } = database.read
  const isNew = (known?.revision ?? -1) < latest.revision
  if (!isNew && known && (await isSameState(context, latest, known))) return
  const files = await manifestFiles(database, bucket)
  const stored = storedFiles(files, copyBlob)
  const user = userOf(deposit.createdBy, await accounts.find(deposit.createdBy))
  const toVersion = async (
    record: PublishedRecord,
    facts: Pick<NewVersion, 'created' | 'message'>,
  ): Promise<NewVersion> => {
    const body = `${JSON.stringify(toRecordBody(record, links), undefined, 2)}\n`
    const manifest = toManifestText(await toManifest(database, record, files))
    const texts = [textFile(objectNames.record, body), textFile(objectNames.manifest, manifest)]
    return { ...facts, user, files: [...texts, ...stored] }
  }
  if (!isNew) {
    yield await toVersion(latest, { created: clock.now(), message: 'Identifier or owners changed' })
    return
  }
  const found = await records.revisions(value, (known?.revision ?? -1) + 1)
  for await (const batch of records.revisionBatches(value, found)) {
    for (const record of batch) {
      const message = record.revision === 0 ? 'Published' : `Corrected: revision ${record.revision}`
      yield await toVersion(record, { created: record.updated, message })
    }
  }
}

/** Whether a manifest still says what may change without a new revision. */
async function isSameState(
  { parts }: ObjectSource['context'],
  latest: PublishedRecord,
  known: RecordManifest,
): Promise<boolean> {
  const now = await toManifest(parts.database, latest, [])
  const stateOf = ({ pid, deposit }: RecordManifest): string =>
    canonicalJson([pid, deposit.pid, deposit.owners])
  return stateOf(now) === stateOf(known)
}

interface KnownUser {
  readonly email?: string | undefined
  readonly name?: string | undefined
}

function userOf(id: string, { email, name }: KnownUser = {}): VersionUser {
  const address = email === undefined ? `urn:uuid:${id}` : `mailto:${encodeURI(email)}`
  return { name: name ?? email ?? id, address }
}

function storedFiles(
  files: readonly ManifestFile[],
  copyBlob: ObjectSource['copyBlob'],
): readonly NewFile[] {
  const clashing = keysThatAreFolders(files)
  return files.flatMap(({ key, versions }) =>
    versions.map(({ id, blob }, age) => ({
      path: age > 0 ? objectNames.earlier + id : pathOf(key, clashing),
      digest: blob.sha256,
      writeTo: (path: string) => copyBlob(blob, path),
    })),
  )
}

function pathOf(key: string, clashing: ReadonlySet<string>): string {
  return clashing.has(key)
    ? objectNames.clashing + encodeURIComponent(key)
    : objectNames.files + key
}

function keysThatAreFolders(files: readonly ManifestFile[]): ReadonlySet<string> {
  const keys = new Set(files.map(({ key }) => key))
  const folders = [...keys].flatMap((key) => {
    const steps = key.split('/').slice(0, -1)
    return steps.map((_, at) => steps.slice(0, at + 1).join('/'))
  })
  return new Set(folders.filter((folder) => keys.has(folder)))
}

function textFile(path: string, text: string): NewFile {
  return {
    path,
    digest: createHash('sha256').update(text).digest('hex'),
    writeTo: async (target) => {
      await using file = await open(target, 'wx', 0o644)
      await file.writeFile(text)
    },
  }
}
