import {
  isOpenAt,
  sayAccess,
  toFileAccess,
  type FileAccess,
} from '../../core/contract/file-access.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice, type Advice } from '../advice.ts'
import { ApiFailure } from '../client/api-failure.ts'
import type { DepositClient, Metadata } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { recordUrl, statusOf } from '../output/deposit-facts.ts'
import { plain } from '../plain.ts'
import type { CliContext } from '../session/context.ts'

/** Closed files of a record that metadata without `access` would make public. */
export interface Opening {
  /** In words. */
  readonly said: string
  /** That of the record. */
  readonly access: FileAccess
}

/**
 * Whether publishing makes the closed files of a record public, or others in their place, because the
 * metadata leave `access` out, as by mistake. Undefined where they say who may have the files.
 *
 * @param deposit the published deposit, its edit, or the draft of the next version
 * @param metadata with which it is published
 */
export async function findOpening(
  client: DepositClient,
  deposit: DepositBody,
  { access }: Metadata,
): Promise<Opening | undefined> {
  if (access !== undefined) return undefined
  const record = await recordBefore(client, deposit)
  if (record === undefined) return undefined
  const metadata: Metadata = record.metadata
  const before = toFileAccess(metadata['access'])
  if (isOpenAt(before, new Date().toISOString())) return undefined
  const said = `the files of ${plain(recordUrl(record) ?? record.id)} ${sayAccess(before)}, and the metadata have no access, so publishing makes the files public`
  return { said, access: before }
}

/** @param way to the next step, by the access that keeps the files closed */
export function refuseOpening(
  tried: string,
  { said, access }: Opening,
  way: (access: FileAccess) => Advice,
): Failure {
  return new Failure({ tried, said, next: way(access) }, { exitCode: exitCodes.refused })
}

interface Asking {
  readonly context: CliContext
  readonly client: DepositClient
  readonly folder: { readonly metadata: Metadata }
  readonly options: { readonly dryRun?: true; readonly yes?: true }
}

/**
 * The note that a folder would make closed files public, for a person who is asked.
 *
 * @throws {Failure} nobody is asked
 */
export async function noteOpening(
  { context, client, folder, options }: Asking,
  newest: DepositBody,
  tried: string,
): Promise<readonly string[]> {
  const opening = await findOpening(client, newest, folder.metadata)
  if (opening === undefined) return []
  const { asksFirst } = await import('../session/confirm.ts')
  if (options.dryRun || !asksFirst(context, options))
    throw refuseOpening(tried, opening, advice.writeAccess)
  return [`Note: ${opening.said}`]
}

/** The record as it is, or the version before; undefined where there is none, or it was withdrawn. */
async function recordBefore(
  client: DepositClient,
  deposit: DepositBody,
): Promise<DepositBody | undefined> {
  if (statusOf(deposit) === 'published') return deposit
  const path = deposit.links['record'] ?? deposit.links['previous_version']
  if (path === undefined) return undefined
  try {
    return await client.readRecord(path)
  } catch (error) {
    if (error instanceof ApiFailure && error.problem.code === 'record_withdrawn') return undefined
    throw error
  }
}
