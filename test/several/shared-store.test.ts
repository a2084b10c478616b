import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runDepositd } from '../support/depositd.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { hasS3, s3Credentials, startS3 } from '../support/s3.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

describe.skipIf(!hasPostgres() || !hasS3())('daemons of one service on one bucket', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('start together on an empty one, and each keeps a rebuild away until it has ended', async () => {
    await using postgres = await startPostgres()
    await using s3 = await startS3()
    await using folder = await temporaryFolder()
    for (const [name, value] of Object.entries(s3Credentials)) vi.stubEnv(name, value)
    const storage = { DEPOSIT_STORAGE_URL: s3.store('shared') }
    const env = { ...storage, DEPOSIT_DATABASE_URL: await postgres.database('shared') }
    const lost = { ...storage, DEPOSIT_DATABASE_URL: await postgres.database('empty') }
    const other = join(folder.path, 'other')

    const [first, second] = await Promise.all([testDaemon({ env }), testDaemon({ env })])
    const ada = first.as('ada')
    await ada.publish(await ada.createDraftWith('a.csv'))
    await ada.createDraftWith('b.csv')
    // At its end a daemon has written all manifests.
    await first[Symbol.asyncDispose]()

    // A third one, with a mistake in its settings.
    const wrong = { ...env, DEPOSIT_STORAGE_URL: s3.store('shared/pre') }
    await expect(testDaemon({ env: wrong })).rejects.toThrow('is not the store of its service')
    const checked = await runDepositd(join(folder.path, 'third'), ['config', 'check'], wrong)
    expect(checked.status).toBe(78)
    expect(checked.stderr).toContain('it has no mark, and not the newest 2 files')
    await (await testDaemon({ env }))[Symbol.asyncDispose]()

    const refused = await runDepositd(other, ['rebuild'], lost)
    expect(refused.status).toBe(75)
    expect(refused.stderr).toContain(`with the home ${second.home}`)

    await second[Symbol.asyncDispose]()
    const rebuilt = await runDepositd(other, ['rebuild'], lost)
    expect(rebuilt.status).toBe(0)
    expect(rebuilt.stderr).toContain('Rebuilt 1 record, 1 revision, 1 file')
    expect(rebuilt.stderr).toContain('Set 1 file without a manifest aside')
    await expect(testDaemon({ env })).rejects.toThrow('are those of the service')
    await using _ = await testDaemon({ env: lost })
  })
})
