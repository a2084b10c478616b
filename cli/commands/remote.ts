import type { Command } from 'commander'
import { text as readAll } from 'node:stream/consumers'
import { advice } from '../advice.ts'
import { UsageFailure } from '../failure.ts'
import { plain } from '../plain.ts'
import { narrate, print } from '../output/print.ts'
import { tokenVariable } from '../remote-advice.ts'
import type { CliContext } from '../session/context.ts'
import type { StoredRemote } from '../remote/remotes.ts'
import { newChange, newCommand, newGroup, type CommonOptions } from './command.ts'

interface AddOptions extends CommonOptions {
  readonly kind?: string
  readonly url?: string
  readonly collection?: string
  readonly contact?: string
  readonly replace?: true
}

/** `deposit remote …`: repositories of others that deposits are pushed to. */
export function remoteCommand(context: CliContext): Command {
  const add = newChange('add', {
    'deposit remote add zenodo --kind zenodo': 'asks for the token, without showing it',
    'deposit remote add sandbox --kind zenodo --url https://sandbox.zenodo.org < token.txt':
      'reads the token from a file',
    'deposit remote add dvn --kind dataverse --url https://demo.dataverse.org --collection demo':
      'a collection of a Dataverse',
  })
    .summary('add one, with its token')
    .description(
      'Add a repository. Its token comes from DEPOSIT_REMOTE_<NAME>_TOKEN, from standard input, or ' +
        'is asked for, and is kept like the sign-in, for this user alone; it is never an argument, ' +
        'which other users of the machine could read. With the variable, nothing is stored.',
    )
    .argument('<name>', 'what you call it')
    .option('--kind <kind>', 'zenodo, rdm (InvenioRDM), dataverse or figshare')
    .option('--url <url>', 'its address; for zenodo and figshare that of the service itself')
    .option('--collection <name>', 'where deposits go there: an alias of Dataverse')
    .option('--contact <address>', 'e-mail address that Dataverse shows as the contact of datasets')
    .option('--replace', 'replace the remote of this name')
    .action((name: string, options: AddOptions) => addRemote(context, name, options))
  const list = newCommand('list', { 'deposit remote list': 'their names, kinds and addresses' })
    .summary('list them, without their tokens')
    .action((options: CommonOptions) => listRemotes(context, options))
  const check = newCommand('check', { 'deposit remote check zenodo': 'asks with its token' })
    .summary('ask whether the token is good')
    .argument('<name>', 'as `deposit remote list` shows it')
    .action((name: string, options: CommonOptions) => checkRemote(context, name, options))
  const remove = newChange('remove', { 'deposit remote remove sandbox': 'with its token' })
    .summary('forget one, and its token')
    .argument('<name>', 'as `deposit remote list` shows it')
    .action((name: string, options: CommonOptions) => forgetRemote(context, name, options))
  return newGroup(
    'remote',
    {
      'deposit remote add zenodo --kind zenodo': 'adds Zenodo',
      'deposit remote check zenodo': 'asks whether the token is good',
    },
    [add, list, check, remove],
  ).description(
    'Repositories of others: Zenodo, InvenioRDM, Dataverse and figshare. `deposit push` sends ' +
      'deposits there, and `deposit pull` makes drafts of their records.',
  )
}

async function addRemote(context: CliContext, name: string, options: AddOptions): Promise<void> {
  const remotes = await import('../remote/remotes.ts')
  remotes.requireName(name)
  const kind = remotes.parseKind(options.kind)
  const { title, url: usual, collection: needs } = remotes.kindOf(kind)
  const tried = `add the remote ${name}`
  const given = options.url ?? usual
  if (given === undefined)
    throw new UsageFailure({
      tried,
      said: `${title} has no address of its own`,
      next: advice.giveRemoteUrl(),
    })
  const url = remotes.parseRemoteUrl(given, options.insecure === true)
  const { collection, contact } = options
  if (needs === 'required' && collection === undefined)
    throw new UsageFailure({
      tried,
      said: `${title} needs to know where deposits go`,
      next: advice.giveCollection(),
    })
  if (needs === 'none' && collection !== undefined) {
    const said = `${title} has no collections to choose from`
    throw new UsageFailure({ tried, said, next: advice.leaveOut('--collection') })
  }
  const all = await remotes.readRemotes(context)
  if (!options.replace && all.some((each) => each.name === name)) {
    const said = 'there is one of that name already'
    throw new UsageFailure({ tried, said, next: advice.otherRemoteName() })
  }
  const variable = tokenVariable(name)
  const twin = all.find((each) => each.name !== name && tokenVariable(each.name) === variable)
  if (twin !== undefined) {
    const said = `its token would be that of ${twin.name} as well: both would read ${variable}`
    throw new UsageFailure({ tried, said, next: advice.renameRemote(twin.name) })
  }
  const isInEnvironment = context.config.remoteToken(name) !== undefined
  const token = isInEnvironment || options.dryRun ? undefined : await readToken(context, name)
  const remote: StoredRemote = {
    name,
    kind,
    url,
    ...(collection !== undefined && { collection }),
    ...(contact !== undefined && { contact }),
    ...(token !== undefined && { token }),
  }
  if (!options.dryRun) await remotes.storeRemote(context, remote)
  narrate(context.streams, options, `${options.dryRun ? 'Would add' : 'Added'} ${title} at ${url}`)
  if (isInEnvironment)
    narrate(context.streams, options, `Its token comes from ${variable}, and is not stored`)
  print(context.streams, options, { body: shown(remote), ids: [name], lines: () => [name] })
}

/** From a terminal without showing it, else from standard input. */
async function readToken(context: CliContext, name: string): Promise<string> {
  const [{ askSecret, canAsk }, remotes] = await Promise.all([
    import('../session/keyboard.ts'),
    import('../remote/remotes.ts'),
  ])
  const tried = `add the remote ${name}`
  const token = canAsk(context)
    ? await askSecret(context, `Token for ${name} (it is not shown): `)
    : (await readAll(context.stdin)).trim()
  const fault = remotes.faultOfToken(token)
  if (fault === undefined) return token
  const said = token === '' ? 'no token was given' : `the token ${fault}`
  throw new UsageFailure({ tried, said, next: advice.giveRemoteToken(name) })
}

async function listRemotes(context: CliContext, options: CommonOptions): Promise<void> {
  const [{ readRemotes }, { formatTable }] = await Promise.all([
    import('../remote/remotes.ts'),
    import('../output/table.ts'),
  ])
  const { streams } = context
  const all = await readRemotes(context)
  if (all.length === 0) narrate(streams, options, 'There are no remotes')
  const columns = [
    { title: 'NAME' },
    { title: 'KIND' },
    { title: 'URL', isFlexible: true },
    { title: 'COLLECTION' },
  ] as const
  const rows = all.map(({ name, kind, url, collection = '-' }) =>
    [name, kind, url, collection].map(plain),
  )
  const table = all.length === 0 ? [] : await formatTable(streams, columns, rows)
  print(streams, options, {
    body: all.map(shown),
    ids: all.map(({ name }) => name),
    lines: () => table,
  })
}

function shown({ token: _, ...remote }: StoredRemote) {
  return remote
}

async function checkRemote(context: CliContext, name: string, options: CommonOptions) {
  const { openRemote } = await import('../remote/open-remote.ts')
  const { atWrongAddress } = await import('../remote/port/remote-failure.ts')
  await using open = await openRemote(context, name, options).catch(atWrongAddress)
  const account = await open.repository.whoAmI().catch(atWrongAddress)
  const body = { ...shown(open.remote), account: account.name ?? null, message: account.said }
  print(context.streams, options, {
    body,
    ids: [name],
    lines: () => [plain(`${name} at ${open.host}: ${account.said}`)],
  })
}

async function forgetRemote(context: CliContext, name: string, options: CommonOptions) {
  const { findRemote, removeRemote } = await import('../remote/remotes.ts')
  const remote = await findRemote(context, name)
  if (!options.dryRun) await removeRemote(context, name)
  narrate(
    context.streams,
    options,
    `${options.dryRun ? 'Would forget' : 'Forgot'} ${name} and its token`,
  )
  print(context.streams, options, { body: shown(remote), ids: [name], lines: () => [] })
}
