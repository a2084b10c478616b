import type { Reply } from '../../support/http.ts'
import type { User } from '../../support/user.ts'
import type { Random } from '../random.ts'
import type { Content } from './contents.ts'
import { withFile } from './deposit-model.ts'
import type { Known, Operation } from './operation.ts'
import { randomKey } from './random-key.ts'

const version = { 'tus-resumable': '1.0.0' }

/**
 * One file in two requests after the one that begins it. Resolves to the last answer, or to the
 * first refusal.
 *
 * @see https://tus.io/protocols/resumable-upload
 */
export function uploadInPieces(
  target: Known,
  random: Random,
  { bytes, sha256 }: Content,
): Operation {
  const key = randomKey(random)
  const half = Math.floor(bytes.length / 2)
  return {
    name: 'upload in pieces',
    target,
    becomes: withFile(target.model, key, sha256),
    status: 204,
    send: async (user) => {
      const begun = await begin(user, target.id, key, bytes.length)
      const url = begun.headers.get('location')
      if (url === null) return begun
      const first = await append(user, url, 0, bytes.subarray(0, half))
      return first.status === 204 ? append(user, url, half, bytes.subarray(half)) : first
    },
  }
}

function begin(user: User, id: string, key: string, size: number): Promise<Reply> {
  const metadata = `name ${Buffer.from(key).toString('base64')}`
  const headers = { ...version, 'upload-length': String(size), 'upload-metadata': metadata }
  return user.post(`/deposits/${id}/uploads`, { headers })
}

function append(
  user: User,
  url: string,
  offset: number,
  body: Buffer<ArrayBuffer>,
): Promise<Reply> {
  const type = { 'content-type': 'application/offset+octet-stream' }
  const headers = { ...version, ...type, 'upload-offset': String(offset) }
  return user.send('PATCH', url, { headers, body })
}
