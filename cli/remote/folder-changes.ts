import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { ownMetadata, statusOf } from '../output/deposit-facts.ts'
import type { CliContext } from '../session/context.ts'
import type { MetadataChange } from '../metadata/change.ts'
import { compareFolder, summarize } from '../transfer/compare-folder.ts'
import { listOf } from './port/values.ts'

interface Known {
  readonly dir: string
  readonly client: DepositClient
  readonly deposit: DepositBody
}

/**
 * A folder that knows its deposit stands for that: what was changed in the folder since is not
 * pushed.
 *
 * @returns a note, where the deposit is a record: that is what is pushed
 * @throws {Failure} the deposit is a draft, and the folder has other files or metadata
 */
export async function requireFolderSynced(
  context: CliContext,
  { dir, client, deposit }: Known,
): Promise<readonly string[]> {
  const found = async () => ({ client, deposit })
  const { changes, folder } = await compareFolder(context, dir, { digests: false }, found)
  const own = ownMetadata(deposit.metadata)
  const metadata = changes.metadata.filter((change) => !isOfCopies(change, own, folder.metadata))
  const summary = summarize({ ...changes, metadata })
  if (summary === undefined) return []
  if (statusOf(deposit) !== 'draft')
    return [`Note: the record is pushed, which does not have the changes of the folder: ${summary}`]
  const said = `its deposit does not have the changes of the folder: ${summary}`
  const next = advice.syncAndPush(dir, changes.deleted.length > 0)
  throw new Failure({ tried: `push ${dir}`, said, next }, { exitCode: exitCodes.refused })
}

/** A push says in the deposit, and not in the folder, which copies are identical to it. */
function isOfCopies(
  { path }: MetadataChange,
  own: Readonly<Record<string, unknown>>,
  folder: Readonly<Record<string, unknown>>,
): boolean {
  if (!path.startsWith('/related_identifiers')) return false
  const others = (metadata: Readonly<Record<string, unknown>>): string =>
    JSON.stringify(
      listOf(metadata['related_identifiers']).filter(
        ({ relation }) => String(relation).toLowerCase() !== 'isidenticalto',
      ),
    )
  return others(own) === others(folder)
}
