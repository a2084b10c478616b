import { expect } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { Reply } from '../support/http.ts'
import type { User } from '../support/user.ts'

/** Headers of every request, and of those with bytes. */
export const tus = { 'tus-resumable': '1.0.0' }
export const bytes = { ...tus, 'content-type': 'application/offset+octet-stream' }

export function metadata(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')
}

export interface Begun {
  readonly size: number
  readonly fields?: Readonly<Record<string, string>>
}

export function begin(
  user: User,
  deposit: DepositBody,
  { size, fields = {} }: Begun,
): Promise<Reply> {
  return user.post(deposit.links['uploads'] ?? '', {
    headers: {
      ...tus,
      'upload-length': String(size),
      'upload-metadata': metadata({ filename: 'a.bin', ...fields }),
    },
  })
}

/** The URL of an upload that was just begun. */
export async function begun(user: User, deposit: DepositBody, upload: Begun): Promise<string> {
  const reply = await begin(user, deposit, upload)
  expect(reply.status).toBe(201)
  return reply.headers.get('location') ?? ''
}

export function append(
  user: User,
  url: string,
  offset: number,
  body: Buffer<ArrayBuffer>,
): Promise<Reply> {
  return user.send('PATCH', url, { headers: { ...bytes, 'upload-offset': String(offset) }, body })
}

export async function offsetOf(user: User, url: string): Promise<string | null> {
  const reply = await user.send('HEAD', url, { headers: tus })
  expect(reply.status).toBe(200)
  return reply.headers.get('upload-offset')
}
