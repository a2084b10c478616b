import type { Readable } from 'node:stream'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describe } from '../../core/describe/describe.ts'
import type { Description } from '../../core/describe/description.ts'
import { mediaTypeOf } from '../../core/describe/media-types.ts'
import type { JsonObject } from '../../core/base/json.ts'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import type { DepositClient, Metadata } from '../client/deposit-client.ts'
import type { LocalFile } from '../client/upload-file.ts'
import { metadataFiles } from '../metadata/find-metadata-file.ts'
import { conceptOf, ownMetadata, recordUrl } from '../output/deposit-facts.ts'
import type { CliContext } from '../session/context.ts'
import { isOfThisNetwork } from './port/remote-request.ts'
import type { SourceFile } from './port/source-file.ts'
import type { Journaled } from './journaled.ts'
import { markFolder } from './moved-folder.ts'
import { prepare, type PrepareOptions } from '../transfer/prepare.ts'

/** What is pushed: a deposit, its record, or a folder. */
export interface Source extends Journaled {
  /** As the user named it. */
  readonly shown: string
  /** The marker of this version; undefined of a folder, whose journal has it. */
  readonly marker: string | undefined
  readonly about: Description
  /** Fields of Zenodo's alone. */
  readonly ofZenodo?: Readonly<Record<string, unknown>> | undefined
  /** Addresses of the same work here. */
  readonly identicalTo: readonly string[]
  readonly files: readonly SourceFile[]
  /** Notes, warnings among them. */
  readonly remarks: readonly string[]
  /** Undefined of a folder. */
  readonly deposit?: { readonly client: DepositClient; readonly body: DepositBody }
}

/** A folder with its metadata file, straight from the disk. */
export async function fromFolder(
  context: CliContext,
  dir: string,
  options: PrepareOptions,
): Promise<Source> {
  const prepared = await prepare(context, dir, options)
  const { metadata, plan, source: found, other } = prepared
  const isOther = ({ key }: LocalFile): boolean =>
    options.metadata !== undefined && metadataFiles.some((name) => name === key)
  const others = plan.files.filter(isOther).map(({ key }) => key)
  const remarks = [
    ...prepared.remarks,
    ...others.map((key) => `Left out ${key}: the metadata are those of ${options.metadata}`),
    ...(other?.remark === undefined ? [] : ['The files go there as restricted, or not at all']),
  ]
  const named = { shown: dir, key: keyOfFolder(context, dir) }
  const files = plan.files.filter((file) => !isOther(file))
  const source = await fromDisk(named, metadata, files, remarks)
  const mark = await markFolder(resolve(context.folder, dir), source.about.title ?? '')
  return { ...source, ofZenodo: found?.ofZenodo, folder: { ...mark, files: source.files } }
}

/** Files of the disk, with their metadata. */
export async function fromDisk(
  named: Journaled & Pick<Source, 'shown'>,
  metadata: Metadata,
  found: readonly LocalFile[],
  remarks: readonly string[] = [],
): Promise<Source> {
  const files = await Promise.all(
    found.map(async ({ path, key, size }) => {
      const { mtimeMs } = await stat(path)
      const open = async (from = 0, to = size): Promise<Readable> =>
        createReadStream(path, { start: from, end: to - 1, highWaterMark: chunkBytes })
      const isSmall = size > 0 && size <= smallBytes
      const bytes = isSmall ? { bytes: () => readFile(path) } : {}
      const type = mediaTypeOf(key)
      return { name: key, size, stamp: `${mtimeMs}`, type, path, open, ...bytes }
    }),
  )
  const now = new Date().toISOString()
  const facts = { id: named.shown, revision: 0, created: now, updated: now, url: '', isDraft: true }
  const about = aboutOf(metadata, facts)
  return { ...named, marker: undefined, about, identicalTo: [], files, remarks }
}

/** A deposit of the service; its record where it is published. */
export async function fromDeposit(
  client: DepositClient,
  deposit: DepositBody,
  shown: string,
): Promise<Source> {
  const { id, revision, created, updated, pids } = deposit
  const files = await client.listFiles(id)
  const url = recordUrl(deposit)
  const facts = { id, revision, created, updated, url: url ?? '', isDraft: url === undefined }
  const doi = pids?.doi?.value
  return {
    shown,
    key: keyOf(client, deposit),
    marker: markerOf(id),
    about: aboutOf(ownMetadata(deposit.metadata), facts),
    identicalTo: [doi ?? publicOf(url)].filter((address) => address !== undefined),
    files: files.map((file) => toSourceFile(client, file)),
    remarks: [],
    deposit: { client, body: deposit },
  }
}

/** An address of this machine or network leads nobody else anywhere. */
function publicOf(url: string | undefined): string | undefined {
  const hostname = url && URL.parse(url)?.hostname
  return hostname && !isOfThisNetwork(hostname) ? url : undefined
}

/** The key of a folder that knows no deposit. */
export function keyOfFolder({ folder }: CliContext, dir: string): string {
  return `folder ${resolve(folder, dir)}`
}

/** The key of any folder whose journals are in a folder of their own: see `--journal`. */
export const keyOfJournal = 'folder'

/** The key of a deposit, and of the other versions of its concept. */
export function keyOf(client: DepositClient, deposit: DepositBody): string {
  return `deposit ${client.connection.server.origin} ${conceptOf(deposit) ?? deposit.id}`
}

/** `urn:uuid:…` of the 32 digits of a deposit. */
export function markerOf(id: string): string {
  return `urn:uuid:${id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}`
}

/** Bytes of a file that is read in one piece. */
const smallBytes = 64 * 1024
/** Bytes that are read at once. */
const chunkBytes = 256 * 1024

function toSourceFile(client: DepositClient, file: FileBody): SourceFile {
  const { filename: name, filesize: size, links } = file
  return {
    name,
    size,
    stamp: file.checksum,
    type: mediaTypeOf(name),
    open: async (from = 0, to = size) => {
      const isPart = from > 0 || to < size
      const headers = isPart ? { range: `bytes=${from}-${to - 1}` } : {}
      const path = links['download'] ?? links['self'] ?? ''
      return client.connection.send(`read ${name}`, { method: 'GET', path, headers })
    },
  }
}

type Facts = Pick<Description, 'id' | 'revision' | 'created' | 'updated' | 'url' | 'isDraft'>

/** The description without what is this service's alone: its publisher, DOI, links and exports. */
function aboutOf(metadata: Metadata, facts: Facts): Description {
  const document = metadata as JsonObject
  return describe({
    ...facts,
    metadata: document,
    document,
    files: [],
    links: {},
    exports: [],
    publisher: { name: '', ror: undefined },
    origin: '',
    today: new Date().toISOString().slice(0, 10),
  })
}
