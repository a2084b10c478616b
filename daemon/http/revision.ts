import type { FastifyReply, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { isProblem, problem, type ExpectedRevision, type FileVersion } from '../../core/index.ts'

/**
 * The revisions that `If-Match` is content with; undefined where it is absent or `*`. A tag that
 * is none of ours matches nothing.
 *
 * @see RFC 9110 §13.1.1
 */
export function expectedRevision({ headers }: FastifyRequest): ExpectedRevision {
  const tags = headers['if-match']
  if (tags === undefined || tags.trim() === '*') return undefined
  return [...tags.matchAll(/"(\d{1,15})(?:-p[0-9a-f]{8})?"/g)].map(([, revision]) =>
    Number(revision),
  )
}

/** Whether `If-Match` names the entity tag of a file. */
export function namesFile({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers['if-match']?.includes('"sha256:') ?? false
}

/** The entity tag of a file. */
export function fileTag({ blob }: FileVersion): string {
  return `"sha256:${blob.sha256}"`
}

/** Whether a header lists an entity tag that is to be compared strongly. @see RFC 9110 §8.8.3.2 */
export function namesTag(header: string, tag: string): boolean {
  return header.split(',').some((each) => each.trim() === tag)
}

/**
 * The preconditions of a request on the file it reads or deletes. `If-Match` may name the revision of the deposit
 * as well, as it does everywhere else.
 *
 * @throws {DepositError} stale_revision: it is another one
 * @see RFC 9110 §13.1.1 and §13.1.4
 */
export function requireNamedFile(
  { headers }: FastifyRequest,
  version: FileVersion,
  { revision }: Pick<Revised, 'revision'>,
): void {
  const tags = headers['if-match']
  if (tags !== undefined) {
    const own = ['*', fileTag(version), `"${revision}"`]
    if (!own.some((tag) => namesTag(tags, tag)))
      throw problem('stale_revision', { message: fileChanged })
    return
  }
  const since = Date.parse(headers['if-unmodified-since'] ?? '')
  if (toSeconds(version.created) > since) throw problem('stale_revision', { message: fileChanged })
}

const fileChanged = 'The file has changed: it is not the version that the request names.'

/** Whether a request is to make a new file or nothing: `If-None-Match: *`. */
export function demandsNew({ headers }: FastifyRequest): boolean {
  return headers['if-none-match']?.trim() === '*'
}

/**
 * Makes a change that may have been asked for under `If-None-Match: *`.
 *
 * @throws {DepositError} precondition_failed: it was, and there is a file of that name
 * @see RFC 9110 §13.1.2
 */
export async function underCondition<Made>(
  request: FastifyRequest,
  change: () => Promise<Made>,
): Promise<Made> {
  try {
    return await change()
  } catch (error) {
    if (isProblem(error, 'file_already_exists') && demandsNew(request))
      throw problem('precondition_failed', { faults: error.faults })
    throw error
  }
}

interface Revised {
  readonly revision: number
  /** Stands for what may change without the revision; empty or absent where nothing does. */
  readonly beside?: string | undefined
  /** ISO 8601, UTC. */
  readonly updated: string
}

/** Sets the validators of a document: its revision and when it was made. */
export function setValidators(reply: FastifyReply, revised: Revised): void {
  reply.headers(validators(revised))
}

/** The validators of a document as headers. */
export function validators(revised: Revised) {
  return { etag: revisionTag(revised), 'last-modified': lastModified(revised.updated) }
}

function revisionTag({ revision, beside = '' }: Revised): string {
  return beside === '' ? `"${revision}"` : `"${revision}-p${hash('sha256', beside).slice(0, 8)}"`
}

/**
 * When something was changed, as a header; where the clock was set back since, no later than now.
 *
 * @param updated ISO 8601, UTC
 * @see RFC 9110 §8.8.2.1
 */
export function lastModified(updated: string): string {
  return new Date(Math.min(Date.parse(updated), Date.now())).toUTCString()
}

/**
 * True where the client has what it asks for: then the answer is 304 without a body.
 *
 * @see RFC 9110 §13.1.2 and §13.1.3
 */
export function isUnchanged({ headers }: FastifyRequest, revised: Revised): boolean {
  // A time tells nothing of what changes without the revision.
  if (headers['if-none-match'] === undefined && revised.beside) return false
  return isFresh(headers, revisionTag(revised), revised.updated)
}

/** Sends a text, or a body of JSON, whose entity tag is made of it: a client who has it gets 304. */
export function sendTagged(reply: FastifyReply, body: string | object): FastifyReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const etag = `"${hash('sha256', text).slice(0, 32)}"`
  const { 'if-none-match': known } = reply.request.headers
  reply.header('etag', etag)
  const isKnown = known !== undefined && isFresh({ 'if-none-match': known }, etag, '')
  return isKnown ? reply.code(304).send() : reply.send(body)
}

/** As {@link isUnchanged}, for any entity tag. */
export function isFresh(
  headers: FastifyRequest['headers'],
  etag: string,
  updated: string,
): boolean {
  const tags = headers['if-none-match']
  if (tags !== undefined) {
    return tags.trim() === '*' || tags.split(',').some((tag) => weak(tag) === weak(etag))
  }
  const named = headers['if-modified-since']
  if (named === undefined) return false
  const since = Date.parse(named)
  // Under a clock that was set back many changes have one time: it tells none from another.
  return Date.parse(updated) <= Date.now() && toSeconds(updated) <= since
}

/** HTTP's times have whole seconds. */
function toSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000) * 1000
}

function weak(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}
