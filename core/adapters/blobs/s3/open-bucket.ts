import { areFilesAway, problem } from '../../../errors/errors.ts'
import { FilesUnfit } from '../../../ports/blob-store.ts'
import { Bucket } from './bucket.ts'
import { parseS3Address } from './s3-address.ts'
import { describeRefusal, explainS3Error, isMissing, isRefused } from './s3-errors.ts'

/**
 * Opens the bucket that an address names, and makes it where it may.
 *
 * @param notice told when the store goes away and when it is back
 * @param makes false leaves a bucket unmade that is missing and may be made
 * @throws {FilesUnfit} there is no such bucket, or it is not for us
 * @throws {DepositError} storage_unavailable: the store does not answer
 */
export async function openBucket(
  url: string,
  notice: (text: string) => void,
  makes = true,
): Promise<Bucket> {
  const address = parseS3Address(url)
  const bucket = new Bucket(address, notice)
  try {
    await bucket.require(makes)
    return bucket
  } catch (error) {
    bucket[Symbol.dispose]()
    const { bucket: name, endpoint = 'Amazon S3' } = address
    if (isMissing(error)) {
      throw new FilesUnfit('no_bucket', `There is no bucket ${name} at ${endpoint}.`)
    }
    if (isRefused(error)) {
      const said = `The bucket ${name} at ${endpoint} is refused to us: ${describeRefusal(error)}.`
      throw new FilesUnfit('refused', said, { cause: error })
    }
    const explained = explainS3Error(error)
    throw areFilesAway(explained)
      ? explained
      : problem('storage_unavailable', { store: 'files', cause: error })
  }
}
