import type { Actions, DepositAction } from './action.ts'
import { discard, edit, mergeAction } from './edit.ts'
import { newVersion } from './new-version.ts'
import { publish } from './publish.ts'
import { reserve } from './reserve.ts'
import { undo } from './undo.ts'
import { accept, returnDraft, submit, takeBack } from './review.ts'
import { restoreRecord, withdraw } from './withdraw.ts'
import { requirePublished } from '../deposit/deposit.ts'
import { refused } from '../errors/errors.ts'

/** Locks the record for good. Its name is that of the specification; it registers no DOI. */
const register: DepositAction = {
  summary: 'Lock the record for good: it cannot be edited afterwards',

  async run(deposit, { unit }) {
    requirePublished(deposit, 'register')
    const pid = await unit.pids.find(deposit.record)
    if (pid?.status === 'R') throw refused('register', 'registered_already')
    await unit.pids.setStatus(deposit.record, 'R')
    return deposit
  },
}

/** A line here is a route, a link, an entry in the API document and the name of a signal. */
export const actions = {
  publish,
  edit,
  discard,
  merge: mergeAction,
  undo,
  register,
  newversion: newVersion,
  reserve,
  withdraw,
  'restore-record': restoreRecord,
  submit,
  'take-back': takeBack,
  return: returnDraft,
  accept,
} as const satisfies Actions
