import { extname } from 'node:path/posix'
import {
  isJsonObject,
  type Deposit,
  type DepositFile,
  type FileVersion,
  type Json,
  type JsonObject,
  type Md5Sums,
  type PublishedRecord,
} from '../../../core/index.ts'
import { typeOf } from '../../http/file-headers.ts'
import { essence } from '../../http/negotiation.ts'
import type { Services } from '../../api/services.ts'
import { toMetadata } from './metadata.ts'
import { doiFields, doiLinks, doisOf } from '../dois.ts'
import { numbersOf, ownNumbers, type Numbers } from '../numbers.ts'
import { mostListed, sumsOf, toOwner, toTime, type Shown } from '../shown.ts'

/** Where Zenodo's interface is mounted; clients take it without `/api` as the base address. */
export const prefix = '/zenodo/api'

/** The service, as this interface needs it. */
export interface Zenodo {
  readonly services: Services
  readonly md5: Md5Sums
  /** Scheme, host and port that clients see. */
  readonly origin: () => string
}

/** Absolute address below the interface. Names of files are encoded. */
export function addressOf({ origin }: Zenodo, ...segments: readonly (string | number)[]): string {
  const path = segments.flatMap((segment) => String(segment).split('/').map(encodeURIComponent))
  return `${origin()}${prefix}/${path.join('/')}`
}

/** Depositions as they are listed: with their first files, and without sums that were never computed. */
export async function toDepositions(
  zenodo: Zenodo,
  deposits: readonly Deposit[],
): Promise<readonly object[]> {
  const { files } = zenodo.services
  const numbers = await numbersOf(zenodo.services.parts, deposits)
  const shown: object[] = []
  for (const deposit of deposits) {
    const own = numbers.get(deposit.id)
    if (!own) continue
    const listed = (await files.list(deposit)).slice(0, mostListed)
    const sums = await sumsOf(zenodo, listed, 'listed')
    shown.push(await depositionOf(zenodo, deposit, own, fileBodies(zenodo, own, listed, sums)))
  }
  return shown
}

/** A deposition alone. */
export async function toDeposition(zenodo: Zenodo, deposit: Deposit): Promise<object> {
  const own = await ownNumbers(zenodo.services.parts, deposit)
  return depositionOf(zenodo, deposit, own, await toFiles(zenodo, deposit))
}

/** Its files, in their order. */
export async function toFiles(zenodo: Zenodo, deposit: Deposit): Promise<readonly object[]> {
  const own = await ownNumbers(zenodo.services.parts, deposit)
  const listed = await zenodo.services.files.list(deposit)
  return fileBodies(zenodo, own, listed, await sumsOf(zenodo, listed))
}

async function depositionOf(
  zenodo: Zenodo,
  deposit: Deposit,
  numbers: Numbers,
  files: readonly object[],
): Promise<object> {
  const { deposition: id, concept } = numbers
  const { services } = zenodo
  const { record, metadata } = deposit
  const shown = toMetadata(deposit, services.parts.clock.now().slice(0, 10))
  const dois = await doisOf(services.parts, deposit, metadata, numbers)
  const { own } = dois
  return {
    created: toTime(deposit.created),
    modified: toTime(deposit.updated),
    id,
    conceptrecid: String(concept),
    record_id: id,
    owner: toOwner(deposit.owners[0] ?? deposit.createdBy),
    title: textOf(shown['title']) ?? '',
    state: record ? (deposit.status === 'published' ? 'done' : 'inprogress') : 'unsubmitted',
    submitted: record !== undefined,
    ...(record && doiFields(dois)),
    metadata: {
      ...shown,
      ...(record && own !== undefined && { doi: own }),
      // Of a prefix of the service's own, it is known once it was reserved.
      ...(own !== undefined && { prereserve_doi: { doi: own, recid: id } }),
    },
    files,
    links: {
      ...linksOf(zenodo, deposit, id),
      ...(record && {
        ...doiLinks(dois),
        record: addressOf(zenodo, 'records', id),
        record_html: services.links.recordPage(record.value),
        ...(await latestLinks(zenodo, deposit)),
      }),
      ...(await draftLinks(zenodo, deposit, id)),
    },
  }
}

function linksOf(zenodo: Zenodo, deposit: Deposit, recid: number) {
  const self = addressOf(zenodo, 'deposit', 'depositions', recid)
  const actions = ['publish', 'edit', 'discard', 'newversion', 'registerconceptdoi'] as const
  return {
    self,
    html: htmlOf(zenodo, deposit),
    files: `${self}/files`,
    bucket: addressOf(zenodo, 'files', deposit.bucket),
    ...Object.fromEntries(actions.map((name) => [name, `${self}/actions/${name}`])),
  }
}

function htmlOf({ services }: Zenodo, deposit: Deposit): string {
  return services.links.deposit(deposit)['html'] ?? ''
}

/** The newest version that was published. */
export async function latestLinks(zenodo: Zenodo, { concept }: Pick<Deposit, 'concept'>) {
  const { parts, links } = zenodo.services
  const newest = await parts.database.read.records.findNewest(concept)
  if (!newest) return {}
  const { deposition } = await ownNumbers(zenodo.services.parts, { id: newest.deposit.id, concept })
  return {
    latest: addressOf(zenodo, 'records', deposition),
    latest_html: links.recordPage(newest.value),
  }
}

/** The draft that a client goes on with: this one, or that of the next version. */
async function draftLinks(zenodo: Zenodo, deposit: Deposit, recid: number) {
  const { deposits } = zenodo.services.parts.database.read
  const next = deposit.record
    ? await deposits.findNextVersion(deposit.concept, deposit.owners)
    : undefined
  const draft = next ?? (deposit.status === 'draft' ? deposit : undefined)
  if (!draft) return {}
  const number = next ? (await ownNumbers(zenodo.services.parts, next)).deposition : recid
  return {
    latest_draft: addressOf(zenodo, 'deposit', 'depositions', number),
    latest_draft_html: htmlOf(zenodo, draft),
  }
}

/** A file as one of a deposition: its sum is bare. */
function fileBodies(
  zenodo: Zenodo,
  { deposition }: Numbers,
  listed: readonly DepositFile[],
  sums: readonly (string | undefined)[],
): readonly object[] {
  return listed.map((file, index) => toFileBody(zenodo, deposition, file, sums[index]))
}

export function toFileBody(
  zenodo: Zenodo,
  recid: number,
  { id, key, bucket, latest }: DepositFile,
  sum: string | undefined,
) {
  return {
    id,
    filename: key,
    filesize: latest.blob.size,
    ...(sum !== undefined && { checksum: sum }),
    links: {
      self: addressOf(zenodo, 'deposit', 'depositions', recid, 'files', id),
      download: addressOf(zenodo, 'files', bucket, key),
    },
  }
}

/** A file as one of a bucket: its sum has the name of the algorithm before it. */
export function toObjectBody(
  zenodo: Zenodo,
  { key, bucket }: Pick<DepositFile, 'key' | 'bucket'>,
  { id, blob, created }: FileVersion,
  sum: string | undefined,
): object {
  const self = addressOf(zenodo, 'files', bucket, key)
  return {
    key,
    mimetype: essence(typeOf(extname(key))),
    ...(sum !== undefined && { checksum: `md5:${sum}` }),
    version_id: id,
    size: blob.size,
    created: toTime(created),
    updated: toTime(created),
    is_head: true,
    delete_marker: false,
    links: { self, version: `${self}?versionId=${id}` },
  }
}

/**
 * A record.
 *
 * @param readable the files that its reader may have; undefined where they may have none
 * @param as in a list, with the first of them
 */
export async function toRecord(
  zenodo: Zenodo,
  record: PublishedRecord,
  readable: readonly DepositFile[] | undefined,
  as: Shown = 'alone',
): Promise<object> {
  const { services } = zenodo
  const { id: deposit } = record.deposit
  const numbers = await ownNumbers(zenodo.services.parts, { ...record, id: deposit })
  const { deposition: id, concept } = numbers
  const shown = toMetadata(record, services.parts.clock.now().slice(0, 10))
  const dois = await doisOf(services.parts, { ...record, id: deposit }, record.metadata, numbers)
  const { conceptdoi: _, ...links } = doiLinks(dois)
  const self = addressOf(zenodo, 'records', id)
  const files = readable ?? []
  const listed = as === 'listed' ? files.slice(0, mostListed) : files
  const sums = await sumsOf(zenodo, listed, as)
  return {
    created: toTime(record.created),
    modified: toTime(record.updated),
    updated: toTime(record.updated),
    id,
    recid: String(id),
    conceptrecid: String(concept),
    ...doiFields(dois),
    title: textOf(shown['title']) ?? '',
    owners: record.deposit.owners.map((owner) => ({ id: toOwner(owner) })),
    revision: record.revision,
    state: 'done',
    status: 'published',
    submitted: true,
    metadata: {
      ...recordMetadata(shown),
      ...(dois.own !== undefined && { doi: dois.own }),
      relations: relationsOf(record, concept),
    },
    ...(readable && {
      files: listed.map(({ id: file, key, latest }, index) => ({
        id: file,
        key,
        size: latest.blob.size,
        ...(sums[index] !== undefined && { checksum: `md5:${sums[index]}` }),
        links: {
          self: `${self}/files/${key.split('/').map(encodeURIComponent).join('/')}/content`,
        },
      })),
    }),
    links: {
      self,
      html: services.links.recordPage(record.value),
      self_html: services.links.recordPage(record.value),
      ...links,
      files: `${self}/files`,
      bucket: addressOf(zenodo, 'files', record.bucket),
      ...(await latestLinks(zenodo, record)),
    },
  }
}

function relationsOf({ number, superseded }: PublishedRecord, concept: number) {
  const parent = { pid_type: 'recid', pid_value: String(concept) }
  return { version: [{ index: number - 1, is_last: !superseded, parent }] }
}

/** Records say some things in other words than the depositions they were made of. */
function recordMetadata(shown: JsonObject): JsonObject {
  const { upload_type, publication_type, image_type, license, communities, ...same } = shown
  const subtype = publication_type ?? image_type
  const [first] = Array.isArray(license) ? (license as readonly Json[]) : [license]
  const id = first !== undefined && isJsonObject(first) ? first['id'] : first
  return {
    ...same,
    ...(upload_type !== undefined && {
      resource_type: { type: upload_type, ...(subtype !== undefined && { subtype }) },
    }),
    ...(id !== undefined && { license: { id } }),
    ...(Array.isArray(communities) && {
      communities: communities.map((each: Json) => ({
        id: (isJsonObject(each) ? each['identifier'] : each) ?? null,
      })),
    }),
  }
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
