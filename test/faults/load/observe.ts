import type { DepositBody, FileBody, RecordBody } from '../../../core/contract/schemas.ts'
import { bodyOf } from '../../support/http.ts'
import type { User } from '../../support/user.ts'
import { sha256 } from './contents.ts'
import {
  byKey,
  deleted,
  type DepositModel,
  type Document,
  type Published,
} from './deposit-model.ts'
import { lastSegment, recordsOf, type Known } from './operation.ts'

/** The deposit as the service has it now. */
export interface Observed {
  readonly known: Known
  /** Files whose bytes do not match the digest that the service reports. */
  readonly mismatched: readonly string[]
}

/** The two readers of a deposit: its owner, and an anonymous visitor. */
export interface Observers {
  readonly owner: User
  readonly visitor: User
}

/** Reads everything of a deposit, including every byte of every version of its files. */
export function observe(observers: Observers, id: string): Promise<Observed> {
  return askAgain(() => read(observers, id))
}

async function read(observers: Observers, id: string): Promise<Observed> {
  const { owner } = observers
  const reply = await owner.get(`/deposits/${id}`)
  if (reply.status === 410) return { known: gone(id), mismatched: [] }
  const body = bodyOf<DepositBody>(reply, 200)
  const bucket = lastSegment(body.links['bucket']) ?? ''
  const files = await owner.files(body)
  const versions = bodyOf<readonly FileBody[]>(await owner.get(`/files/${bucket}?versions`), 200)
  const published = await observePublished(observers, body, bucket)
  const model: DepositModel = {
    status: body.metadata._deposit?.status ?? 'deleted',
    document: documentOf(body.metadata),
    files: files.map(({ filename: key }) => ({ key, versions: digests(versions, key) })),
    ...(published && { published }),
    ...(await observeSharing(owner, body)),
  }
  const fileIds = new Map(files.map((file) => [file.filename, file.id]))
  return {
    known: { id, bucket, ...recordsOf(body.links), revision: body.revision, fileIds, model },
    mismatched: await mismatchedFiles(owner, bucket, versions),
  }
}

interface Listed {
  readonly role: string
  readonly label: string
  readonly filename: string
  readonly checksum: string
  readonly user: { readonly email: string | null }
}

async function observeSharing(
  owner: User,
  { id, links, review }: DepositBody,
): Promise<Pick<DepositModel, 'people' | 'links' | 'trash' | 'isSubmitted'>> {
  const list = async (name: string) =>
    bodyOf<readonly Listed[]>(await owner.get(`/deposits/${id}/${name}`), 200)
  const [, ...people] = await list('people')
  const labels = (await list('links')).map(({ label }) => label)
  const trash = links['record'] === undefined ? await list('trash') : []
  return {
    people: Object.fromEntries(people.map(({ user, role }) => [user.email ?? '', role])),
    links: labels.toSorted(),
    trash: byKey(trash.map(({ filename: key }) => ({ key, versions: [] }))),
    isSubmitted: review?.state === 'submitted',
  }
}

async function observePublished(
  { owner, visitor }: Observers,
  { links }: DepositBody,
  bucket: string,
): Promise<Published | undefined> {
  if (links['record'] === undefined) return undefined
  const record = bodyOf<RecordBody>(await owner.get(pathOf(links['record'])), 200)
  const files = bodyOf<readonly FileBody[]>(await visitor.get(`/files/${bucket}`), 200)
  return {
    document: documentOf(record.metadata),
    order: files.map(({ filename }) => filename),
    edition: record.revision,
  }
}

/** Every deposit that the service lists as the owner's. */
export async function listedIds(owner: User): Promise<readonly string[]> {
  const ids: string[] = []
  for (let page = 1; ; page += 1) {
    const { hits } = await owner.search(`size=100&page=${page}`)
    ids.push(...hits.hits.map(({ id }) => id))
    if (hits.hits.length === 0 || ids.length >= hits.total) return ids
  }
}

async function mismatchedFiles(
  owner: User,
  bucket: string,
  versions: readonly FileBody[],
): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const { filename, checksum, version_id: version } of versions) {
    const path = `/files/${bucket}/${filename}?versionId=${version}`
    const fault = await askAgain(() => owner.get(path)).then(({ status, bytes }) => {
      if (status !== 200) return `${status} ${bytes.toString().slice(0, 200)}`
      const digest = `sha256:${sha256(bytes)}`
      return digest === checksum ? undefined : `${bytes.length} bytes, ${digest}, not ${checksum}`
    }, describeFailure)
    if (fault !== undefined) wrong.push(`${bucket}/${filename}: ${fault}`)
  }
  return wrong
}

/**
 * A client that a busy machine delays for seconds finds its connections closed. That says nothing
 * about the service.
 */
function askAgain<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  return ask().catch(ask)
}

function describeFailure(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown }
  return `${String(error)} ${String(cause)}`
}

/** The service lists the latest version of each file first. */
function digests(versions: readonly FileBody[], key: string): readonly string[] {
  return versions
    .filter(({ filename }) => filename === key)
    .map(({ checksum }) => checksum.replace('sha256:', ''))
    .reverse()
}

function documentOf(metadata: DepositBody['metadata']): Document {
  const { _deposit, $schema, ...document } = metadata
  return document
}

/** Below the API, without the origin. */
function pathOf(link: string): string {
  return new URL(link).pathname.replace(/^\/api/, '')
}

function gone(id: string): Known {
  return { id, bucket: '', revision: NaN, fileIds: new Map(), model: deleted() }
}
