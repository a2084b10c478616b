import { bodyOf, send } from '../../support/http.ts'
import { Client } from '../client.ts'
import type { Daemon } from '../daemon.ts'
import { ownerEmail } from '../home.ts'
import { listOfTen } from '../searches.ts'
import { CopiesOfDrafts } from './copies-of-drafts.ts'
import type { Growth } from './curve.ts'
import { grown, upToAMillion } from './grown.ts'
import { secondsOf, secondsToCreate, secondsToDo } from './typical.ts'

export const people: Growth = {
  id: 'people',
  title: 'A user with whom others share much',
  x: { label: 'deposits that are shared with the user', unit: 'count' },
  ...upToAMillion,
  prepare: async (workshop) => async (count) => {
    await using stack = new AsyncDisposableStack()
    const { daemon, made } = await grown(workshop, stack, {
      make: shareOne,
      copy: (copies, { id }) => {
        const shared = copies.row('deposit_people', `deposit_id = '${id}'`)
        const drafts = new CopiesOfDrafts(copies, id)
        const newest = Date.now()
        for (let n = 1; n < count; n += 1) {
          const updated = new Date(newest - n * 1000).toISOString()
          copies.add('deposit_people', {
            ...shared,
            deposit_id: drafts.add(n, { deposits: { updated } }),
            updated,
          })
        }
      },
    })
    using user = new Client(daemon.token)
    let files = 0
    return {
      'creating a deposit': await secondsToCreate(user, daemon.url),
      'GET of a shared draft': await secondsOf(user, [made.self]),
      'a list of ten': await secondsOf(user, [listOfTen(daemon.url)]),
      'PUT to a shared draft': await secondsToDo(async () => {
        const started = performance.now()
        await user.put(`${made.bucket}/f${(files += 1)}`, Buffer.alloc(4096))
        return performance.now() - started
      }),
      'sharing one more': await secondsToDo(async () => (await shareOne(daemon)).sharingMs),
    }
  },
}

/** A draft of another user, who makes the measured one an editor. */
async function shareOne({ url, adminToken }: Daemon) {
  const headers = { authorization: `Bearer ${adminToken}` }
  const draft = await send('POST', `${url}/api/deposits`, { headers, json: { title: 'Shared' } })
  const { id, links } = bodyOf<{ readonly id: string; readonly links: Links }>(draft, 201)
  const json = { user: ownerEmail, role: 'editor' }
  const started = performance.now()
  bodyOf(await send('POST', `${links.self}/people`, { headers, json }), 201)
  return { id, ...links, sharingMs: performance.now() - started }
}

interface Links {
  readonly self: string
  readonly bucket: string
}
