import { Client } from '../client.ts'
import { startDaemon, type Draft } from '../daemon.ts'
import type { Scale } from '../scale.ts'
import { sendFiles } from '../small-files.ts'
import type { Measurement, Target } from '../target.ts'
import { thousands } from '../units.ts'

const few = 10

const target = {
  against: () => `the same with ${few} files`,
  unit: 'ms',
  reach: { atMost: 20 },
} as const satisfies Partial<Target>

const files = ({ manyFiles }: Scale): string => `a deposit with ${thousands(manyFiles)} files`

/** Actions that cost only changes of rows: no byte is copied. */
export const manyFiles: Measurement = {
  targets: [
    { ...target, id: 'P15a', what: (scale) => `publish of ${files(scale)}` },
    { ...target, id: 'P15b', what: (scale) => `newversion of ${files(scale)}` },
  ],
  obstacle: () => undefined,
  prepare: async (workshop, stack) => {
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    const client = stack.use(new Client(daemon.token))
    const draftWith = async (count: number): Promise<Draft> => {
      const draft = await daemon.draft()
      await sendFiles(count, draft.links.bucket, daemon.token)
      return draft
    }
    return async () => {
      const [small, large] = [await draftWith(few), await draftWith(workshop.scale.manyFiles)]
      const compare = async (action: 'publish' | 'newversion') => ({
        reference: await client.time(small.links[action], 'POST'),
        measured: await client.time(large.links[action], 'POST'),
      })
      return { P15a: await compare('publish'), P15b: await compare('newversion') }
    }
  },
}
