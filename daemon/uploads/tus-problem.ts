import {
  FileTooLarge,
  MalformedRequest,
  UploadConflict,
  UploadExpired,
  UploadNotFound,
  type DepositError,
} from '../../core/index.ts'
import { UnknownTusVersion } from '../http/http-problems.ts'

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
      return new FileTooLarge(maxFileSize)
    default:
      return new MalformedRequest('tus', text.trim() || 'The request does not follow tus 1.0.0.')
  }
}
