import { nameIn, parseFields, type UploadFields } from '../../../core/contract/uploads.ts'
import { toFileKey, wrongField, type FileInPieces, type DepositError } from '../../../core/index.ts'

const name = /^[!-+\--~]+$/
const base64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/
const digest = /^(?:sha256:[0-9a-f]{64}|md5:[0-9a-f]{32})$/i

/**
 * Reads `Upload-Metadata`: names, each with a value in Base64, with commas between. An empty header
 * says nothing, as none does.
 *
 * @throws {DepositError} malformed_request
 */
export function parseMetadata(header = ''): UploadFields {
  const names = header.trim() === '' ? [] : header.split(',').map(nameOf)
  if (new Set(names).size < names.length) throw unreadable()
  return parseFields(header)
}

function nameOf(pair: string): string {
  const [key = '', value, ...more] = pair.trim().split(' ')
  if (!name.test(key) || more.length > 0 || !base64.test(value ?? '')) throw unreadable()
  return key
}

function unreadable(): DepositError<'malformed_request'> {
  return wrongField(
    'malformed_request',
    'Upload-Metadata',
    'It is a list of names, each with a space and a value in Base64 behind it, and commas between.',
  )
}

/**
 * The file that the metadata speak of: `name` (a path within the deposit) or `filename` (without
 * its folders), `checksum` of all bytes, and `replace true` where a file under the name is to have a
 * new version.
 *
 * @throws {DepositError} wrong_file: there is no name, or none that is safe
 * @throws {DepositError} malformed_request: the checksum cannot be read
 */
export function toFileInPieces(metadata: UploadFields): FileInPieces {
  const { checksum, replace } = metadata
  const wanted = nameIn(metadata)
  if (wanted === '')
    throw wrongField('wrong_file', 'name', 'Upload-Metadata has neither name nor filename.')
  if (checksum && !digest.test(checksum)) {
    throw wrongField(
      'malformed_request',
      'checksum',
      'It is given as sha256: or md5: and hexadecimal digits.',
    )
  }
  return {
    key: toFileKey(wanted),
    replaces: replace === 'true',
    ...(checksum ? { checksum: checksum.toLowerCase() } : {}),
    metadata,
  }
}
