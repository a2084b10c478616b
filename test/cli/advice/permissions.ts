import { expect } from 'vitest'
import { advice } from '../../../cli/advice.ts'
import { operateHere } from '../../support/depositd.ts'
import { testDaemon } from '../../support/test-daemon.ts'
import type { User } from '../../support/user.ts'
import { ada, commandsIn, daemon, draft, follow, refuse, run, type Asked } from './rig.ts'

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
  handOver: async () => {
    const carl = daemon.as('carl')
    await carl.get('/me')
    const id = await draft()
    const hint = advice.handOver(id)
    await refuse(`deposit unshare ${id} ada@example.org`, hint)
    for (const command of commandsIn(hint, { EMAIL: 'carl@example.org' })) await follow(command)
  },
  acceptTransfer: async () => {
    const dora = daemon.as('dora')
    await dora.get('/me')
    const id = await draft()
    const { stderr } = await run(`deposit transfer ${id} dora@example.org`)
    expect(stderr).toContain(advice.acceptTransfer(id))
    await follow(commandsIn(advice.acceptTransfer(id))[0], { as: dora })
  },
  seePeople: async () => {
    const id = await draft()
    await refuse(`deposit unshare ${id} no@example.org`, advice.seePeople(id))
    expect(await follow(commandsIn(advice.seePeople(id))[0])).toContain('ada@example.org')
  },
  seeLinks: async () => {
    const id = await draft()
    await follow(`deposit link create ${id} --label Reviewer`)
    await refuse(`deposit link revoke ${id} 00000000`, advice.seeLinks(id))
    expect(await follow(commandsIn(advice.seeLinks(id))[0])).toContain('Reviewer')
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
    await refuse(`deposit accept ${id} --revision 0`, hint, { as: reviewer })
    const [show, accept] = commandsIn(hint, { REVISION: '1' })
    await follow(show, { as: reviewer })
    expect(await follow(accept, { as: reviewer })).toContain('/records/')
  },
}
