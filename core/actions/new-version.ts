import { requirePublished } from '../deposit/transitions.ts'
import { newDraft } from '../deposit/new-draft.ts'
import { newBucketId } from '../files/file.ts'
import { mintDepositPid } from '../pid/deposit-pid.ts'
import type { DepositAction } from './action.ts'
import { findLatest, publishedFields } from './published-record.ts'

/** Opens a new draft with the metadata and files of a published one; no byte is copied. */
export const newVersion: DepositAction = {
  summary: 'Open a draft of a new version of the record',

  async run(deposit, { unit, schemas, now }) {
    requirePublished(deposit, 'newversion')
    const latest = await findLatest(unit, deposit.record)
    const { metadata, schema } = publishedFields(latest, deposit.schema, schemas)
    const pid = mintDepositPid()
    const bucket = newBucketId()
    const draft = {
      ...newDraft({ id: pid.value, bucket, owner: deposit.createdBy, schema, metadata, now }),
      owners: deposit.owners,
      predecessor: latest.value,
    }
    await unit.pids.insert(pid)
    await unit.deposits.insert(draft)
    await unit.files.carryOver(deposit.bucket, bucket)
    return draft
  },
}
