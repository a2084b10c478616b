import { describe, expect, it } from 'vitest'
import { pushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'

interface Checked {
  readonly account: string | null
  readonly message: string
}

describe.each(['Zenodo of today', 'InvenioRDM', 'Dataverse', 'figshare'] as const)(
  'the check of a remote (%s)',
  (name) => {
    const under = remoteKinds[name]

    it('says whose token it is, to programs by the name or number of the account alone', async () => {
      if (under === undefined) throw new Error(`there is no ${name}`)
      await using there = await pushedFolder(under, await under.start())
      const check = async (...more: readonly string[]) =>
        (await there.deposit(['remote', 'check', 'there', ...more])).stdout
      const empty = JSON.parse(await check('--json')) as Checked
      await there.write('a.csv', '1')
      expect(await there.push()).toMatchObject({ status: 0 })

      const { account, message } = JSON.parse(await check('--json')) as Checked

      expect(account).toMatch(/^\S+( \S+)?$/)
      expect(message).toMatch(/^the token is good, of /)
      expect(message).toContain(account)
      expect(await check()).toContain(message)
      // Zenodo and InvenioRDM tell the owner of a deposit alone.
      const isTold = name === 'Dataverse' || name === 'figshare'
      expect(empty.account).toBe(isTold ? account : null)
    })
  },
)
