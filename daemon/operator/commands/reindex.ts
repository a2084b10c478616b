import { count } from '../../../core/base/amounts.ts'
import { describePlace } from '../../home/place.ts'
import type { OperatorCommand, Work } from '../command/operator-command.ts'

/** `depositd reindex`: makes the search index again from the rows. */
const reindex: Work = async ({ parts, home }, _options, { tell, signal }) => {
  const { database, search } = parts
  await search?.reset()
  let deposits = 0
  for await (const { id, indexed } of database.read.deposits.each({ of: 'deposits' })) {
    signal.throwIfAborted()
    deposits += 1
    if (!indexed) await database.write((unit) => unit.deposits.markIndexed(id, true))
  }
  const records = await database.read.records.count()
  const when = search ? 'is made again' : 'is made when the daemon first needs it'
  tell(
    'note',
    `The index of ${count(deposits, 'deposit')} and ${count(records, 'record')} in ${describePlace(home)} ${when}.`,
  )
  return { ending: 'done', data: { deposits, records } }
}

export const reindexCommand: OperatorCommand = {
  name: 'reindex',
  summary: 'make the search index again, from the rows',
  kind: 'long',
  run: reindex,
}
