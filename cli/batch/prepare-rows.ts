import { resolve } from 'node:path'
import type { Metadata } from '../client/deposit-client.ts'
import { UsageFailure } from '../failure.ts'
import { findSources } from '../transfer/find-sources.ts'
import { planUpload, type UploadPlan } from '../transfer/plan-upload.ts'
import { prepare } from '../transfer/prepare.ts'
import type { Row } from './row.ts'

/** A row whose files were found and whose names were checked. */
export interface PreparedRow {
  readonly row: Row
  readonly metadata: Metadata
  readonly plan: UploadPlan
}

/**
 * Finds the files of all rows, before anything is sent.
 *
 * @param folder where relative paths of the rows start
 * @throws {UsageFailure} naming every row that cannot be sent
 */
export async function prepareRows(
  folder: string,
  rows: readonly Row[],
  exclude: readonly string[],
): Promise<readonly PreparedRow[]> {
  const prepared: PreparedRow[] = []
  const faults: string[] = []
  for (const row of rows) {
    try {
      prepared.push(await prepareRow(folder, row, exclude))
    } catch (error) {
      if (!(error instanceof UsageFailure)) throw error
      faults.push(`row ${row.number}: ${error.said}`)
    }
  }
  if (faults.length === 0) return prepared
  throw new UsageFailure({
    tried: 'read the files of the batch',
    said: faults.join('; '),
    next: 'correct them and run the command again; nothing was sent',
  })
}

async function prepareRow(
  folder: string,
  row: Row,
  exclude: readonly string[],
): Promise<PreparedRow> {
  // Nobody is asked: the metadata of a folder lie in it.
  const input = { folder, stdin: process.stdin }
  const own = row.folder === undefined ? undefined : resolve(folder, row.folder)
  const { metadata, plan } = await prepare(input, own, { exclude })
  const further = await findSources(row.files, { folder, exclude })
  const found = plan.files.map(({ path, key, size }) => ({ path, name: key, size }))
  return {
    row,
    metadata: { ...metadata, ...row.metadata },
    plan: planUpload([...found, ...further.files]),
  }
}
