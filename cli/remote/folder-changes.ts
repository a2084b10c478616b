import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { statusOf } from '../output/deposit-facts.ts'
import type { CliContext } from '../session/context.ts'
import { compareFolder, summarize } from '../transfer/compare-folder.ts'

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
  const { changes } = await compareFolder(context, dir, { digests: false }, found)
  const summary = summarize(changes)
  if (summary === undefined) return []
  if (statusOf(deposit) !== 'draft')
    return [`Note: the record is pushed, which does not have the changes of the folder: ${summary}`]
  const said = `its deposit does not have the changes of the folder: ${summary}`
  const next = advice.syncAndPush(dir, changes.deleted.length > 0)
  throw new Failure({ tried: `push ${dir}`, said, next }, { exitCode: exitCodes.refused })
}
