import { Client } from '../client.ts'
import type { Growth } from './curve.ts'
import { grown, hex, upToAMillion } from './grown.ts'
import { secondsOf, secondsToCreate } from './typical.ts'

/** Users and deposits whose entries alternate. */
const users = 1000

export const audit: Growth = {
  id: 'audit',
  title: 'A service of which much is remembered in the audit trail',
  x: { label: 'entries of the audit trail', unit: 'count' },
  ...upToAMillion,
  prepare: async (workshop) => async (count) => {
    await using stack = new AsyncDisposableStack()
    const { daemon, made } = await grown(workshop, stack, {
      make: (first) => first.draft(),
      copy: ({ row, add }, { id }) => {
        const entry = row('audit', `deposit_id = '${id}'`)
        const newest = Date.now()
        for (let n = 1; n <= count; n += 1) {
          const at = newest - n * 1000
          add('audit', {
            ...entry,
            id: hex(at, 12) + String(entry['id']).slice(12),
            at: new Date(at).toISOString(),
            ...(n % users > 0 && { who: `user-${n % users}`, deposit_id: hex(n % users, 32) }),
          })
        }
      },
    })
    using owner = new Client(daemon.token)
    using admin = new Client(daemon.adminToken)
    const trail = `${daemon.url}/api/admin/audit?size=20`
    const yesterday = new Date(Date.now() - 86_400_000).toISOString()
    return {
      'creating a deposit': await secondsToCreate(owner, daemon.url),
      'the newest entries': await secondsOf(admin, [trail]),
      'entries of a user': await secondsOf(admin, [`${trail}&user=user-7`]),
      'entries of a deposit': await secondsOf(admin, [`${trail}&deposit=${made.id}`]),
      'entries of a day': await secondsOf(admin, [`${trail}&since=${yesterday}`]),
    }
  },
}
