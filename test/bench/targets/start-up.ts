import { fileURLToPath } from 'node:url'
import { deposit } from '../command.ts'
import { startDaemon } from '../daemon.ts'
import { median } from '../statistics.ts'
import type { Measurement } from '../target.ts'
import { run, seconds } from '../timing.ts'
import { thousands } from '../units.ts'

const program = fileURLToPath(new URL('../../../cli/bin.mjs', import.meta.url))

/** Runs of each command in a round: a start is short and easily disturbed. */
const runs = 9

const against = (): string => '`node -e 0`'

/** Whole commands, with the time that a person waits for them. */
export const commands: Measurement = {
  targets: [
    { id: 'P13a', what: () => '`deposit --version`', against, unit: 's', reach: { atMost: 1.6 } },
    { id: 'P13b', what: () => '`deposit list`', against, unit: 's', reach: { atMost: 4 } },
  ],
  obstacle: () => undefined,
  prepare: async (workshop, stack) => {
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    for (let drafts = 0; drafts < 10; drafts++) await daemon.draft()
    const kinds = [
      () => run(process.execPath, ['-e', '0']),
      () => run(process.execPath, [program, '--version']),
      () => deposit(daemon, 'list'),
    ]
    return async () => {
      const times = kinds.map((): number[] => [])
      for (let round = 0; round < runs; round++) {
        for (const [kind, work] of kinds.entries()) times[kind]?.push(await seconds(work))
      }
      const [reference = 0, version = 0, list = 0] = times.map(median)
      return { P13a: { measured: version, reference }, P13b: { measured: list, reference } }
    }
  },
}

/** A daemon that starts on an existing home. */
export const start: Measurement = {
  targets: [
    {
      id: 'P11',
      what: ({ depositsAtStart }) =>
        `start of \`depositd\` until it listens, ${thousands(depositsAtStart)} deposits`,
      against: () => 'the same in an empty home',
      unit: 'ms',
      reach: { atMost: 2 },
    },
  ],
  obstacle: () => undefined,
  prepare: async (workshop, stack) => {
    const empty = await workshop.home(stack)
    const full = await workshop.homeWith(workshop.scale.depositsAtStart)
    return async () => {
      const [reference, measured] = [await readyIn(empty), await readyIn(full)]
      return { P11: { measured, reference } }
    }
  },
}

async function readyIn(home: Parameters<typeof startDaemon>[0]): Promise<number> {
  await using daemon = await startDaemon(home)
  return daemon.readyMs
}
