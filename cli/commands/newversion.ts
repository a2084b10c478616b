import type { Command } from 'commander'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import type { CliContext } from '../session/context.ts'
import { narrate, printDeposit } from '../output/print.ts'
import { idempotencyKey, knownDeposit, newChange, type ActionOptions } from './command.ts'

/** `deposit newversion [id]`: a draft of the next version of a published deposit. */
export function newversionCommand(context: CliContext): Command {
  return newChange('newversion', {
    'deposit newversion': 'takes the deposit that the current folder knows',
    'deposit newversion 4f2a91': "prints the new draft's id",
  })
    .description(
      'Start the next version of a published deposit: a draft with its metadata and files. A ' +
        'folder that knew the deposit knows the new draft from then on: change its files, then ' +
        'run `deposit sync` and `deposit publish` there.',
    )
    .argument(...knownDeposit)
    .option(...idempotencyKey)
    .action((given: string | undefined, options: ActionOptions) =>
      newVersion(context, given, options),
    )
}

async function newVersion(
  context: CliContext,
  given: string | undefined,
  options: ActionOptions,
): Promise<void> {
  const [{ findNamed, findNewest, sayVersion }, { remember }] = await Promise.all([
    import('../folder/folder-deposit.ts'),
    import('../folder/memory.ts'),
  ])
  const client = await context.client(options)
  const found = await findNamed(context, client, given, options)
  const { id: named, dir, deposit } = found
  const standing = deposit ?? (await client.read(named))
  if (isNextVersion(standing)) {
    const next = dir === undefined ? advice.finishDraft(standing.id) : advice.finishVersion(dir)
    narrate(context.streams, options, `${standing.id} is the next version already; ${next}`)
    printDeposit(context.streams, options, standing)
    return
  }
  const newest = deposit === undefined ? standing : await findNewest(client, deposit)
  const { id } = newest
  const draft = await client.runAction(id, 'newversion', options.idempotencyKey)
  narrate(context.streams, options, sayVersion(id, draft))
  if (newest.withdrawn) {
    const { findWithdrawn, sayWithdrawn } = await import('../folder/withdrawn-version.ts')
    const withdrawn = await findWithdrawn(client, newest)
    const said = withdrawn && `${sayWithdrawn(withdrawn)}: the draft has its metadata`
    const files = newest.withdrawn.bytes_destroyed ? '' : ' and files'
    if (said) narrate(context.streams, options, `Note: ${said}${files}`)
  }
  const known = dir ?? (await folderOf(context, client, named))
  if (known !== undefined)
    narrate(context.streams, options, await remember({ context, client, dir: known }, draft))
  printDeposit(context.streams, options, draft)
}

/** Whether it is the draft of a version that was never published, after one that was. */
function isNextVersion({ links }: DepositBody): boolean {
  return links['record'] === undefined && links['previous_version'] !== undefined
}

/** The current folder, where it knows the deposit that was named. */
async function folderOf(
  context: CliContext,
  client: DepositClient,
  named: string,
): Promise<string | undefined> {
  const { readSoundMemory } = await import('../folder/memory.ts')
  const memory = await readSoundMemory(context, '.')
  if (memory?.deposit === undefined) return undefined
  return memory.deposit.id === (await client.resolve(named)) ? '.' : undefined
}
