import { bodyOf, send } from '../../support/http.ts'
import { startDaemon, type Daemon, type Draft } from '../daemon.ts'
import { smallDocument as json } from '../small-document.ts'
import type { Measurement, Target } from '../target.ts'
import { seconds } from '../timing.ts'

/** Deposits that are shared before anything is measured. */
const shared = 50

/** People, links and comments of each of them. */
const each = 20

/** Requests of a round. */
const requests = 200

const target = {
  against: () => 'the same where nothing is shared',
  unit: 'ms',
} as const satisfies Partial<Target>

const among = `with ${each} people, links and comments on each of ${shared} deposits`

/** What people cost who decide about every request. */
export const people: Measurement = {
  targets: [
    { ...target, id: 'P24a', what: () => `creating a deposit ${among}`, reach: { atMost: 1.15 } },
    { ...target, id: 'P24b', what: () => 'PUT of 4 KiB to one of them', reach: { atMost: 1.05 } },
    { ...target, id: 'P24c', what: () => 'GET of one of them', reach: { atMost: 1.05 } },
  ],
  obstacle: () => undefined,
  prepare: async (workshop, stack) => {
    const plain = stack.use(await startDaemon(await workshop.home(stack)))
    const busy = stack.use(await startDaemon(await workshop.home(stack)))
    const alone = await plain.draft()
    let draft = await busy.draft()
    await share(busy, draft)
    for (let count = 1; count < shared; count += 1) {
      draft = await busy.draft()
      await share(busy, draft)
    }
    return async () => ({
      P24a: { reference: await creating(plain), measured: await creating(busy) },
      P24b: { reference: await putting(plain, alone), measured: await putting(busy, draft) },
      P24c: { reference: await reading(plain, alone), measured: await reading(busy, draft) },
    })
  },
}

async function share({ token }: Daemon, { links: { self } }: Draft): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const post = async (below: string, body: object) =>
    bodyOf(await send('POST', self + below, { headers, json: body }), 201)
  for (let n = 0; n < each; n += 1) {
    await post('/people', { user: `person${n}@example.org`, role: 'editor' })
    await post('/links', { role: 'reader', label: `Reviewer ${n}` })
    await post('/comments', { text: `Comment ${n}.` })
  }
}

const creating = (daemon: Daemon): Promise<number> =>
  perRequest(daemon, 'POST', () => `${daemon.url}/api/deposits`, { json }, 201)

const putting = (daemon: Daemon, { links: { bucket } }: Draft): Promise<number> => {
  const body = Buffer.alloc(4096, 'x')
  return perRequest(daemon, 'PUT', (n) => `${bucket}/file${n}`, { body }, [200, 201])
}

const reading = (daemon: Daemon, { links: { self } }: Draft): Promise<number> =>
  perRequest(daemon, 'GET', () => self, {}, 200)

type Sent = { readonly json?: object; readonly body?: Buffer }

/** Milliseconds that a request takes, one after another. */
async function perRequest(
  { token }: Daemon,
  method: string,
  urlOf: (n: number) => string,
  sent: Sent,
  wanted: number | readonly number[],
): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  const statuses = [wanted].flat()
  const took = await seconds(async () => {
    for (let n = 0; n < requests; n += 1) {
      const { status } = await send(method, urlOf(n), { headers, ...sent })
      if (!statuses.includes(status)) throw new Error(`${method} ${urlOf(n)}: ${status}`)
    }
  })
  return (took * 1000) / requests
}
