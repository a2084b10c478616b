import { GetObjectCommand } from '@aws-sdk/client-s3'
import type { DownloadAs } from '../../../ports/blob-store.ts'
import type { Bucket } from './bucket.ts'

/** Seconds that an address is good for; a download that has begun goes on. */
const expiresIn = 300

/** An address under which anybody can read one object for a moment. */
export async function presign(
  bucket: Bucket,
  key: string,
  { mediaType, disposition, cacheControl }: DownloadAs,
): Promise<string> {
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
  const command = new GetObjectCommand({
    ...bucket.at(key),
    ResponseContentType: mediaType,
    ResponseContentDisposition: disposition,
    ResponseCacheControl: cacheControl,
  })
  return getSignedUrl(bucket.client, command, { expiresIn })
}
