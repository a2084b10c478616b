import type { PublishedDeposit } from '../deposit/deposit.ts'
import { refused } from '../errors/errors.ts'
import type { DepositAction } from './action.ts'
import { findLatest, publishedFields } from './published-record.ts'

/** Gives up the changes of an edited draft: the last published version is restored. */
export const discard: DepositAction = {
  summary: 'Discard the changes since the last publish',
  updatesRecord: 'draft',
  freesRoom: true,

  async run(deposit, { unit, schemas }): Promise<PublishedDeposit> {
    if (deposit.status === 'published') throw refused('discard', 'nothing_edited')
    if (!deposit.record) throw refused('discard', 'nothing_to_discard')
    const record = await findLatest(unit, deposit.record)
    await unit.files.restoreOrder(deposit.bucket)
    const { base, ...draft } = deposit
    const published = record.deposit.base
    return {
      ...draft,
      ...publishedFields(record, deposit.schema, schemas),
      ...(published === undefined ? {} : { base: published }),
      status: 'published',
    }
  },
}
