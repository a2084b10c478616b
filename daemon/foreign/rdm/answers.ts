import { extname } from 'node:path/posix'
import type {
  AnnouncedFiles,
  Deposit,
  DepositFile,
  FileKey,
  Md5Sums,
  PublishedRecord,
} from '../../../core/index.ts'
import type { Services } from '../../api/services.ts'
import { typeOf } from '../../http/file-headers.ts'
import { essence } from '../../http/negotiation.ts'
import { doisOf } from '../dois.ts'
import { ownNumbers, type Numbers } from '../numbers.ts'
import { mostListed, sumsOf, toOwner, toTime, type Shown } from '../shown.ts'
import { publishFaults, toRdmDocument } from './metadata.ts'

/** Where InvenioRDM's interface is mounted; clients take it without `/api` as the base address. */
export const prefix = '/rdm/api'

/** The service, as this interface needs it. */
export interface Rdm {
  readonly services: Services
  readonly md5: Md5Sums
  readonly announced: AnnouncedFiles
  /** Scheme, host and port that clients see. */
  readonly origin: () => string
}

/** Absolute address below the interface. Names of files are encoded. */
export function addressOf({ origin }: Rdm, ...segments: readonly (string | number)[]): string {
  return `${origin()}${prefix}/${segments.map((each) => encodeURIComponent(each)).join('/')}`
}

/** A draft, with what would keep it from being published. */
export async function toDraft(rdm: Rdm, deposit: Deposit, as: Shown = 'alone'): Promise<object> {
  const { services } = rdm
  const { database } = services.parts
  const own = await ownNumbers(services.parts, deposit)
  const before =
    deposit.predecessor === undefined
      ? undefined
      : await database.read.records.find(deposit.predecessor)
  const isPublished = deposit.record !== undefined
  const shown = toRdmDocument(deposit, services.parts.clock.now().slice(0, 10))
  const errors = publishFaults(shown).map(({ field, message }) => ({ field, messages: [message] }))
  const self = addressOf(rdm, 'records', own.deposition, 'draft')
  return {
    ...(await bodyOf(rdm, deposit, own, shown)),
    is_published: isPublished,
    is_draft: true,
    status: before && !isPublished ? 'new_version_draft' : 'draft',
    versions: { index: (before?.number ?? 0) + 1, is_latest: false, is_latest_draft: true },
    files: await filesOf(rdm, await services.files.list(deposit), {
      base: self,
      isEnabled: shown.hasFiles,
      as,
      ...(as === 'alone' && { announced: await rdm.announced.list(deposit) }),
    }),
    ...(errors.length > 0 && { errors }),
    links: {
      ...linksOf(rdm, own),
      self,
      self_html: services.links.deposit(deposit)['html'] ?? '',
      files: `${self}/files`,
      publish: `${self}/actions/publish`,
      reserve_doi: `${self}/pids/doi`,
    },
  }
}

/** @param listed the files that its reader may have; undefined where they may have none */
export async function toRecord(
  rdm: Rdm,
  record: PublishedRecord,
  listed: readonly DepositFile[] | undefined,
  as: Shown = 'alone',
): Promise<object> {
  const { services } = rdm
  const own = await ownNumbers(services.parts, { id: record.deposit.id, concept: record.concept })
  const shown = toRdmDocument(record, services.parts.clock.now().slice(0, 10))
  const self = addressOf(rdm, 'records', own.deposition)
  const subject = {
    ...record,
    id: record.deposit.id,
    owners: record.deposit.owners,
    createdBy: record.deposit.createdBy,
  }
  return {
    ...(await bodyOf(rdm, subject, own, shown)),
    is_published: true,
    is_draft: false,
    status: 'published',
    versions: {
      index: record.number,
      is_latest: !record.superseded,
      is_latest_draft: !record.superseded,
    },
    files: listed
      ? await filesOf(rdm, listed, { base: self, isEnabled: shown.hasFiles, as })
      : { enabled: true, order: [], entries: {} },
    links: {
      ...linksOf(rdm, own),
      self,
      self_html: services.links.recordPage(record.value),
      files: `${self}/files`,
      archive: `${self}/files-archive`,
    },
  }
}

type Subject = Pick<
  Deposit,
  'id' | 'concept' | 'metadata' | 'created' | 'updated' | 'revision' | 'owners' | 'createdBy'
> & { readonly record?: unknown }

async function bodyOf(
  rdm: Rdm,
  subject: Subject,
  own: Numbers,
  { metadata, access, customFields }: ReturnType<typeof toRdmDocument>,
) {
  const { parts } = rdm.services
  const dois = await doisOf(parts, subject, subject.metadata, own)
  const isExternal = subject.metadata['doi'] !== undefined
  const managed = { provider: 'datacite', client: 'datacite' }
  const owner = String(toOwner(subject.owners[0] ?? subject.createdBy))
  return {
    id: String(own.deposition),
    created: toTime(subject.created),
    updated: toTime(subject.updated),
    revision_id: subject.revision,
    parent: {
      id: String(own.concept),
      access: { owned_by: { user: owner } },
      communities: {},
    },
    access,
    pids:
      dois.own === undefined
        ? {}
        : { doi: { identifier: dois.own, ...(isExternal ? { provider: 'external' } : managed) } },
    metadata,
    custom_fields: customFields,
  }
}

interface ListedFiles {
  /** Address of the draft or record. */
  readonly base: string
  readonly isEnabled: boolean
  readonly as: Shown
  /** Those of a draft. */
  readonly announced?: ReadonlySet<FileKey>
}

async function filesOf(
  rdm: Rdm,
  listed: readonly DepositFile[],
  { base, isEnabled, as, announced = new Set() }: ListedFiles,
) {
  const few = listed.length > mostListed ? [] : listed
  const bodies = withAnnounced(await toFileBodies(rdm, few, base, as), announced, base)
  return {
    enabled: isEnabled || listed.length > 0,
    order: [],
    count: listed.length,
    total_bytes: listed.reduce((sum, { latest }) => sum + latest.blob.size, 0),
    entries: Object.fromEntries(bodies.map((body) => [body.key, body])),
  }
}

/** Whole files, as entries of a list. @param base address of the draft or record */
export async function toFileBodies(
  rdm: Rdm,
  listed: readonly DepositFile[],
  base: string,
  as: Shown = 'alone',
) {
  const sums = await sumsOf(rdm, listed, as)
  return listed.map(({ id, key, latest }, at) => ({
    ...emptyBody(key, base),
    created: toTime(latest.created),
    updated: toTime(latest.created),
    status: 'completed',
    file_id: id,
    version_id: latest.id,
    bucket_id: null,
    size: latest.blob.size,
    ...(sums[at] !== undefined && { checksum: `md5:${sums[at]}` }),
    mimetype: essence(typeOf(extname(key))),
    storage_class: 'L',
  }))
}

/**
 * Entries with those that are announced: pending until their bytes were sent and confirmed. At most
 * {@link mostListed} of files without bytes.
 */
export function withAnnounced<Body extends { readonly key: string; readonly status: string }>(
  bodies: readonly Body[],
  announced: ReadonlySet<string>,
  base: string,
  most = mostListed,
): readonly (Body | ReturnType<typeof emptyBody>)[] {
  const present = new Set(bodies.map(({ key }) => key))
  const awaited = [...announced].filter((key) => !present.has(key)).slice(0, most)
  return [
    ...bodies.map((body) => (announced.has(body.key) ? { ...body, status: 'pending' } : body)),
    ...awaited.map((key) => emptyBody(key, base)),
  ]
}

/** A file that is announced, and has no bytes yet. */
export function emptyBody(key: string, base: string) {
  const self = `${base}/files/${encodeURIComponent(key)}`
  const links = { self, content: `${self}/content`, commit: `${self}/commit` }
  return {
    key,
    metadata: null,
    access: { hidden: false },
    transfer: { type: 'L' },
    status: 'pending',
    links,
  }
}

function linksOf(rdm: Rdm, { deposition }: Numbers): Readonly<Record<string, string>> {
  const record = addressOf(rdm, 'records', deposition)
  return {
    record,
    draft: `${record}/draft`,
    versions: `${record}/versions`,
    latest: `${record}/versions/latest`,
    latest_html: `${record}/versions/latest`,
  }
}
