import { requirePublished } from '../deposit/transitions.ts'
import { refused } from '../errors/errors.ts'
import type { DepositAction } from './action.ts'

/** Registers the record's identifier for good: from then on the record cannot be edited. */
export const register: DepositAction = {
  summary: 'Register the identifier of the record and seal it',

  async run(deposit, { unit }) {
    requirePublished(deposit, 'register')
    const pid = await unit.pids.find(deposit.record)
    if (pid?.status === 'R') throw refused('register', 'registered_already')
    await unit.pids.setStatus(deposit.record, 'R')
    return deposit
  },
}
