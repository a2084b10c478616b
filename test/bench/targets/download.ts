import { link } from 'node:fs/promises'
import { join } from 'node:path'
import { curl, curlAs } from '../curl.ts'
import { startDaemon } from '../daemon.ts'
import { startNginx } from '../nginx.ts'
import type { Measurement } from '../target.ts'
import { seconds } from '../timing.ts'
import { missing } from '../tools.ts'
import { bytes } from '../units.ts'

export const download: Measurement = {
  targets: [
    {
      id: 'P12',
      what: ({ largeFile }) => `GET of a file of ${bytes(largeFile)}`,
      against: () => 'nginx’s static file',
      unit: 's',
      reach: { atMost: 1.3 },
    },
  ],
  obstacle: () => missing('curl', 'nginx'),
  prepare: async (workshop, stack) => {
    const nginx = stack.use(await startNginx(await workshop.folder(stack)))
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    const file = await workshop.file(workshop.scale.largeFile)
    await link(file, join(nginx.root, 'large.bin'))
    const { links } = await daemon.draft()
    await curlAs(daemon.token, '-T', file, `${links.bucket}/large.bin`)
    return async () => ({
      P12: {
        reference: await seconds(() => curl(`${nginx.url}/large.bin`)),
        measured: await seconds(() => curlAs(daemon.token, `${links.bucket}/large.bin`)),
      },
    })
  },
}
