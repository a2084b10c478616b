import { advice } from '../advice.ts'
import type { Command } from 'commander'
import type { CliContext } from '../session/context.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { plain } from '../plain.ts'
import { print, wrap } from '../output/print.ts'
import type { Streams } from '../output/streams.ts'
import { count } from '../output/units.ts'
import type { Examined } from '../check/examine.ts'
import { newCommand, type CommonOptions } from './command.ts'

/** `deposit doctor`: finds what is wrong on this machine, and how to fix it. */
export function doctorCommand(context: CliContext): Command {
  return newCommand('doctor', {
    'deposit doctor': 'if something does not work',
    'deposit doctor --json': 'for a report',
  })
    .description(
      'Check versions, folders, the daemon, the sign-in, the clock and the disk, and say how to ' +
        'fix each problem. Nothing is started and nothing is changed.',
    )
    .action((options: CommonOptions) => doctor(context, options))
}

async function doctor(context: CliContext, options: CommonOptions): Promise<void> {
  const { streams } = context
  const { examine } = await import('../check/examine.ts')
  const found = await examine(context, options)
  const faults = found.filter(({ fix }) => fix !== undefined)
  const ids = faults.map(({ what }) => what)
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: streams.hasColor ? 1 : 0 })
  const lines = () => found.flatMap((one) => toLines(streams, one, chalk.bold.red))
  print(streams, options, { body: found, ids, lines })
  if (faults.length > 0) throw unwell(faults.length)
}

function toLines(
  { isOutTerminal, columns }: Streams,
  { what, found, fix }: Examined,
  mark: (text: string) => string,
): readonly string[] {
  const width = isOutTerminal ? columns : Infinity
  const line = `${what.padEnd(9)} ${plain(found)}`
  if (fix === undefined) return wrap(`ok  ${line}`, width)
  const [first = '', ...rest] = wrap(`BAD ${line}`, width)
  return [first.replace('BAD', mark('BAD')), ...rest, ...wrap(`    fix:      ${plain(fix)}`, width)]
}

function unwell(number: number): Failure {
  return new Failure(
    {
      headline: `found ${count(number, 'thing')} to fix`,
      tried: 'find everything in order',
      said: 'each is marked BAD on standard output',
      next: advice.followFixes(),
    },
    { exitCode: exitCodes.failed },
  )
}
