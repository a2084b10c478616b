import { deposit } from '../command.ts'
import { curlAs } from '../curl.ts'
import { startDaemon } from '../daemon.ts'
import type { Measurement } from '../target.ts'
import { seconds } from '../timing.ts'
import { missing } from '../tools.ts'
import { bytes } from '../units.ts'

/** The command line sends a large file and compares digests; the time includes its start. */
export const commandUpload: Measurement = {
  targets: [
    {
      id: 'P3',
      what: ({ largeFile }) => `\`deposit upload\` of ${bytes(largeFile)}`,
      against: () => '`curl -T` of it (P1)',
      unit: 's',
      reach: { atMost: 1.6 },
    },
  ],
  obstacle: () => missing('curl'),
  prepare: async (workshop, stack) => {
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    const file = await workshop.file(workshop.scale.largeFile)
    return async () => {
      const draft = await daemon.draft()
      const put = `${draft.links.bucket}/put.bin`
      const reference = await seconds(() => curlAs(daemon.token, '-T', file, put))
      const measured = await seconds(() => deposit(daemon, 'upload', draft.id, file))
      await daemon.remove(draft)
      return { P3: { measured, reference } }
    }
  },
}
