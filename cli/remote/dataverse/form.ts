import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { asArchive } from '../port/flatten.ts'
import type { Outgoing } from '../port/repository.ts'
import type { RemoteBody } from '../port/remote-request.ts'

/** What is said of a file to the interface. */
export interface FileDetails {
  readonly fileName: string
  readonly directoryLabel?: string
  readonly mimeType: string
  readonly restrict: boolean
  readonly tabIngest: boolean
}

/** A form with JSON alone. */
export function jsonForm(jsonData: unknown): RemoteBody {
  const boundary = `deposit-${randomUUID()}`
  const text = `--${boundary}\r\nContent-Disposition: form-data; name="jsonData"\r\n\r\n${JSON.stringify(jsonData)}\r\n--${boundary}--\r\n`
  const bytes = Buffer.from(text)
  const type = `multipart/form-data; boundary=${boundary}`
  return { size: bytes.length, type, open: async () => Readable.from([bytes]) }
}

/** A form with a file, and what is said of it. @see RFC 7578 */
export function formOf(file: Outgoing, label: string, jsonData: object): RemoteBody {
  const boundary = `deposit-${randomUUID()}`
  const begin = (headers: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; ${headers}\r\n\r\n`
  const name = label.replaceAll(/["\r\n]/g, '_')
  const head = Buffer.from(
    `${begin('name="jsonData"')}${JSON.stringify(jsonData)}\r\n` +
      begin(`name="file"; filename="${name}"\r\nContent-Type: ${file.type}`),
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  async function* write(): AsyncGenerator<Buffer> {
    yield head
    if (file.size > 0) yield* (await file.open()) as AsyncIterable<Buffer>
    yield tail
  }
  return {
    size: head.length + file.size + tail.length,
    type: `multipart/form-data; boundary=${boundary}`,
    open: async () => Readable.from(write()),
    onSent: file.onSent,
  }
}

/** A ZIP archive in another one: the server unpacks one, and keeps what is in it. */
export async function inArchive({ bytes: _, ...file }: Outgoing, label: string): Promise<Outgoing> {
  const wrapped = await asArchive(
    [{ ...file, name: label, stamp: '' }],
    `${label}.zip`,
    '1980-01-01T00:00:00Z',
  )
  return { ...file, name: wrapped.name, size: wrapped.size, type: wrapped.type, open: wrapped.open }
}
