import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import type { DepositClient, Metadata } from '../client/deposit-client.ts'
import { compareMetadata, type MetadataChange } from '../metadata/compare-metadata.ts'
import type { Input } from '../metadata/read-metadata.ts'
import { compareFiles, type FileChanges } from './compare-files.ts'
import { prepare, type Prepared } from './prepare.ts'

/** What would make a deposit the folder that it is compared with. */
export interface Changes extends FileChanges {
  readonly metadata: readonly MetadataChange[]
}

/** A folder beside a deposit. */
export interface Comparison {
  readonly client: DepositClient
  readonly folder: Prepared
  readonly deposit: DepositBody
  readonly present: readonly FileBody[]
  readonly changes: Changes
}

interface CompareOptions {
  readonly metadata?: string
  readonly exclude?: readonly string[]
  readonly followLinks?: boolean
}

/**
 * Compares a folder with a deposit; nothing is changed. Without a metadata file in the folder
 * metadata are not compared.
 *
 * @param connect called once the folder has been read and checked
 */
export async function compareFolder(
  input: Input,
  { dir, id }: { readonly dir: string; readonly id: string },
  options: CompareOptions,
  connect: () => Promise<DepositClient>,
): Promise<Comparison> {
  const folder = await prepare(input, dir, options)
  const client = await connect()
  const deposit = await client.read(id)
  const present = await client.listFiles(deposit.id)
  const files = await compareFiles(folder.plan.files, present, folder.isIgnored)
  const metadata = await metadataChanges(deposit.metadata, folder)
  return { client, folder, deposit, present, changes: { ...files, metadata } }
}

async function metadataChanges(
  before: Metadata,
  { metadata, source }: Prepared,
): Promise<readonly MetadataChange[]> {
  return source === undefined ? [] : compareMetadata(before, metadata)
}
