import { startDaemon } from '../daemon.ts'
import { startEcho } from '../echo.ts'
import { requestRate } from '../load.ts'
import { smallDocument } from '../small-document.ts'
import { missing } from '../tools.ts'
import type { Growth } from './curve.ts'
import { medianOf } from './repeat.ts'

const counts = [1, 2, 4, 8, 16, 32, 64] as const

export const clients: Growth = {
  id: 'clients',
  title: 'Many clients at once',
  x: { label: 'connections', unit: 'count' },
  y: { label: 'requests', unit: '/s' },
  obstacle: () => missing('wrk'),
  amounts: () => counts,
  prepare: async (workshop, stack) => {
    const { loadSeconds: seconds } = workshop.scale
    const echo = stack.use(await startEcho(await workshop.folder(stack)))
    const { url, token, draft } = stack.use(await startDaemon(await workshop.home(stack)))
    const { links } = await draft()
    return (connections) => {
      const load = { connections, seconds, token }
      return medianOf(3, async () => ({
        'creating deposits': await requestRate({
          ...load,
          url: `${url}/api/deposits`,
          json: smallDocument,
        }),
        'GET of a deposit': await requestRate({ ...load, url: links.self }),
        'GET of a bare Fastify': await requestRate({ ...load, url: echo.url }),
      }))
    }
  },
}
