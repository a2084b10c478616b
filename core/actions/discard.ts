import type { PublishedDeposit } from '../deposit/deposit.ts'
import { requireDraft } from '../deposit/transitions.ts'
import { InvalidAction } from '../errors.ts'
import type { DepositAction } from './action.ts'
import { findLatest, publishedFields } from './published-record.ts'

/** Gives up the changes of an edited draft: the last published version is restored. */
export const discard: DepositAction = {
  summary: 'Discard the changes since the last publish',
  updatesRecord: 'draft',

  async run(deposit, { unit, schemas }): Promise<PublishedDeposit> {
    requireDraft(deposit, 'discard')
    if (!deposit.record) {
      throw new InvalidAction('discard', 'The draft was never published: delete it instead.')
    }
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
