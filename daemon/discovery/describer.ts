import {
  accessOf,
  describe,
  doiOf,
  filenameOf,
  isCitable,
  mediaTypeOf,
  parseInTurn,
  secondsUntilOpen,
  toDepositDocument,
  toFurther,
  toRecordDocument,
  type Clock,
  type Database,
  type Deposit,
  type DepositFile,
  type DescribedFile,
  type Description,
  type Exported,
  type ExportFormat,
  type ExportThread,
  type JsonObject,
  type Organization,
  type ProvidedIdentifier,
  type PublishedRecord,
  type Records,
  type Source,
} from '../../core/index.ts'
import type { Links } from '../config/links.ts'

/** Describes records and drafts with the addresses of this service. */
export interface Describer {
  /** Formats that they can be had in, in the order of menus. */
  readonly formats: readonly ExportFormat[]
  readonly record: (record: PublishedRecord, shown?: Shown) => Promise<Description>
  /** The data that a description of a record is made from. */
  readonly recordSource: (record: PublishedRecord, shown?: Shown) => Promise<Source>
  /** The same of all versions together: as the record, under the identifier of its concept. */
  readonly conceptSource: (record: PublishedRecord, shown?: Shown) => Promise<Source>
  /** The same of a deposit, as its record would be. */
  readonly draftSource: (deposit: Deposit) => Promise<Source>
  /** Writes in another format; large records off the event loop. */
  readonly write: (source: Source, format: ExportFormat, style?: string) => Promise<string>
}

/** The parts of a record that are described, where a page has no room for the whole. */
interface Shown {
  readonly metadata?: JsonObject
  readonly files?: readonly DepositFile[]
  /** Names other versions by DOIs that are still on their way: for the service that registers them. */
  readonly isForProvider?: boolean
}

interface DescriberParts {
  readonly records: Records
  readonly database: Database
  readonly clock: Clock
  readonly links: Links
  readonly formats: readonly ExportFormat[]
  readonly thread: ExportThread
  /** The publisher of records that name none; by default the host. */
  readonly publisher: Organization | undefined
  readonly origin: () => string
}

export function createDescriber(parts: DescriberParts): Describer {
  const { records, database, clock, links, formats, thread } = parts
  const service = () => {
    const origin = parts.origin()
    const publisher = parts.publisher ?? { name: new URL(origin).hostname, ror: undefined }
    return { origin, publisher, today: clock.now().slice(0, 10) }
  }
  const exportsOf = (id: string, toUrl: (name: string) => string): readonly Exported[] =>
    formats.map((format) => ({
      name: format.name,
      title: format.title,
      mediaType: format.mediaTypes[0] ?? '',
      profile: format.profile,
      filename: filenameOf(format, id),
      url: toUrl(format.name),
    }))

  const describer: Describer = {
    formats,
    record: async (record, shown) => describe(await describer.recordSource(record, shown)),
    recordSource: async (record, { metadata, files, isForProvider = false } = {}) => {
      await parseInTurn(record)
      const { value, concept, predecessor: previous } = record
      const newest = await records.newest(record)
      const next = await records.next(record)
      const versions = Object.entries({ concept, previous, next }).flatMap(([name, id]) =>
        id === undefined ? [] : [[name, id] as const],
      )
      const ids = [value, ...versions.map(([, id]) => id)]
      const known = await database.read.identifiers.ofSubjects(ids)
      const dois = doisOf(known)
      const own = dois.get(value)
      return {
        ...service(),
        id: value,
        isDraft: false,
        revision: record.revision,
        created: record.created,
        updated: record.updated,
        made: record.made,
        metadata: metadata ?? record.metadata,
        access: accessOf(newest),
        opensIn: secondsUntilOpen(newest, clock.now()),
        doi: own && isCitable(own) ? own : undefined,
        identifiers: (known.get(value) ?? []).flatMap(toFurther),
        document: toRecordDocument(metadata ? { ...record, metadata } : record, links.schema),
        files: (files ?? (await records.files(record, 'anonymous')) ?? []).map((file) =>
          describeFile(file, links),
        ),
        url: links.recordPage(value),
        links: links.record(record, next),
        exports: exportsOf(value, (name) => links.recordExport(value, name)),
        concept: links.recordPage(concept),
        previous: previous === undefined ? undefined : links.recordPage(previous),
        dois: Object.fromEntries(
          versions.flatMap(([name, id]) => {
            const doi = dois.get(id)
            // One that was never registered leads nowhere.
            const isNamed = isForProvider || doi?.registered !== undefined
            return doi && isNamed ? [[name, doi.value]] : []
          }),
        ),
        next: next === undefined ? undefined : links.recordPage(next),
      }
    },
    conceptSource: async (record, shown) => {
      const { dois: _, metadata, ...source } = await describer.recordSource(record, shown)
      const { version: __, doi: ___, ...described } = metadata
      const { concept } = record
      const known = (await database.read.identifiers.ofSubjects([concept])).get(concept) ?? []
      return {
        ...source,
        id: concept,
        metadata: described,
        doi: known.find((each) => each.scheme === 'doi' && isCitable(each)),
        identifiers: known.flatMap(toFurther),
        url: links.recordPage(concept),
        concept: undefined,
        previous: undefined,
        next: undefined,
      }
    },
    draftSource: async (deposit) => {
      await parseInTurn(deposit)
      const { id, record, predecessor } = deposit
      const own = links.deposit(deposit)
      const files = await database.read.files.list(deposit.bucket, 'draft')
      const { value = record?.value, ...cited } = await citedDraft(database, deposit)
      return {
        ...service(),
        ...cited,
        id: value ?? id,
        isDraft: true,
        revision: deposit.revision,
        created: deposit.created,
        updated: deposit.updated,
        metadata: deposit.metadata,
        document: toDepositDocument(deposit, links.schema),
        files: files.map((file) => describeFile(file, links)),
        url: value === undefined ? (own['html'] ?? '') : links.recordPage(value),
        links: own,
        exports: exportsOf(id, (name) => links.depositExport(id, name)),
        concept: deposit.hidesMakers ? undefined : links.recordPage(deposit.concept),
        previous: predecessor === undefined ? undefined : links.recordPage(predecessor),
      }
    },
    write: (source, format, style) => thread.write(source, format, style),
  }
  return describer
}

/** DOIs of records and concepts that are published. */
function doisOf(
  known: ReadonlyMap<string, readonly ProvidedIdentifier[]>,
): ReadonlyMap<string, ProvidedIdentifier> {
  const dois = [...known].flatMap(([id, all]) => {
    const doi = all.find(({ scheme, status }) => scheme === 'doi' && status !== 'reserved')
    return doi ? [[id, doi] as const] : []
  })
  return new Map(dois)
}

/** How a deposit is cited, and the identifier that its record has or will have. */
async function citedDraft(
  { read: { identifiers } }: Database,
  { id, record, metadata, hidesMakers }: Deposit,
): Promise<Pick<Source, 'doi' | 'standing'> & { readonly value?: string }> {
  if (hidesMakers) return { standing: 'private', doi: undefined }
  const known = (await identifiers.ofDeposits([id])).get(id) ?? []
  const ofRecord = known.filter((each) => each.of === 'record')
  const doi = ofRecord.find(({ scheme }) => scheme === 'doi')
  if (record) return { standing: 'public', doi: doi && isCitable(doi) ? doi : undefined }
  const [reserved] = ofRecord
  const value = reserved && { value: reserved.subject }
  // It gets no second DOI.
  if (doiOf(metadata['doi']) !== undefined) return { ...value, standing: 'public' }
  return doi ? { ...value, doi, standing: 'reserved' } : { ...value, standing: 'private' }
}

/** A file with its address; its type is that of its name, not the one it is sent as. */
function describeFile({ bucket, key, latest }: DepositFile, links: Links): DescribedFile {
  const { size, sha256 } = latest.blob
  const url = links.file({ bucket, key }).download
  return { key, size, sha256, mediaType: mediaTypeOf(key), url }
}
