import type { FastifyRequest } from 'fastify'
import {
  authorize,
  findVersion,
  parseBucketId,
  requestedKey,
  type Deposit,
  type Files,
  type FoundVersion,
} from '../../core/index.ts'
import { isRefusal } from '../http/problem-reply.ts'
import { mediaDestinations, type Shared } from '../http/sharing.ts'
import { version } from './file-item.ts'
import type { Services } from './services.ts'
import { keyInPath } from './route.ts'

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
export function openBucket(files: Files, { caller, params }: FastifyRequest): Promise<Deposit> {
  const { bucket } = params as { readonly bucket: string }
  return files.openBucket(caller, parseBucketId(bucket))
}

/** The version of a file that a request asks for, where its caller may read it. */
export async function readableObject(
  services: Services,
  request: FastifyRequest,
): Promise<FoundVersion> {
  const { parts, files } = await servicesOf(services, request)
  const deposit = await openBucket(files, request)
  const wanted = version(request)
  // Only what was published is public: older versions are the owner's.
  if (wanted) await authorize(parts, request.caller, deposit.id, 'read')
  return findVersion(parts, deposit, requestedKey(keyInPath(request)), wanted)
}

/** The files of a record are public, those of a draft are not. */
export function sharedFiles(services: Services): Shared {
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
