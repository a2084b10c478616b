import { Command, Option } from 'commander'
import { resolve } from 'node:path'
import type { OfflineWork } from './work/offline.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The operator's commands that may take long. */
export function upkeepCommands(env: Environment): readonly Command[] {
  const work = async (name: string, options: Readonly<Record<string, string>>): Promise<void> => {
    const { runWorkOnHome } = await import('./work/run-work-on-home.ts')
    await runWorkOnHome(env, name, options)
  }
  return [checkCommand(work), backupCommand(work), ...simpleCommands(work), ...offlineCommands(env)]
}

type RunWork = (name: string, options: Readonly<Record<string, string>>) => Promise<void>

interface CheckFlags {
  readonly quick?: true
  readonly incremental?: true
  readonly quarantine: boolean
}

function checkCommand(work: RunWork): Command {
  return new Command('check')
    .description('look for damage; what is found is a line on standard output, and status 1')
    .addOption(
      new Option('--full', 'read every byte (the default)').conflicts(['quick', 'incremental']),
    )
    .addOption(new Option('--quick', 'compare the sizes of files only').conflicts('incremental'))
    .option('--incremental', 'read the bytes that were not read for 30 days')
    .option('--no-quarantine', 'leave damaged files where they are')
    .action(({ quick, incremental, quarantine }: CheckFlags) =>
      work('check', {
        depth: quick ? 'quick' : incremental ? 'incremental' : 'full',
        quarantine: String(quarantine),
      }),
    )
}

function simpleCommands(work: RunWork): readonly Command[] {
  return [
    new Command('gc')
      .description('remove bytes that no row has named for a day; prints their ids')
      .action(() => work('gc', {})),
    new Command('reindex')
      .description('make the search index anew')
      .action(() => work('reindex', {})),
  ]
}

function backupCommand(work: RunWork): Command {
  return new Command('backup')
    .description('make a backup, while the daemon runs or not; prints its path')
    .argument('<dir>', 'folder that it becomes; there must be none yet')
    .option('--copy', 'copy every file, even where one file could have two names')
    .action((target: string, { copy }: { readonly copy?: true }) =>
      work('backup', { target: resolve(target), share: String(!copy) }),
    )
}

/** What needs the home for itself. */
function offlineCommands(env: Environment): readonly Command[] {
  return [
    new Command('restore')
      .description('bring a backup back into an empty home')
      .argument('<dir>', 'folder of the backup')
      .option('--with-tokens', 'bring back tokens, clients and the keys of the issuer as well')
      .action(async (source: string, { withTokens }: { readonly withTokens?: true }) => {
        const { restore } = await import('./work/restore.ts')
        const options = { source: resolve(source), withTokens: String(withTokens ?? false) }
        await runOffline(env, restore, options)
      }),
    new Command('rebuild')
      .description('make a lost database anew, from the manifests of what was published')
      .action(async () => {
        const { rebuild } = await import('./work/rebuild.ts')
        await runOffline(env, rebuild, {})
      }),
    new Command('move')
      .description('copy the home to PostgreSQL, to S3, or back into a folder')
      .option('--to <place>', 'postgres://…, or the folder of a home: where the rows go')
      .option('--storage <url>', 's3://…: where the bytes go')
      .action(async (options: { readonly to?: string; readonly storage?: string }) => {
        const { move } = await import('./work/move.ts')
        await runOffline(env, move, options)
      }),
    new Command('migrate')
      .description('bring the database up to this program, after a copy of it was kept')
      .action(async () => {
        const { migrate } = await import('./work/migrate.ts')
        await runOffline(env, migrate, {})
      }),
  ]
}

async function runOffline(
  env: Environment,
  work: OfflineWork,
  options: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const offline = await import('./work/offline.ts')
  await offline.runOffline(env, work, options)
}
