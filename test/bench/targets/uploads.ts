import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { curl, curlAs } from '../curl.ts'
import { startDaemon, type Draft } from '../daemon.ts'
import { startNginx } from '../nginx.ts'
import type { Scale } from '../scale.ts'
import type { Measurement } from '../target.ts'
import { seconds } from '../timing.ts'
import { missing } from '../tools.ts'
import { bytes } from '../units.ts'

const size = ({ largeFile }: Scale): string => bytes(largeFile)

/** A large file sent by curl, to the service and to an nginx, which computes no digest. */
export const uploads: Measurement = {
  targets: [
    {
      id: 'P1a',
      what: (scale) => `\`curl -T\` of ${size(scale)}`,
      against: () => 'nginx’s PUT',
      unit: 's',
      reach: { atMost: 1.35 },
    },
    {
      id: 'P1b',
      what: (scale) => `\`curl -T\` of ${size(scale)}`,
      against: () => 'nginx’s PUT and a sync of the file',
      unit: 's',
      reach: { atMost: 1.05 },
    },
    {
      id: 'P2',
      what: (scale) => `\`curl -F\` of ${size(scale)}`,
      against: () => 'nginx’s PUT',
      unit: 's',
      reach: { atMost: 1.7 },
    },
  ],
  obstacle: () => missing('curl', 'nginx'),
  prepare: async (workshop, stack) => {
    const { root, url } = stack.use(await startNginx(await workshop.folder(stack)))
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    const file = await workshop.file(workshop.scale.largeFile)
    const send = async (
      toArguments: (links: Draft['links']) => readonly string[],
    ): Promise<number> => {
      const draft = await daemon.draft()
      const took = await seconds(() => curlAs(daemon.token, ...toArguments(draft.links)))
      await daemon.remove(draft)
      return took
    }
    const sendToNginx = async (then: (path: string) => Promise<void>): Promise<number> => {
      const path = join(root, 'large.bin')
      const took = await seconds(async () => {
        await curl('-T', file, `${url}/large.bin`)
        await then(path)
      })
      await rm(path)
      return took
    }
    return async () => {
      const plain = await sendToNginx(async () => {})
      const synced = await sendToNginx(sync)
      const raw = await send(({ bucket }) => ['-T', file, `${bucket}/large.bin`])
      const form = await send(({ files }) => ['-F', `file=@${file}`, files])
      return {
        P1a: { measured: raw, reference: plain },
        P1b: { measured: raw, reference: synced },
        P2: { measured: form, reference: plain },
      }
    }
  },
}

async function sync(path: string): Promise<void> {
  await using file = await open(path)
  await file.sync()
}
