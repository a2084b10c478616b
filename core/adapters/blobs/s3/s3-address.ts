import { FilesUnfit } from '../../../ports/blob-store.ts'
import type { BlobId } from '../../../files/file.ts'

/** The address of a store, from `DEPOSIT_STORAGE_URL`. */
export interface S3Address {
  readonly bucket: string
  /** Before every key; empty, or with a slash at its end. */
  readonly prefix: string
  /** Absent for Amazon's own. */
  readonly endpoint?: string
  readonly region?: string
  /** Whether a bucket that is missing is made. */
  readonly createBucket: boolean
}

const parameters: ReadonlySet<string> = new Set(['endpoint', 'region', 'create_bucket'])

/**
 * Reads `s3://bucket/prefix?endpoint=https://…&region=…&create_bucket=true`.
 *
 * @throws {FilesUnfit}
 */
export function parseS3Address(text: string): S3Address {
  const url = URL.parse(text)
  if (url?.protocol !== 's3:' || url.hostname === '') {
    throw new FilesUnfit('address', 'The storage has no address of the form s3://BUCKET/PREFIX.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new FilesUnfit('keys_in_address', 'The address of the storage has keys in it.')
  }
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.has(name))
  if (unknown !== undefined) {
    const known = [...parameters].join(', ')
    throw new FilesUnfit('address', `"${unknown}" is no parameter of the storage: ${known}.`)
  }
  const endpoint = url.searchParams.get('endpoint')
  const region = url.searchParams.get('region')
  return {
    bucket: url.hostname,
    prefix: prefixOf(url.pathname),
    ...(endpoint !== null && { endpoint: requireUrl(endpoint) }),
    ...(region !== null && { region }),
    createBucket: url.searchParams.get('create_bucket') === 'true',
  }
}

/** @throws {FilesUnfit} it is not encoded as addresses are */
function prefixOf(path: string): string {
  try {
    const bare = decodeURIComponent(path).replace(/^\/+|\/+$/g, '')
    return bare === '' ? '' : `${bare}/`
  } catch (error) {
    const said = `The prefix of the storage cannot be read: ${path}.`
    throw new FilesUnfit('address', said, { cause: error })
  }
}

function requireUrl(endpoint: string): string {
  if (/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) return endpoint
  throw new FilesUnfit('address', `The endpoint of the storage is no address: ${endpoint}.`)
}

/** Key prefix of blobs; unfinished uploads have another. */
export const blobFolder = 'blobs/'

export const keyOf = (id: BlobId): string => blobFolder + id
