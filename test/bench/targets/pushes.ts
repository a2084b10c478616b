import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bodyOf, send } from '../../support/http.ts'
import { depositWith } from '../command.ts'
import { curlAs } from '../curl.ts'
import { startDaemon, type Daemon } from '../daemon.ts'
import type { Scale } from '../scale.ts'
import { folderOf, sendFiles } from '../small-files.ts'
import type { Measurement } from '../target.ts'
import { seconds } from '../timing.ts'
import { missing } from '../tools.ts'
import { bytes, thousands } from '../units.ts'

const few = ({ manyFiles }: Scale): number => manyFiles / 10

/** A folder that goes to the Zenodo interface of a second daemon, whole commands. */
export const pushes: Measurement = {
  targets: [
    {
      id: 'P23a',
      what: ({ largeFile }) => `\`deposit push\` of ${bytes(largeFile)} to the Zenodo interface`,
      against: () => '`curl -T` of it to that interface',
      unit: 's',
      reach: { atMost: 1.5 },
    },
    {
      id: 'P23b',
      what: (scale) =>
        `\`deposit push\` of ${thousands(few(scale))} files of 4 KiB to the Zenodo interface`,
      against: () => 'PUTs of them to that interface, 8 connections',
      unit: '/s',
      reach: { atLeast: 0.5 },
    },
  ],
  obstacle: () => missing('curl'),
  prepare: async (workshop, stack) => {
    const { largeFile } = workshop.scale
    const count = few(workshop.scale)
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    const [large, small] = [await workshop.folder(stack), await workshop.folder(stack)]
    for (const folder of [large, small])
      await writeFile(join(folder, 'metadata.yaml'), 'title: For measuring\n')
    await folderOf(count, small)
    const file = join(large, 'large.bin')
    await copyFile(await workshop.file(largeFile), file)
    const push = await pusherTo(daemon, await workshop.folder(stack))
    const rateOf = async (work: () => Promise<unknown>) => count / (await seconds(work))
    return async () => {
      const put = await newDraft(daemon)
      const reference = await seconds(() => curlAs(daemon.token, '-T', file, `${put}/put.bin`))
      const measured = await seconds(() => push(large))
      const bucket = await newDraft(daemon)
      const requests = await rateOf(() =>
        sendFiles(count, bucket, daemon.token, { connections: 8 }),
      )
      const pushed = await rateOf(() => push(small))
      await removeAll(daemon)
      return { P23a: { measured, reference }, P23b: { measured: pushed, reference: requests } }
    }
  },
}

const depositions = '/zenodo/api/deposit/depositions'

/** Pushes folders as if each were pushed for the first time. @param own a folder for its state */
async function pusherTo({ url, token }: Daemon, own: string) {
  const environment = { XDG_CONFIG_HOME: own, DEPOSIT_REMOTE_OWN_TOKEN: token }
  const run = (...args: readonly string[]) => depositWith(environment, ...args)
  await run('remote', 'add', 'own', '--kind', 'zenodo', '--url', `${url}/zenodo`)
  let pushes = 0
  return (folder: string) =>
    run('push', folder, '--to', 'own', '--journal', join(own, `journal ${++pushes}`))
}

interface Deposition {
  readonly links: { readonly self: string; readonly bucket: string }
}

/** The address of its files. */
async function newDraft({ url, token }: Daemon): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const reply = await send('POST', url + depositions, { headers, json: {} })
  return bodyOf<Deposition>(reply, 201).links.bucket
}

async function removeAll({ url, token }: Daemon): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const list = await send('GET', `${url}${depositions}?size=100`, { headers })
  for (const { links } of bodyOf<readonly Deposition[]>(list, 200))
    bodyOf<undefined>(await send('DELETE', links.self, { headers }), 204)
}
