import { Command } from 'commander'
import type { ServeOptions } from './config.ts'
import { operatorCommands } from './operator/program.ts'
import { upkeepCommands } from './operator/upkeep-program.ts'
import { exitStatus } from './start-failure.ts'
import { readVersion } from './version.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The command tree of `depositd`. */
export function createProgram(env: Environment): Command {
  const program = new Command('depositd')
    .description('The deposit service: keeps drafts of records with their files and publishes them')
    .option('--version', 'print the version')
    .showHelpAfterError('(depositd --help shows the commands)')
    .exitOverride((error) => {
      process.exit(error.exitCode === 0 ? exitStatus.done : exitStatus.usage)
    })
    .action(async ({ version }: { readonly version?: true }) => {
      const [command] = program.args
      if (command !== undefined) program.error(`error: unknown command '${command}'`)
      if (version) process.stdout.write(`${await readVersion()}\n`)
      else program.help({ error: true })
    })
  program
    .command('serve')
    .description('run the daemon in the foreground')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 takes a free one')
    .option('--allow-network-fs', 'accept a home on the file system of a network')
    .action(async (options: ServeOptions) => {
      const { serve } = await import('./serve.ts')
      await serve(env, options)
    })
  for (const command of [...operatorCommands(env), ...upkeepCommands(env)]) {
    program.addCommand(inherit(command, program))
  }
  // Last, because commands inherit it: what is too much here alone is an unknown command.
  return program.allowExcessArguments()
}

/** Lets commands that were made apart end, and complain, like the program itself. */
function inherit(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent)
  for (const child of command.commands) inherit(child, command)
  return command
}
