import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

type Chunk = string | Uint8Array

export interface RawReply {
  /** 0 where the connection was closed without an answer. */
  readonly status: number
  readonly text: string
}

/**
 * Writes `chunks` to a socket unchanged and resolves to the answer, once the server has closed: for
 * requests that no client library would send. They should ask for `connection: close`.
 */
export async function rawRequest(url: string, ...chunks: readonly Chunk[]): Promise<RawReply> {
  const socket = await open(url)
  for (const chunk of chunks) socket.write(chunk)
  return readReply(socket)
}

/** As {@link rawRequest}, but ends the connection after the last chunk. */
export async function cutRequest(url: string, ...chunks: readonly Chunk[]): Promise<RawReply> {
  const socket = await open(url)
  for (const chunk of chunks) socket.write(chunk)
  socket.end()
  return readReply(socket)
}

/** Writes `chunks` and resets the connection, as a killed client does. */
export async function abortedRequest(url: string, ...chunks: readonly Chunk[]): Promise<void> {
  const socket = await open(url)
  for (const chunk of chunks) {
    await new Promise<void>((resolve) => socket.write(chunk, () => resolve()))
  }
  socket.resetAndDestroy()
  await once(socket, 'close')
}

/** The head of a request, its lines joined as HTTP has it. */
export function head(requestLine: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`${requestLine} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  await once(socket, 'connect')
  return socket
}

/** Reads to the end. A server may reset the connection after its answer to stop a long body. */
async function readReply(socket: Socket): Promise<RawReply> {
  const chunks: Buffer[] = []
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => resolve())
    socket.on('close', () => resolve())
    socket.on('end', () => resolve())
  })
  socket.destroy()
  const text = Buffer.concat(chunks).toString()
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text }
}
