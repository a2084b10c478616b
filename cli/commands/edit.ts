import type { Command } from 'commander'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { DepositClient, Metadata } from '../client/deposit-client.ts'
import type { CliContext } from '../session/context.ts'
import { findNamed, readNamed } from '../folder/folder-deposit.ts'
import { narrate, printDeposit } from '../output/print.ts'
import { idempotencyKey, knownDeposit, newChange, unasked, type ActionOptions } from './command.ts'

interface EditOptions extends ActionOptions {
  readonly open?: true
}

/** `deposit edit <id>`: opens a published deposit for changes. */
export function editCommand(context: CliContext): Command {
  return newChange('edit', {
    'deposit edit 4f2a91': 'makes it a draft again; the record stays as it is',
    'deposit edit 4f2a91 --open': 'opens its metadata in your editor, too',
    'deposit update 4f2a91 --set title="Tides, corrected"': 'changes the draft',
    'deposit publish 4f2a91': 'publishes the change',
  })
    .description(
      'Open a published deposit to change its metadata. Its files stay. --open opens the ' +
        'metadata, also those of a draft, in the editor of VISUAL or EDITOR; they are checked ' +
        'before they are saved, and the editor opens again with the faults.',
    )
    .argument(...knownDeposit)
    .option('--open', 'change the metadata in your editor')
    .option(...idempotencyKey)
    .action((given: string | undefined, options: EditOptions) =>
      options.open ? openInEditor(context, given, options) : edit(context, given, options),
    )
}

async function edit(
  context: CliContext,
  given: string | undefined,
  options: ActionOptions,
): Promise<void> {
  const client = await context.client(options)
  const { id } = await findNamed(context, client, given, options)
  const deposit = await client.runAction(id, 'edit', options.idempotencyKey)
  narrate(
    context.streams,
    options,
    `${deposit.id} is open for changes; the record stays public until you publish`,
  )
  printDeposit(context.streams, options, deposit)
}

async function openInEditor(
  context: CliContext,
  given: string | undefined,
  options: EditOptions,
): Promise<void> {
  const { streams } = context
  const { editMetadata, findEditor } = await import('../check/edit-metadata.ts')
  const client = await context.client(options)
  const found = await readNamed(context, client, given, options)
  const open = findEditor(context, found.id)
  const isDraft = found.metadata._deposit?.status === 'draft'
  const before = isDraft ? found : await client.runAction(found.id, 'edit')
  const save = async (document: Metadata): Promise<DepositBody> => {
    await warn(context, document, options)
    return client.replace(before.id, document, before.revision)
  }
  const saved = await editMetadata(context, before, { open, save })
  narrate(streams, options, saved ? `Updated ${saved.id}` : `Nothing changed in ${before.id}`)
  printDeposit(streams, options, saved ?? before)
}

/** Warns, for example, of fields that no schema has; they are saved nevertheless. */
async function warn(
  { streams }: CliContext,
  metadata: Metadata,
  options: EditOptions,
): Promise<void> {
  const [{ checkDocument }, { toWarnings }] = await Promise.all([
    import('../check/check-document.ts'),
    import('../output/finding.ts'),
  ])
  const { warnings } = await checkDocument(metadata, 'draft')
  for (const warning of toWarnings(warnings)) narrate(streams, options, warning)
}

/** `deposit discard <id>`: discards the changes since the last publish. */
export function discardCommand(context: CliContext): Command {
  return newChange('discard', {
    'deposit discard 4f2a91': 'restores what is published',
  })
    .description(
      'Discard the changes since the last publish. A draft that was never published cannot go ' +
        'back: delete it with `deposit delete`. A terminal shows what is lost, and asks first.',
    )
    .argument(...knownDeposit)
    .option(...unasked)
    .option(...idempotencyKey)
    .action((given: string | undefined, options: DiscardOptions) =>
      discard(context, given, options),
    )
}

interface DiscardOptions extends ActionOptions {
  readonly yes?: true
}

async function discard(
  context: CliContext,
  given: string | undefined,
  options: DiscardOptions,
): Promise<void> {
  const client = await context.client(options)
  const { id } = await findNamed(context, client, given, options)
  const { asksFirst } = await import('../session/confirm.ts')
  if (asksFirst(context, options)) await askToDiscard(context, client, id)
  const deposit = await client.runAction(id, 'discard', options.idempotencyKey)
  narrate(
    context.streams,
    options,
    `Discarded the changes to ${deposit.id}; it is again as it was published`,
  )
  printDeposit(context.streams, options, deposit)
}

/** @throws {Failure} the answer was not yes, or the server would refuse */
async function askToDiscard(context: CliContext, client: DepositClient, id: string): Promise<void> {
  const tried = `discard ${id}`
  const draft = await client.read(id, tried)
  await client.permissions.requirePossible(tried, 'discard', draft)
  const { links, metadata } = draft
  const [{ compareMetadata }, { confirm, summaryOf }, { metadata: published }] = await Promise.all([
    import('../metadata/change.ts'),
    import('../session/confirm.ts'),
    client.readRecord(links['record'] ?? ''),
  ])
  const changed = compareMetadata(ownFields(published), ownFields(metadata))
  const names = new Set(changed.map(({ path }) => path.split('/')[1] ?? ''))
  const fields = names.size === 0 ? [] : [`It differs from the record in ${[...names].join(', ')}`]
  const question = 'Discard the changes since the last publish?'
  await confirm(context, { tried, summary: [summaryOf(draft), ...fields], question })
}

/** A record and its draft have schemas of different addresses. */
function ownFields({ $schema: _, ...metadata }: Metadata): Metadata {
  return metadata
}
