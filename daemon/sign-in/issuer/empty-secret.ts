import type { IncomingMessage } from 'node:http'

/** Bytes of a form that the issuer reads. */
const mostBytes = 56 * 1024

/**
 * Takes an empty secret for none: some programs send `Authorization: Basic` with their id and
 * nothing behind the colon where they have no secret. The issuer then finds the id in the form.
 *
 * @see RFC 6749 §2.3.1: a client may leave out a secret that is empty
 */
export async function withoutEmptySecret(request: IncomingMessage): Promise<IncomingMessage> {
  const { authorization = '', ...headers } = request.headers
  const id = idWithoutSecret(authorization)
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  if (id === undefined || !isForm) return request
  const body = await readText(request)
  const form = new URLSearchParams(body)
  if (body !== undefined && !form.has('client_id')) form.set('client_id', id)
  const bytes = Buffer.from(form.toString())
  const { method, url, socket, httpVersion, rawHeaders } = request
  // Importing the module would load the fetch of Node.js at each start.
  const http = process.getBuiltinModule('node:http')
  const changed = Object.assign(new http.IncomingMessage(socket), {
    method,
    url,
    httpVersion,
    rawHeaders,
    headers: { ...headers, 'content-length': String(bytes.length) },
    complete: true,
  })
  changed.push(bytes)
  changed.push(null)
  return changed
}

function idWithoutSecret(authorization: string): string | undefined {
  const basic = /^Basic ([\w+/]+={0,2})$/i.exec(authorization)?.[1]
  if (basic === undefined) return undefined
  const id = /^([^:]+):$/.exec(Buffer.from(basic, 'base64').toString())?.[1]
  try {
    return id === undefined ? undefined : decodeURIComponent(id.replaceAll('+', '%20'))
  } catch {
    return undefined
  }
}

/**
 * Undefined for a form that is too long: the issuer then reports that the client is missing. The
 * form is read to its end nevertheless, since an unread stream closes the connection of the answer.
 */
async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= mostBytes) chunks.push(chunk)
  }
  return bytes > mostBytes ? undefined : Buffer.concat(chunks).toString()
}
