import { link } from 'node:fs/promises'
import { join } from 'node:path'
import { deposit } from '../command.ts'
import { startDaemon } from '../daemon.ts'
import type { Home } from '../home.ts'
import { peakMemory } from '../memory.ts'
import type { Scale } from '../scale.ts'
import type { Figure, Measurement, Target } from '../target.ts'
import { bytes } from '../units.ts'
import type { Workshop } from '../workshop.ts'

/** The peak memory (VmHWM) of the command line and of a daemon that has done nothing else. */
export const memory: Measurement = {
  targets: [
    ...targetsOf('P4a', 'P4b', ({ hugeFile }) => `\`deposit upload\` of ${bytes(hugeFile)}`),
    ...targetsOf('P4c', 'P4d', ({ hugeFile }) => `\`deposit download\` of ${bytes(hugeFile)}`),
    ...targetsOf(
      'P4e',
      'P4f',
      ({ largeFile }) => `\`deposit upload\` of four of ${bytes(largeFile)} at once`,
    ),
  ],
  obstacle: () => (process.platform === 'linux' ? undefined : 'peak memory is read from /proc'),
  isHeavy: true,
  prepare: async (workshop, stack) => {
    const huge = await workshop.newFile(workshop.scale.hugeFile, stack)
    const four = await fourFiles(workshop, stack)
    return async () => {
      await using round = new AsyncDisposableStack()
      const [home, copy] = [await workshop.home(round), await workshop.folder(round)]
      const [draft, other] = await twoDrafts(home)
      const up = await watched(home, 'upload', draft, huge)
      const down = await watched(home, 'download', draft, '--output', copy)
      const atOnce = await watched(home, 'upload', other, four)
      return {
        P4a: up.daemon,
        P4b: up.command,
        P4c: down.daemon,
        P4d: down.command,
        P4e: atOnce.daemon,
        P4f: atOnce.command,
      }
    }
  },
}

function targetsOf(
  daemon: string,
  command: string,
  what: (scale: Scale) => string,
): readonly Target[] {
  const unit = 'MB'
  return [
    {
      id: daemon,
      what: (scale) => `peak memory of the daemon: ${what(scale)}`,
      unit,
      reach: { atMost: 200 },
    },
    {
      id: command,
      what: (scale) => `peak memory of the command line: ${what(scale)}`,
      unit,
      reach: { atMost: 120 },
    },
  ]
}

async function fourFiles(workshop: Workshop, stack: AsyncDisposableStack): Promise<string> {
  const file = await workshop.file(workshop.scale.largeFile)
  const folder = await workshop.folder(stack)
  for (const name of ['1', '2', '3', '4']) await link(file, join(folder, name))
  return folder
}

async function twoDrafts(home: Home): Promise<readonly [string, string]> {
  await using daemon = await startDaemon(home)
  return [(await daemon.draft()).id, (await daemon.draft()).id]
}

interface Watched {
  readonly daemon: Figure
  readonly command: Figure
}

/** Runs the command at a daemon that was started for it. */
async function watched(home: Home, ...args: readonly string[]): Promise<Watched> {
  await using daemon = await startDaemon(home)
  const command = await deposit(daemon, ...args)
  return { daemon: { measured: peakMemory(daemon.pid) }, command: { measured: command } }
}
