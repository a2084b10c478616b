import {
  FileTooLarge,
  MalformedRequest,
  UploadConflict,
  UploadExpired,
  UploadNotFound,
  type DepositError,
} from '../../core/index.ts'
import { LengthPassed, UnknownTusVersion } from '../http/http-problems.ts'

/** How the protocol's server begins when more is sent than was promised: the status is the same. */
const passedLength = "upload's size"

/**
 * What the protocol's server has refused, as a problem of ours.
 *
 * @param maxFileSize bytes
 */
export function tusProblem(status: number, text: string, maxFileSize: number): DepositError {
  switch (status) {
    case 404:
      return new UploadNotFound()
    case 409:
      return new UploadConflict('Upload-Offset is not where the upload is: ask with HEAD.')
    case 410:
      return new UploadExpired()
    case 412:
      return new UnknownTusVersion()
    case 413:
      return text.startsWith(passedLength) ? new LengthPassed() : new FileTooLarge(maxFileSize)
    default:
      return new MalformedRequest('tus', text.trim() || 'The request does not follow tus 1.0.0.')
  }
}
