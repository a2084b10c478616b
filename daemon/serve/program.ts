import { Command } from 'commander'
import { plainLines } from '../../core/base/plain.ts'
import type { ServeOptions } from '../config/config.ts'
import { readEnvironmentFile } from '../config/environment.ts'
import type { Environment } from '../config/environment.ts'
import { failureOf } from '../operator/command/operator-failure.ts'
import { operatorProgram } from '../operator/program.ts'
import { exitStatus } from '../start-failure.ts'
import { readVersion } from '../version.ts'

/** Runs a command line, and sets the exit status of the process. */
export async function runProgram(env: Environment, words: readonly string[]): Promise<void> {
  try {
    await createProgram(env).parseAsync(words, { from: 'user' })
  } catch (error) {
    const { message, status } = failureOf(error)
    process.stderr.write(`depositd: ${plainLines(message)}\n`)
    process.exitCode = status
  }
}

/** The command tree of `depositd`. */
export function createProgram(env: Environment): Command {
  const program = new Command('depositd')
    .description('The deposit service: keeps drafts of records with their files and publishes them')
    .option('--version', 'print the version')
    .option(
      '--environment-file <file>',
      'read settings (NAME=VALUE) that the environment does not have',
    )
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
  const environment = (): Promise<Environment> =>
    withFile(env, program.opts<{ readonly environmentFile?: string }>().environmentFile)
  program
    .command('serve')
    .description('run the daemon in the foreground')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 takes a free one')
    .option('--log-file <file>', 'add the log to a file, in place of standard error')
    .option('--allow-network-fs', 'accept a home on the file system of a network')
    .action(async (options: ServeOptions) => {
      const { serve } = await import('./serve.ts')
      await serve(await environment(), options)
    })
  const commands = operatorProgram(async (command, options, asJson) => {
    const { runCommand } = await import('../operator/run-command.ts')
    await runCommand(await environment(), command, options, asJson)
  })
  for (const command of commands) program.addCommand(inherit(command, program))
  // Last, because commands inherit it: only here is an excess argument an unknown command.
  return program.allowExcessArguments()
}

/**
 * The environment with the settings of a file. Those that other libraries read, such as
 * `PGPASSFILE`, reach them as well.
 *
 * @throws {StartFailure} it cannot be read or believed
 */
async function withFile(env: Environment, path: string | undefined): Promise<Environment> {
  if (path === undefined) return env
  const file = await readEnvironmentFile(path)
  for (const [name, value] of Object.entries(file)) process.env[name] ??= value
  return { ...file, ...env }
}

/** Lets commands that were made apart end, and complain, like the program itself. */
function inherit(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent)
  for (const child of command.commands) inherit(child, command)
  return command
}
