import type { FastifyReply, FastifyRequest } from 'fastify'
import { limitsHeader, writeLimits } from '../../core/contract/foreign-limits.ts'
import type { Parts } from '../../core/index.ts'

/**
 * Says in a header what deposits of the caller may have here. Clients that know it need not guess
 * the limits of the service whose interface this is: `deposit push` is one.
 */
export async function tellLimits(
  { settings, database }: Pick<Parts, 'settings' | 'database'>,
  { caller }: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const account =
    typeof caller === 'string' ? undefined : await database.read.accounts.find(caller.user)
  const { maxFiles: files, maxFileSize: fileSize } = settings
  const quota = account?.quota ?? settings.quota
  reply.header(limitsHeader, writeLimits({ files, fileSize, quota }))
}
