import { refused } from '../errors/errors.ts'
import type { DepositAction } from './action.ts'
import { findLatest, publishedFields } from './published-record.ts'

/** Opens a published deposit for changes, starting from the latest revision of its record. */
export const edit: DepositAction = {
  summary: 'Edit the published deposit',
  updatesRecord: 'published',

  async run(deposit, { unit, schemas }) {
    if (deposit.status === 'draft') throw refused('edit', 'edit_not_published')
    const pid = await unit.pids.find(deposit.record)
    if (pid?.status === 'R') throw refused('edit', 'sealed')
    const record = await findLatest(unit, deposit.record)
    return {
      ...deposit,
      ...publishedFields(record, deposit.schema, schemas),
      status: 'draft',
      base: record.revision,
    }
  },
}
