import { areFilesAway, problem } from '../../../errors/errors.ts'
import { FilesUnfit } from '../../../ports/blob-store.ts'
import { Bucket } from './bucket.ts'
import { parseS3Address } from './s3-address.ts'
import { describeRefusal, explainS3Error, isInvalid, isMissing, isRefused } from './s3-errors.ts'

/**
 * Names that every store takes; some take others, too, so that only an answer tells.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
 */
const bucketName = /^(?!.*\.\.)[\da-z][\d.a-z-]{1,61}[\da-z]$/

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
    if (isInvalid(error) && !bucketName.test(name)) {
      const said = `There can be no bucket ${name} at ${endpoint}: the name of a bucket has 3 to 63 lower-case letters, digits, dots and hyphens.`
      throw new FilesUnfit('bucket_name', said, { cause: error })
    }
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
