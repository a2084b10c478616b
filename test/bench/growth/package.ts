import { Client } from '../client.ts'
import { startDaemon } from '../daemon.ts'
import { firstBytes, publishPackage } from '../packages.ts'
import { sendFiles } from '../small-files.ts'
import { seconds } from '../timing.ts'
import type { Growth } from './curve.ts'
import { medianOf } from './repeat.ts'
import { secondsOf } from './typical.ts'

const counts = [10, 100, 1000, 10_000, 100_000] as const

export const packageFiles: Growth = {
  id: 'package',
  title: 'The package of a record with many files',
  x: { label: 'files of the record', unit: 'count' },
  y: { label: 'time', unit: 's' },
  obstacle: () => undefined,
  amounts: ({ scale }) => counts.filter((count) => count <= scale.packagedFiles),
  prepare: async (workshop) => async (count) => {
    await using stack = new AsyncDisposableStack()
    const env = { DEPOSIT_MAX_FILES: String(count) }
    const daemon = stack.use(await startDaemon({ ...(await workshop.home(stack)), env }))
    const draft = await daemon.draft()
    await sendFiles(count, draft.links.bucket, daemon.token)
    const zip = await publishPackage(daemon, draft)
    using reader = new Client()
    return await medianOf(3, async () => ({
      'JSON of the record': await secondsOf(reader, [zip.replace('/packages/zip', '')]),
      'first byte of the package': await seconds(() => firstBytes(zip)),
      'the whole package': await seconds(() => reader.text(zip)),
    }))
  },
}
