import { Client, timeEach } from './client.ts'
import { deposit } from './command.ts'
import { curlAs } from './curl.ts'
import type { Daemon } from './daemon.ts'
import { requestRate } from './load.ts'
import type { Scale } from './scale.ts'
import { asked, searchFor } from './searches.ts'
import { smallDocument } from './small-document.ts'
import { folderOf, sendFiles } from './small-files.ts'
import { bytes, thousands } from './units.ts'
import type { Workshop } from './workshop.ts'

/** Work that keeps a daemon busy for a while. */
export interface Busy {
  /** The load, as a clause. */
  readonly what: (scale: Scale) => string
  /** Number of deposits in the home at the start. */
  readonly deposits?: (scale: Scale) => number
  /** Makes everything needed, owned by `stack`; resolves to a function that does the work once. */
  readonly prepare: (
    daemon: Daemon,
    workshop: Workshop,
    stack: AsyncDisposableStack,
  ) => Promise<() => Promise<unknown>>
}

const four = ['1', '2', '3', '4'] as const

export const sending: Busy = {
  what: ({ largeFile }) => `four files of ${bytes(largeFile)} are sent`,
  prepare: async ({ draft, token }, workshop) => {
    const file = await workshop.file(workshop.scale.largeFile)
    const { links } = await draft()
    const put = (name: string) => curlAs(token, '-T', file, `${links.bucket}/${name}`)
    return () => Promise.all(four.map(put))
  },
}

export const fetching: Busy = {
  what: ({ largeFile }) => `four files of ${bytes(largeFile)} are fetched`,
  prepare: async ({ draft, token }, workshop) => {
    const { links } = await draft()
    const url = `${links.bucket}/large.bin`
    await curlAs(token, '-T', await workshop.file(workshop.scale.largeFile), url)
    return () => Promise.all(four.map(() => curlAs(token, url)))
  },
}

export const sendingSmall: Busy = {
  what: ({ manyFiles }) => `\`deposit upload\` sends ${thousands(manyFiles)} files of 4 KiB`,
  prepare: async (daemon, workshop, stack) => {
    const folder = await workshop.folder(stack)
    await folderOf(workshop.scale.manyFiles, folder)
    const { id } = await daemon.draft()
    return () => deposit(daemon, 'upload', id, folder)
  },
}

export const creating: Busy = {
  what: () => '32 connections create deposits',
  prepare: async ({ url, token }, { scale }) => {
    const load = { url: `${url}/api/deposits`, seconds: scale.loadSeconds, token }
    return () => requestRate({ ...load, json: smallDocument })
  },
}

export const publishing: Busy = {
  what: ({ manyFiles }) => `a deposit with ${thousands(manyFiles)} files is published, newversion`,
  prepare: async ({ draft, token }, { scale }) => {
    const { links } = await draft()
    await sendFiles(scale.manyFiles, links.bucket, token)
    return async () => {
      using client = new Client(token)
      await client.time(links.publish, 'POST')
      await client.time(links.newversion, 'POST')
    }
  },
}

export const searching: Busy = {
  what: ({ manyDeposits }) => `an administrator searches ${thousands(manyDeposits)} deposits`,
  deposits: ({ manyDeposits }) => manyDeposits,
  prepare:
    async ({ url, adminToken }, { scale }) =>
    async () => {
      using client = new Client(adminToken)
      await timeEach(
        client,
        asked.map((query) => searchFor(query, url)),
        {
          requests: Number.POSITIVE_INFINITY,
          limitSeconds: scale.loadSeconds,
        },
      )
    },
}
