import { refused } from '../errors/errors.ts'
import type { DepositAction } from './action.ts'
import {
  findLatest,
  publishedFields,
  keepingOurs,
  mergeInUnit,
  prepareMerge,
} from './published-record.ts'
import type { PublishedDeposit } from '../deposit/deposit.ts'

/** Opens a published deposit for changes, starting from the latest revision of its record. */
export const edit: DepositAction = {
  summary: 'Edit the published deposit',
  updatesRecord: 'published',

  async run(deposit, { unit, schemas }) {
    if (deposit.status === 'draft') throw refused('edit', 'edit_not_published')
    const pid = await unit.pids.find(deposit.record)
    if (pid?.status === 'R') throw refused('edit', 'sealed')
    const record = await findLatest(unit, deposit.record)
    // What was accepted was another revision.
    const { review: _, ...rest } = deposit
    return {
      ...rest,
      ...publishedFields(record, deposit.schema, schemas),
      status: 'draft',
      base: record.revision,
    }
  },
}

/** Gives up the changes of an edited draft: the last published version is restored. */
export const discard: DepositAction = {
  summary: 'Discard the changes since the last publish',
  updatesRecord: 'draft',
  freesRoom: true,
  onWithdrawn: true,

  async run(deposit, { unit, schemas }): Promise<PublishedDeposit> {
    if (deposit.status === 'published') throw refused('discard', 'nothing_edited')
    if (!deposit.record) throw refused('discard', 'nothing_to_discard')
    const record = await findLatest(unit, deposit.record)
    await unit.files.restoreOrder(deposit.bucket)
    const { base, review: _, makers: __, ...draft } = deposit
    const published = record.deposit.base
    return {
      ...draft,
      ...publishedFields(record, deposit.schema, schemas),
      ...(published === undefined ? {} : { base: published }),
      status: 'published',
    }
  },
}

/**
 * Takes over the changes published since the edit began. Fields that both sides changed keep the
 * value of the draft: a conflict is settled once the draft is as its owner wants it, and no change
 * of the draft is lost.
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
