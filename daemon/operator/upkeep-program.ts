import { Command, Option } from 'commander'

type Environment = Readonly<Record<string, string | undefined>>

/** The operator's commands that may take long. */
export function upkeepCommands(env: Environment): readonly Command[] {
  const work = async (name: string, options: Readonly<Record<string, string>>): Promise<void> => {
    const { runWorkOnHome } = await import('./work/run-work-on-home.ts')
    await runWorkOnHome(env, name, options)
  }
  return [checkCommand(work), ...simpleCommands(work)]
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
