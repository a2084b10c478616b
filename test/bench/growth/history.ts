import { bodyOf, send } from '../../support/http.ts'
import { Client } from '../client.ts'
import type { Daemon, Draft } from '../daemon.ts'
import { CopiesOfDrafts } from './copies-of-drafts.ts'
import type { Growth } from './curve.ts'
import { grown, upToAMillion } from './grown.ts'
import { secondsOf, secondsToCreate, secondsToDo } from './typical.ts'

/** Changes that are kept of each draft for a long time. */
const keptEach = 200

export const history: Growth = {
  id: 'history',
  title: 'An owner whose drafts were changed often',
  x: { label: 'changes in the histories of all drafts of an owner', unit: 'count' },
  ...upToAMillion,
  prepare: async (workshop) => async (count) => {
    await using stack = new AsyncDisposableStack()
    const { daemon, made } = await grown(workshop, stack, {
      make: async (first) => {
        const draft = await first.draft()
        for (let n = 1; n <= Math.min(count, keptEach); n += 1) await change(first, draft, n)
        return draft
      },
      copy: (copies, { id }) => {
        const entry = copies.row('history', `deposit_id = '${id}'`)
        const drafts = new CopiesOfDrafts(copies, id)
        for (let draft = 1; draft < count / keptEach; draft += 1) {
          const deposit_id = drafts.add(draft)
          for (let n = 1; n <= keptEach; n += 1)
            copies.add('history', { ...entry, deposit_id, n, ordinal: n })
        }
      },
    })
    using owner = new Client(daemon.token)
    let changes = keptEach
    return {
      'creating a deposit': await secondsToCreate(owner, daemon.url),
      'GET of the draft': await secondsOf(owner, [made.links.self]),
      'changing a title': await secondsToDo(() => change(daemon, made, (changes += 1))),
      'the last ten changes': await secondsOf(owner, [`${made.links.self}/history?size=10`]),
    }
  },
}

/** Changes the title. @returns milliseconds until the answer */
async function change({ token }: Daemon, { links }: Draft, number: number): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  const json = [{ op: 'replace', path: '/title', value: `Title ${number}` }]
  const started = performance.now()
  bodyOf(await send('PATCH', links.self, { headers, json }), 200)
  return performance.now() - started
}
