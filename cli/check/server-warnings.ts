import type { DepositClient } from '../client/deposit-client.ts'
import { toWarnings } from '../output/finding.ts'
import { narrate } from '../output/print.ts'
import type { CliContext } from '../session/context.ts'
import type { Prepared } from '../transfer/prepare.ts'
import { checkMetadata } from './check-document.ts'
import { refuseWarnings, requireValid } from './preflight.ts'

interface Told {
  readonly context: CliContext
  readonly client: DepositClient
  /** Its own warnings were told before. */
  readonly folder: Pick<Prepared, 'metadata' | 'source' | 'other'>
  readonly options: { readonly strict?: true; readonly quiet?: true }
}

/**
 * Tells what the server warns of before it publishes a draft, and the folder alone did not tell: a
 * version that is called as the one before, files that become public.
 *
 * @throws {Failure} it would refuse the document, or there is a warning, and `--strict` was given
 */
export async function tellServerWarnings(
  { context, client, folder, options }: Told,
  id: string,
): Promise<void> {
  const { errors, warnings } = await client.rehearse(id)
  requireValid(id, errors)
  const told = (await checkMetadata(folder.metadata, folder, 'publish')).warnings
  const isTold = (field: string): boolean => told.some((each) => each.field === field)
  const further = warnings.filter(({ field }) => !isTold(field))
  if (options.strict) refuseWarnings(`publish ${id}`, further)
  for (const warning of toWarnings(further)) narrate(context.streams, options, warning)
}
