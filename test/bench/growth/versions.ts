import { bodyOf, send } from '../../support/http.ts'
import { mintRecid } from '../../../core/pid/record-minters.ts'
import { Client } from '../client.ts'
import type { Draft } from '../daemon.ts'
import { CopiesOfDrafts } from './copies-of-drafts.ts'
import type { Growth } from './curve.ts'
import { grown, hex, upToAMillion, uuidOf } from './grown.ts'
import { secondsOf, secondsToDo } from './typical.ts'

export const versions: Growth = {
  id: 'versions',
  title: 'A data set with many versions',
  x: { label: 'published versions', unit: 'count' },
  ...upToAMillion,
  prepare: async (workshop) => async (count) => {
    await using stack = new AsyncDisposableStack()
    const { daemon, made } = await grown(workshop, stack, {
      make: async (first) => {
        using client = new Client(first.token)
        const draft = await first.draft()
        await client.time(draft.links.publish, 'POST')
        return (await client.json(draft.links.self)) as Published
      },
      copy: (copies, { id }) => {
        const { concept, record } = copies.row('versions', `deposit_id = '${id}'`)
        const revision = copies.row('record_revisions', `pid_value = '${String(record)}'`)
        const pid = copies.row('pids', `pid_value = '${String(record)}'`)
        copies.run(`UPDATE versions SET number = ${count} WHERE deposit_id = '${id}'`)
        const deposits = new CopiesOfDrafts(copies, id)
        const minted = new Set([String(record)])
        for (let number = 1; number < count; number += 1) {
          const value = unused(minted)
          const [own, bucket_id] = [hex(number, 32), uuidOf(number)]
          const deposit = String(revision['deposit']).replaceAll(id, own)
          copies.add('record_revisions', {
            ...revision,
            pid_value: value,
            bucket_id,
            deposit,
            superseded: 1,
          })
          copies.add('pids', { ...pid, pid_value: value, object_uuid: uuidOf(2 ** 32 + number) })
          deposits.add(number, {
            deposits: { record_value: value },
            versions: { concept, number, record: value },
          })
        }
      },
    })
    using owner = new Client(daemon.token)
    const { links } = made
    const headers = { authorization: `Bearer ${daemon.token}` }
    let newest: Draft = made
    return {
      'GET of the newest record': await secondsOf(owner, [links.record]),
      'page of the newest record': await secondsOf(owner, [links.record.replace('/api/', '/')]),
      'its citation': await secondsOf(owner, [`${links.record}/export/bibtex`]),
      'the newest ten versions': await secondsOf(owner, [`${links.record}/versions?size=10`]),
      'a search for it': await secondsOf(owner, [`${daemon.url}/api/records/?q=measuring`]),
      'a further version': await secondsToDo(async () => {
        const started = performance.now()
        newest = bodyOf<Draft>(await send('POST', newest.links.newversion, { headers }), 201)
        await owner.time(newest.links.publish, 'POST')
        return performance.now() - started
      }),
    }
  },
}

/** Among a million identifiers of 40 bits, two may be the same. */
function unused(minted: Set<string>): string {
  let { value } = mintRecid()
  while (minted.has(value)) value = mintRecid().value
  minted.add(value)
  return value
}

interface Published extends Draft {
  readonly links: Draft['links'] & { readonly record: string }
}
