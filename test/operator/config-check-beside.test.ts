import { describe, expect, it } from 'vitest'
import { startDaemon } from '../support/daemon-process.ts'
import { operateHere } from '../support/depositd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

describe('depositd config check beside a daemon that runs', () => {
  it('says what a start would say, and asks the daemon for the deposits it has', async () => {
    await using home = await temporaryFolder()
    await using daemon = await testDaemon({ home: home.path })
    await daemon.as('ada').createDraft()

    const { status, stderr } = await operateHere(home.path, ['config', 'check'])

    expect({ status, stderr }).toMatchObject({ status: 0 })
    expect(stderr).toContain('The configuration is valid')
    expect(stderr).not.toContain('Another program')
  })
  it('works beside one in a process of its own, which has the rows for itself', async () => {
    await using daemon = await startDaemon()
    const { status, stderr } = await operateHere(daemon.home, ['config', 'check'])
    expect({ status, stderr }).toMatchObject({ status: 0 })
    expect(stderr).toContain('The configuration is valid')
  })
})
