import type { ConnectionError } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { apiVersion } from '../../core/contract/defaults.ts'
import { problems, type ProblemCode } from '../../core/contract/problems.ts'
import { toProblemBody } from './problem-reply.ts'

// Importing the module loads the fetch of Node.js with it.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/**
 * Answers what the parser of HTTP has refused, in the shape that all errors have: there is neither
 * request nor reply then, only the socket, which is closed. Its request_id is in no log.
 *
 * @see https://nodejs.org/api/http.html#event-clienterror
 */
export function answerClientError(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (socket.writable) socket.write(answerTo(parserCodes.get(error.code) ?? 'malformed_request'))
  socket.destroy(error)
}

/** Answers CONNECT, of which there is no request but a socket, too: this is no proxy. */
export function refuseTunnel(_request: unknown, socket: Duplex): void {
  socket.end(answerTo('not_implemented'))
}

const parserCodes = new Map<string, ProblemCode>([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 'head_too_large'],
])

function answerTo(code: ProblemCode): string {
  const { status, message } = problems[code]
  const body = JSON.stringify(toProblemBody({ code, message, faults: [] }, randomUUID()))
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `deposit-api-version: ${apiVersion}`,
    'x-content-type-options: nosniff',
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
