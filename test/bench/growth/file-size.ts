import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { deposit } from '../command.ts'
import { timedGet, timedPut } from '../curl.ts'
import { startDaemon } from '../daemon.ts'
import { startNginx } from '../nginx.ts'
import { seconds } from '../timing.ts'
import { missing } from '../tools.ts'
import type { Growth } from './curve.ts'
import { medianOf } from './repeat.ts'

const sizes = [2 ** 10, 2 ** 15, 2 ** 20, 2 ** 25, 2 ** 30, 2 ** 32] as const

export const fileSize: Growth = {
  id: 'file-size',
  title: 'Sending and fetching one file',
  x: { label: 'size of the file', unit: 'bytes' },
  y: { label: 'time', unit: 's' },
  obstacle: () => missing('curl', 'nginx'),
  amounts: ({ scale }) => sizes.filter((size) => !scale.isQuick || size <= scale.largeFile),
  prepare: async (workshop, stack) => {
    const nginx = stack.use(await startNginx(await workshop.folder(stack)))
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    return async (size) => {
      await using files = new AsyncDisposableStack()
      const file = await workshop.newFile(size, files)
      const rounds = size > 2 ** 30 ? 3 : 5
      return await medianOf(rounds, async () => {
        const draft = await daemon.draft()
        const url = `${draft.links.bucket}/curl.bin`
        const sent = await timedPut(file, url, daemon.token)
        const fetched = await timedGet(url, daemon.token)
        const command = await seconds(() => deposit(daemon, 'upload', draft.id, file))
        await daemon.remove(draft)
        const nginxPut = await timedPut(file, `${nginx.url}/curl.bin`)
        await rm(join(nginx.root, 'curl.bin'))
        return {
          'PUT by curl': sent,
          'GET by curl': fetched,
          'deposit upload': command,
          'PUT to nginx': nginxPut,
        }
      })
    }
  },
}
