import type { Upload } from '@tus/utils'
import { withoutFolders } from '../../core/contract/file-key.ts'
import { MalformedRequest, toFileKey, WrongFile, type NewUpload } from '../../core/index.ts'

const digest = /^(?:sha256:[0-9a-f]{64}|md5:[0-9a-f]{32})$/i

/**
 * What a client says of a file in `Upload-Metadata`: `name` (a path within the deposit) or
 * `filename` (without its folders), `checksum` of all bytes, and `replace true` where a file under
 * the name is to have a new version.
 *
 * @throws {WrongFile} there is no name, or none that is safe
 * @throws {MalformedRequest} the checksum cannot be read
 */
export function parseNewUpload({ size = 0, metadata = {} }: Upload): NewUpload {
  const { name, filename, checksum, replace } = metadata
  const named = name ?? ''
  const wanted = named === '' ? withoutFolders(filename ?? '') : named
  if (wanted === '') throw new WrongFile('name', 'Upload-Metadata has neither name nor filename.')
  if (checksum && !digest.test(checksum)) {
    throw new MalformedRequest('checksum', 'It is given as sha256: or md5: and hexadecimal digits.')
  }
  return {
    key: toFileKey(wanted),
    size,
    replaces: replace === 'true',
    ...(checksum ? { checksum: checksum.toLowerCase() } : {}),
    metadata: Object.fromEntries(Object.entries(metadata)),
  }
}
