import type { FileBody } from '../../../core/contract/schemas.ts'
import type { Deposit, DepositFile, FileVersion } from '../../../core/index.ts'
import type { Links } from '../../config/links.ts'

/** A file of a deposit, with its latest version. */
export function toFileBody(file: DepositFile, deposit: Deposit, links: Links): FileBody {
  const place = { bucket: file.bucket, key: file.key, deposit: deposit.id }
  return { ...describe(file, file.latest), links: links.file(place) }
}

/** A version of a file, as its bucket shows it. */
export function toObjectBody(file: DepositFile, version: FileVersion, links: Links): FileBody {
  const isLatest = version.id === file.latest.id
  const place = { bucket: file.bucket, key: file.key, ...(!isLatest && { version: version.id }) }
  return { ...describe(file, version), links: links.file(place) }
}

function describe(file: DepositFile, { id, blob, storageClass, created }: FileVersion) {
  const further = Object.entries(blob.digests)
  return {
    id: file.id,
    filename: file.key,
    filesize: blob.size,
    checksum: `sha256:${blob.sha256}`,
    ...(further.length > 0 && {
      checksums: Object.fromEntries(further.map(([name, hex]) => [name, `${name}:${hex}`])),
    }),
    version_id: id,
    storage_class: storageClass,
    created,
  }
}
