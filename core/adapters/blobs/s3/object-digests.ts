import type { Bucket } from './bucket.ts'
import { ContentDigests } from './content-digests.ts'
import { readObject } from './object-reader.ts'

/** Reads an object back, and measures it. @throws {DepositError} damaged_file: there is none */
export async function digestsOf(
  bucket: Bucket,
  key: string,
  algorithms: readonly string[],
): Promise<ReturnType<ContentDigests['digests']>> {
  const measured = new ContentDigests(algorithms)
  const bytes: AsyncIterable<Buffer> = await readObject(bucket, key)
  for await (const chunk of bytes) measured.add(chunk)
  return measured.digests()
}
