import { startDaemon } from '../daemon.ts'
import { startEcho } from '../echo.ts'
import { requestRate } from '../load.ts'
import type { Measurement } from '../target.ts'
import { missing } from '../tools.ts'
import { smallDocument as json } from '../small-document.ts'

export const create: Measurement = {
  targets: [
    {
      id: 'P6a',
      what: () => 'creating deposits, 32 connections',
      against: () => 'a bare Fastify that answers the same document',
      unit: '/s',
      reach: { atLeast: 0.2 },
    },
    {
      id: 'P6b',
      what: () => 'creating deposits, 32 connections',
      against: () =>
        'a bare Fastify that inserts it with a transaction each (better-sqlite3, FULL)',
      unit: '/s',
      reach: { atLeast: 2 },
    },
  ],
  obstacle: () => missing('wrk'),
  prepare: async (workshop, stack) => {
    const { loadSeconds: seconds } = workshop.scale
    const echo = stack.use(await startEcho(await workshop.folder(stack)))
    const { url, token } = stack.use(await startDaemon(await workshop.home(stack)))
    return async () => {
      const bare = await requestRate({ url: echo.url, seconds, json })
      const inserting = await requestRate({ url: `${echo.url}/inserts`, seconds, json })
      const measured = await requestRate({ url: `${url}/api/deposits`, seconds, json, token })
      return { P6a: { measured, reference: bare }, P6b: { measured, reference: inserting } }
    }
  },
}

export const read: Measurement = {
  targets: [
    {
      id: 'P7',
      what: () => 'GET of a deposit, 32 connections',
      against: () => 'GET of a bare Fastify',
      unit: '/s',
      reach: { atLeast: 0.4 },
    },
  ],
  obstacle: () => missing('wrk'),
  prepare: async (workshop, stack) => {
    const { loadSeconds: seconds } = workshop.scale
    const echo = stack.use(await startEcho(await workshop.folder(stack)))
    const daemon = stack.use(await startDaemon(await workshop.home(stack)))
    const { links } = await daemon.draft()
    return async () => {
      const reference = await requestRate({ url: echo.url, seconds })
      const measured = await requestRate({ url: links.self, seconds, token: daemon.token })
      return { P7: { measured, reference } }
    }
  },
}
