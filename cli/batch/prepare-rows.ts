import { resolve } from 'node:path'
import type { Purpose } from '../check/check-document.ts'
import { preflight } from '../check/preflight.ts'
import type { Metadata } from '../client/deposit-client.ts'
import { UsageFailure } from '../failure.ts'
import type { MetadataFile } from '../metadata/read-metadata.ts'
import { findSources } from '../transfer/find-sources.ts'
import { planUpload, type UploadPlan } from '../transfer/plan-upload.ts'
import { prepare } from '../transfer/prepare.ts'
import type { Row } from './row.ts'

/** A row whose files were found and whose names were checked. */
export interface PreparedRow {
  readonly row: Row
  readonly metadata: Metadata
  readonly plan: UploadPlan
  /** The metadata file of its folder. */
  readonly source: MetadataFile | undefined
}

interface PrepareOptions {
  readonly exclude?: readonly string[] | undefined
  readonly purpose: Purpose
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
  { exclude = [], purpose }: PrepareOptions,
): Promise<readonly PreparedRow[]> {
  const prepared: PreparedRow[] = []
  const faults: string[] = []
  for (const row of rows) {
    try {
      const ready = await prepareRow(folder, row, exclude)
      const { metadata, source } = ready
      await preflight({ metadata, source, purpose, tried: 'send the row' })
      prepared.push(ready)
    } catch (error) {
      if (!(error instanceof UsageFailure)) throw error
      faults.push(`row ${row.number}: ${error.said}`)
    }
  }
  if (faults.length === 0) return prepared
  throw new UsageFailure({
    tried: 'begin the batch',
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
  const { metadata, plan, source } = await prepare(input, own, { exclude })
  const further = await findSources(row.files, { folder, exclude })
  const found = plan.files.map(({ path, key, size }) => ({ path, name: key, size }))
  return {
    row,
    metadata: { ...metadata, ...row.metadata },
    source,
    plan: planUpload([...found, ...further.files]),
  }
}
