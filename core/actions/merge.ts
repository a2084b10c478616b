import { inTurns } from '../base/give-way.ts'
import { RecordNotFound, refused } from '../errors.ts'
import { mergeKeepingOurs } from '../record/merge.ts'
import type { DepositAction } from './action.ts'
import { findLatest } from './published-record.ts'

/**
 * Takes over what was published since the edit began. What both sides changed stays as the draft has
 * it: so a conflict is settled once the draft says what it shall say, and nothing of it is given up.
 */
export const mergeAction: DepositAction = {
  summary: 'Take over what was published meanwhile, keeping the changes of the draft',

  async run(deposit, { unit }) {
    if (deposit.status === 'published') throw refused('merge', 'nothing_edited')
    if (!deposit.record) throw refused('merge', 'nothing_to_merge')
    const latest = await findLatest(unit, deposit.record)
    const revision = deposit.base ?? deposit.record.revision
    const base = await unit.records.findRevision(latest.value, revision)
    if (!base) throw new RecordNotFound()
    const steps = mergeKeepingOurs(base.metadata, deposit.metadata, latest.metadata)
    return {
      ...deposit,
      metadata: await inTurns(steps),
      record: { ...deposit.record, revision: latest.revision },
      base: latest.revision,
    }
  },
}
