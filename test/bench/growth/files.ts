import { Client } from '../client.ts'
import { startDaemon } from '../daemon.ts'
import { sendFiles } from '../small-files.ts'
import type { Growth } from './curve.ts'
import { medianOf } from './repeat.ts'

const counts = [1, 10, 100, 1000, 10_000] as const

export const files: Growth = {
  id: 'files',
  title: 'A deposit with many files',
  x: { label: 'files of the deposit', unit: 'count' },
  y: { label: 'time', unit: 's' },
  obstacle: () => undefined,
  amounts: ({ scale }) => counts.filter((count) => count <= scale.manyFiles),
  prepare: async (workshop, stack) => {
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    const client = stack.use(new Client(daemon.token))
    const seconds = async (milliseconds: Promise<number>) => (await milliseconds) / 1000
    return (count) =>
      medianOf(5, async () => {
        const { links } = await daemon.draft()
        await sendFiles(count - 1, links.bucket, daemon.token)
        const started = performance.now()
        await client.put(`${links.bucket}/last`, Buffer.alloc(4096))
        return {
          'PUT of the last': (performance.now() - started) / 1000,
          'GET of the deposit': await seconds(client.time(links.self)),
          'list of the files': await seconds(client.time(links.files)),
          publish: await seconds(client.time(links.publish, 'POST')),
          newversion: await seconds(client.time(links.newversion, 'POST')),
        }
      })
  },
}
