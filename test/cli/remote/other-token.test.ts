import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pushedFolder, type PushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'
import { runCli, type Outcome } from '../../support/run-cli.ts'
import { demoToken } from '../../support/services/invenio/store.ts'
import { startZenodo } from '../../support/services/zenodo/zenodo.ts'

const publish = ['--publish', '--yes'] as const
const bob = { token: 'token-of-bob', user: 2 }

/** A folder that ada pushes to a Zenodo where bob has an account, too. */
async function begin(): Promise<PushedFolder> {
  const service = await startZenodo({ limit: Infinity, tokens: [demoToken, bob] })
  const there = await pushedFolder(remoteKinds['Zenodo of today'], service)
  await there.write('a.csv', '1')
  return there
}

const pushAsBob = ({ dir }: PushedFolder, ...more: readonly string[]): Promise<Outcome> =>
  runCli(['push', '--to', 'there', ...publish, ...more], {
    folder: dir,
    environment: { DEPOSIT_REMOTE_THERE_TOKEN: bob.token },
  })

describe('a push with the token of another account makes no second record', () => {
  it.each(['', '--new-version', '--journal'])(
    'of a work whose new version was begun (%s)',
    async (option) => {
      await using there = await begin()
      const journal = option === '--journal' ? ['--journal', join(there.dir, '../journal')] : []
      await there.push(...publish, ...journal)
      await there.write('a.csv', '12')
      await there.push('--new-version', ...journal)
      const before = there.held()

      const options = option === '--new-version' ? [option] : journal
      const refused = await pushAsBob(there, ...options)
      expect(refused.status).toBe(3)
      expect(refused.stderr).toContain('with another token')
      expect(there.held()).toEqual(before)

      expect(await there.push(...publish, ...journal)).toMatchObject({ status: 0 })
      expect(there.held()).toMatchObject([{ isPublished: true }, { isPublished: true }])
    },
  )

  it('of a work that is a draft', async () => {
    await using there = await begin()
    await there.push()
    const refused = await pushAsBob(there)
    expect(refused.status).toBe(3)
    expect(refused.stderr).toContain('is of another account, or was deleted')
    expect(there.held()).toMatchObject([{ isPublished: false }])
    expect(await there.push(...publish)).toMatchObject({ status: 0 })
    expect(there.held()).toMatchObject([{ isPublished: true }])
  })
})
