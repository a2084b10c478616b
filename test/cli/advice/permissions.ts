import { expect } from 'vitest'
import { advice } from '../../../cli/advice.ts'
import { operateHere } from '../../support/depositd.ts'
import { testDaemon } from '../../support/test-daemon.ts'
import type { User } from '../../support/user.ts'
import { ada, commandsIn, daemon, draft, follow, refuse, type Asked } from './rig.ts'

/** Runs a command of the operator. */
async function operate(home: string, command = ''): Promise<void> {
  expect(await operateHere(home, command.split(' ').slice(1))).toMatchObject({ status: 0 })
}

/** Hints for those who may not do what they asked for. */
export const ofPermissions = {
  seeOwner: async () => {
    const bob = { as: daemon.as('bob') }
    await refuse(`deposit show ${await draft()}`, advice.seeOwner(), bob)
    expect(await follow(commandsIn(advice.seeOwner())[0], bob)).toContain('bob@example.org')
  },
  askToWithdraw: async () => {
    await using strict = await testDaemon({ env: { DEPOSIT_WITHDRAWAL_DAYS: '0' } })
    const owner = strict.as('ada')
    const there = (as: User): Asked => ({ as, environment: { DEPOSIT_URL: strict.origin } })
    const late = async () => {
      const { id, metadata } = await owner.createPublished()
      const hint = advice.askToWithdraw(id, metadata._deposit?.value ?? '')
      await refuse(`deposit withdraw ${id} --reason test --yes`, hint, there(owner))
      return commandsIn(hint, { REASON: 'test' })
    }
    const [byAdmin] = await late()
    await follow(`${byAdmin} --yes`, there(strict.as('root', { admin: true })))
    const [, byOperator] = await late()
    await operate(strict.home, byOperator)
  },
  askToRestore: async () => {
    const root = daemon.as('root', { admin: true })
    const withdrawnByOther = async () => {
      const { id, metadata } = await ada.createPublished()
      await root.post(`/deposits/${id}/actions/withdraw`, { json: { reason: 'spam' } })
      const hint = advice.askToRestore(id, metadata._deposit?.value ?? '')
      await refuse(`deposit restore-record ${id}`, hint)
      return commandsIn(hint)
    }
    const [byAdmin] = await withdrawnByOther()
    await follow(byAdmin, { as: root })
    const [, byOperator] = await withdrawnByOther()
    await operate(daemon.home, byOperator)
  },
  acceptRevision: async () => {
    const { id } = await ada.createDraft()
    await follow(`deposit submit ${id}`)
    const reviewer = daemon.as('reviewer', { admin: true })
    const hint = advice.acceptRevision(id, `deposit accept ${id} --revision REVISION`)
    await refuse(`deposit accept ${id}`, hint, { as: reviewer })
    const [show, accept] = commandsIn(hint, { REVISION: '1' })
    await follow(show, { as: reviewer })
    expect(await follow(accept, { as: reviewer })).toContain('/records/')
  },
}
