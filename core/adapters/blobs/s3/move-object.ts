import { CopyObjectCommand, UploadPartCopyCommand } from '@aws-sdk/client-s3'
import type { Bucket } from './bucket.ts'
import { Multipart, type SentPart } from './parts.ts'

/** Bytes that a store copies in one call at most. */
const largestCopy = 5 * 1024 ** 3

/** Bytes that are copied at once of what is larger. */
const pieceSize = 1024 ** 3

/** Gives an object another key; does nothing where there is none. */
export async function moveObject(bucket: Bucket, from: string, to: string): Promise<void> {
  const size = (await bucket.head(from))?.size
  if (size === undefined) return
  const { Bucket, Key } = bucket.at(from)
  const CopySource = `${Bucket}/${Key.split('/').map(encodeURIComponent).join('/')}`
  if (size <= largestCopy) {
    const command = new CopyObjectCommand({ ...bucket.at(to), CopySource })
    await bucket.call(() => bucket.client.send(command))
  } else await copyInPieces(bucket, to, CopySource, size)
  await bucket.delete(from)
}

async function copyInPieces(
  bucket: Bucket,
  key: string,
  CopySource: string,
  size: number,
): Promise<void> {
  const multipart = await Multipart.begin(bucket, key, false)
  const sent: SentPart[] = []
  for (let start = 0; start < size; start += pieceSize) {
    const end = Math.min(start + pieceSize, size)
    const PartNumber = sent.length + 1
    const command = new UploadPartCopyCommand({
      ...bucket.at(key),
      UploadId: multipart.id,
      PartNumber,
      CopySource,
      CopySourceRange: `bytes=${start}-${end - 1}`,
    })
    const { CopyPartResult } = await bucket.call(() => bucket.client.send(command))
    const ETag = CopyPartResult?.ETag
    sent.push({ PartNumber, Size: end - start, modified: new Date(), ...(ETag && { ETag }) })
  }
  await multipart.complete(sent)
}
