import { count } from './amounts.ts'
import type { Work } from './work.ts'

/** `depositd reindex`: makes the search index anew from the rows. */
export const reindex: Work = async ({ parts }, _options, { tell, signal }) => {
  const { database, search } = parts
  await search?.reset()
  let deposits = 0
  for await (const { id, indexed } of database.read.deposits.each({ of: 'deposits' })) {
    signal.throwIfAborted()
    deposits += 1
    if (!indexed) await database.write((unit) => unit.deposits.markIndexed(id, true))
  }
  const records = await database.read.records.count()
  const when = search ? 'is made anew' : 'is made when the daemon first needs it'
  tell(
    'note',
    `The index of ${count(deposits, 'deposit')} and ${count(records, 'record')} ${when}.`,
  )
  return 'done'
}
