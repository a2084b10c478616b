import { plain } from '../../plain.ts'
import type { RemoteHttp } from './remote-http.ts'
import type { Withdrawal } from './repository.ts'
import { objectOf, textOf } from './values.ts'

/**
 * What Zenodo and InvenioRDM tell of a record that was withdrawn: they answer 410 with a tombstone.
 *
 * @param id of a record; others are not asked for
 * @see https://inveniordm.docs.cern.ch/operate/ops/record_deletion/
 */
export async function askForTombstone(
  http: RemoteHttp,
  id: string | undefined,
): Promise<Withdrawal | undefined> {
  if (id === undefined || !/^[\w-]+$/.test(id)) return undefined
  const tried = `read ${id} on ${http.name}`
  const expected = [400, 401, 403, 404, 405, 410]
  const path = `/api/records/${encodeURIComponent(id)}`
  const { status, json } = await http.ask({ tried, method: 'GET', path, expected })
  if (status !== 410) return undefined
  const { removal_date, removal_reason, note } = objectOf(objectOf(json)['tombstone'])
  const { id: kind, title } = objectOf(removal_reason)
  const words = textOf(objectOf(title)['en']) ?? textOf(kind) ?? textOf(removal_reason)
  const said = [words, textOf(note)].filter((each) => each !== undefined && each !== '')
  const [day] = /^\d{4}-\d\d-\d\d/.exec(textOf(removal_date) ?? '') ?? []
  return {
    ...(day !== undefined && { day }),
    ...(said.length > 0 && { reason: plain(said.join(', ')).slice(0, longestReason) }),
  }
}

const longestReason = 500
