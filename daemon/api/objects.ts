import type { FastifyRequest } from 'fastify'
import {
  authorize,
  findVersion,
  parseBucketId,
  requestedKey,
  type Deposit,
  type Files,
  type FoundVersion,
  type OpenedBucket,
  filesRestricted,
  type PublishedRecord,
  type DepositFile,
  type FileVersion,
} from '../../core/index.ts'
import { isRefusal } from '../http/problem-reply.ts'
import { mediaDestinations, type OpenToOrigins } from '../http/sharing.ts'
import type { Services } from './services.ts'
import { keyInPath, version } from './route.ts'
import type { FileBody } from '../../core/contract/schemas.ts'
import type { Links } from '../config/links.ts'

/** The services of the endpoint that the deposit of the bucket belongs to. */
export async function servicesOf(
  services: Services,
  { params }: FastifyRequest,
): Promise<Services> {
  const { endpoints, parts } = services
  if (endpoints.size === 1) return services
  const { bucket } = params as { readonly bucket: string }
  const deposit = await parts.database.read.deposits.findByBucket(parseBucketId(bucket))
  return (deposit && endpoints.get(deposit.pidType)) ?? services
}

/** The deposit of the bucket that a path names, for who may see its files. */
export function openBucket(
  files: Files,
  { caller, params }: FastifyRequest,
): Promise<OpenedBucket> {
  const { bucket } = params as { readonly bucket: string }
  return files.openBucket(caller, parseBucketId(bucket))
}

/** The version of a file that a request asks for, where its caller may read it. */
export async function readableObject(
  services: Services,
  request: FastifyRequest,
): Promise<FoundVersion & Pick<OpenedBucket, 'isPublic'>> {
  const { parts, files } = await servicesOf(services, request)
  const { deposit, isPublic } = await openBucket(files, request)
  const wanted = version(request)
  // Only what was published is public: older versions are the owner's.
  if (wanted) await authorize(parts, request.caller, deposit.id, 'read')
  const found = await findVersion(
    parts,
    request.caller,
    deposit,
    requestedKey(keyInPath(request)),
    wanted,
  )
  return { ...found, isPublic: isPublic && request.caller === 'anonymous' }
}

/** The files of a record for the caller of a request; undefined where they may not have them. */
export function filesOfRecord(
  services: Services,
  { caller }: Pick<FastifyRequest, 'caller'>,
  record: PublishedRecord,
): ReturnType<Services['records']['files']> {
  const { records } = services.endpoints.get(record.deposit.pidType) ?? services
  return records.files(record, caller)
}

/** @throws {DepositError} files_restricted: the caller may not have them */
export async function requireFiles(
  services: Services,
  request: Pick<FastifyRequest, 'caller'>,
  record: PublishedRecord,
): Promise<readonly DepositFile[]> {
  const files = await filesOfRecord(services, request, record)
  if (files) return files
  throw filesRestricted(await services.records.newest(record))
}

/** The files of a record are public, those of a draft are not. */
export function sharedFiles(services: Services): OpenToOrigins {
  return {
    destinations: mediaDestinations,
    isPublic: async (request) => {
      const { bucket } = request.params as { readonly bucket: string }
      const { files } = await servicesOf(services, request)
      return files.openBucket('anonymous', parseBucketId(bucket)).then(
        () => true,
        (error: unknown) => {
          if (isRefusal(error)) return false
          throw error
        },
      )
    },
  }
}

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
