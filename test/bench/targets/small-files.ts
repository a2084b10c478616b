import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { deposit } from '../command.ts'
import { startDaemon } from '../daemon.ts'
import type { Scale } from '../scale.ts'
import { folderOf, sendFiles, writeLocally } from '../small-files.ts'
import type { Measurement, Target } from '../target.ts'
import { seconds } from '../timing.ts'
import { thousands } from '../units.ts'

const target = {
  against: () => 'writing, syncing and renaming them locally, one after another',
  unit: '/s',
  reach: { atLeast: 1.2 },
} as const satisfies Partial<Target>

const files = ({ manyFiles }: Scale): string => `${thousands(manyFiles)} files of 4 KiB`

/** Many small files, by the command line and by requests alone. */
export const smallFiles: Measurement = {
  targets: [
    { ...target, id: 'P5a', what: (scale) => `\`deposit upload\` of a folder of ${files(scale)}` },
    { ...target, id: 'P5b', what: (scale) => `PUT of ${files(scale)}, sixteen at a time` },
  ],
  obstacle: () => undefined,
  prepare: async (workshop, stack) => {
    const count = workshop.scale.manyFiles
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    const [folder, local] = [await workshop.folder(stack), await workshop.folder(stack)]
    await folderOf(count, folder)
    const rateOf = async (work: () => Promise<unknown>) => count / (await seconds(work))
    return async () => {
      const [one, other] = [await daemon.draft(), await daemon.draft()]
      const path = join(local, one.id)
      const reference = await rateOf(() => writeLocally(count, path))
      const byCommand = await rateOf(() => deposit(daemon, 'upload', one.id, folder))
      const byRequests = await rateOf(() => sendFiles(count, other.links.bucket, daemon.token))
      for (const draft of [one, other]) await daemon.remove(draft)
      await rm(path, { recursive: true })
      return {
        P5a: { measured: byCommand, reference },
        P5b: { measured: byRequests, reference },
      }
    }
  },
}
