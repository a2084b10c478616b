import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { plain } from '../output/plain.ts'
import { print } from '../output/print.ts'
import { count } from '../output/units.ts'
import type { Examined } from '../doctor/examined.ts'
import { newCommand, type CommonOptions } from './command.ts'

/** `deposit doctor`: what is wrong on this machine, and how to mend it. */
export function doctorCommand(context: CliContext): Command {
  return newCommand('doctor', {
    'deposit doctor': 'when something does not work, or to report that it does not',
    'deposit doctor --json': 'for a report',
  })
    .description(
      'Look at versions, folders, the daemon, the sign-in, the clock and the disk. Each thing that ' +
        'is wrong comes with what to do about it. Nothing is started and nothing changed.',
    )
    .action((options: CommonOptions) => doctor(context, options))
}

async function doctor(context: CliContext, options: CommonOptions): Promise<void> {
  const { streams } = context
  const { examine } = await import('../doctor/examine.ts')
  const found = await examine(context, options.insecure === true)
  const faults = found.filter(({ mend }) => mend !== undefined)
  const ids = faults.map(({ what }) => what)
  print(streams, options, { body: found, ids, lines: () => found.flatMap(toLines) })
  if (faults.length > 0) throw unwell(faults.length)
}

function toLines({ what, found, mend }: Examined): readonly string[] {
  const line = `${mend === undefined ? 'ok ' : 'BAD'} ${what.padEnd(9)} ${plain(found)}`
  return mend === undefined ? [line] : [line, `    mend:     ${plain(mend)}`]
}

function unwell(number: number): Failure {
  return new Failure(
    {
      tried: 'find everything in order',
      said: `${count(number, 'thing')} to mend`,
      next: 'do what stands behind "mend:" and run `deposit doctor` again',
    },
    { exitCode: exitCodes.failed },
  )
}
