import { advice } from '../advice.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import type { LocalFile } from '../client/upload-file.ts'
import { toLine } from '../output/finding.ts'
import { Failure } from '../failure.ts'

/** Bytes that are sent about as fast as the server is asked. */
const fewBytes = 1024 * 1024

/**
 * Asks the server whether it would publish the metadata of a draft, before much is sent: it may
 * have schemas of its own.
 *
 * @throws {Failure} with all that it would refuse
 */
export async function askServer(
  client: DepositClient,
  id: string,
  files: readonly LocalFile[],
): Promise<void> {
  if (files.reduce((sum, { size }) => sum + size, 0) < fewBytes) return
  const { errors } = await client.rehearse(id)
  // A draft that was published since is no fault: its publish is asked for again.
  const faults = errors.filter(({ code }) => code === 'invalid_document')
  if (faults.length === 0) return
  throw new Failure({
    tried: `publish ${id}`,
    said: faults.map(toLine).join('; '),
    next: advice.correctDocument(id),
  })
}
