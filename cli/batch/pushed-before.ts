import { placeOf } from '../remote/place.ts'
import { readPushed } from '../remote/push-journal.ts'
import { shownAddress } from '../remote/push-plan.ts'
import { readRemotes } from '../remote/remotes.ts'
import type { CliContext } from '../session/context.ts'
import type { Entry } from './journal.ts'
import type { Row } from './row.ts'

/** The journal of the pushes of a row. @param journals their folder */
export function journalOfRow({ identity }: Row, journals: string) {
  return { key: `row ${identity}`, journals }
}

/**
 * What earlier runs made of rows at a remote, as their journals have it; nobody is asked.
 *
 * @param to name of the remote
 * @param journals their folder
 */
export async function pushedBefore(
  context: CliContext,
  { to, journals }: { readonly to: string; readonly journals: string },
  rows: readonly Row[],
): Promise<ReadonlyMap<string, Entry>> {
  const remote = (await readRemotes(context)).find(({ name }) => name === to)
  if (remote === undefined) return new Map()
  const entries = await Promise.all(
    rows.map(async (row) => {
      const versions = await readPushed(context, placeOf({ remote }), journalOfRow(row, journals))
      const last = versions.findLast(({ url }) => url !== undefined)
      if (last?.id === undefined || last.url === undefined) return []
      const { id, url, doi, marker: key } = last
      const status = last.published === true ? 'published' : 'draft'
      const entry = { row: row.identity, key, id, url: shownAddress({ status, url, doi }) }
      return [[row.identity, entry] as const]
    }),
  )
  return new Map(entries.flat())
}
