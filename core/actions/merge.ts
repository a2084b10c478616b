import { refused } from '../errors/errors.ts'
import type { DepositAction } from './action.ts'
import { keepingOurs, mergeInUnit, prepareMerge } from './merge-with-latest.ts'

/**
 * Takes over what was published since the edit began. What both sides changed stays as the draft has
 * it: so a conflict is settled once the draft says what it shall say, and nothing of it is given up.
 */
export const mergeAction: DepositAction = {
  summary: 'Take over the latest published version, keeping the changes of the draft',

  prepare: prepareMerge,

  async run(deposit, { unit, merge }) {
    if (deposit.status === 'published') throw refused('merge', 'nothing_edited')
    if (!deposit.record) throw refused('merge', 'nothing_to_merge')
    const merged = await mergeInUnit(unit.records, deposit, deposit.record, merge)
    const { latest } = merged
    return {
      ...deposit,
      metadata: keepingOurs(merged),
      record: { ...deposit.record, revision: latest.revision },
      base: latest.revision,
    }
  },
}
