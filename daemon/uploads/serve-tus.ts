import { Server } from '@tus/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { UploadConflict, type FileRequest } from '../../core/index.ts'
import { RequestBody } from '../http/request-body.ts'
import type { Services } from '../routes/services.ts'
import { DepositStore } from './deposit-store.ts'
import { tusProblem } from './tus-problem.ts'
import type { UploadLocks } from './upload-locks.ts'

/**
 * Answers a request of the tus protocol. The protocol is the business of its own server, which sees
 * the headers and a store made for this one request; bytes, errors and permission are ours.
 *
 * @returns the store, with what the request has brought about
 */
export async function serveTus(
  { parts, links, uploads }: Services,
  locks: UploadLocks,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: FileRequest,
): Promise<DepositStore> {
  const { maxFileSize, uploadExpiryMs } = parts.settings
  const takenOver = new AbortController()
  const body = new RequestBody(request.raw)
  const bytes = { asked, body, signal: takenOver.signal }
  const store = new DepositStore(uploads, bytes, uploadExpiryMs)
  const failures: unknown[] = []
  const server = new Server({
    path: '/',
    datastore: store,
    maxSize: maxFileSize,
    locker: { newLock: (id) => locks.newLock(id, () => takenOver.abort()) },
    generateUrl: (_request, { id }) => links.upload(asked.id, id),
    onResponseError: (_request, error) => void failures.push(error),
  })
  const response = await server.handleWeb(withoutBody(request))
  const [failure] = failures
  if (takenOver.signal.aborted) throw new UploadConflict('A later request has taken over.')
  if (failure instanceof Error) throw failure
  if (response.status >= 400) {
    throw tusProblem(response.status, await response.text(), maxFileSize)
  }
  setHeaders(reply.code(response.status), response.headers)
  return store
}

/** The request as the protocol's server sees it: whatever bytes it has go another way. */
function withoutBody({ url, method, headers, protocol, host }: FastifyRequest): Request {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as [string, string]] : [],
  )
  return new Request(`${protocol}://${host}${url}`, { method, headers: given })
}

/** No other origin may read our answers, whatever the protocol's server thinks. */
function setHeaders(reply: FastifyReply, headers: Headers): void {
  for (const [name, value] of headers) {
    if (!name.startsWith('access-control-')) reply.header(name, value)
  }
}
