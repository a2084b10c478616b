import { describe, expect, it } from 'vitest'
import { otherHost } from '../../support/other-host.ts'
import { pushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'
import { runCli, type Outcome } from '../../support/run-cli.ts'
import { startDataverse } from '../../support/services/dataverse/dataverse.ts'
import type { DataverseOptions } from '../../support/services/dataverse/store.ts'
import { testDaemon } from '../../support/test-daemon.ts'

const begin = async (options: DataverseOptions = {}) =>
  pushedFolder(remoteKinds.Dataverse, await startDataverse(options))

describe('a dataset', () => {
  it('is pulled from the object store behind it without the token', async () => {
    let origin = ''
    await using store = await otherHost('127.0.0.1', () => origin)
    await using there = await begin({ downloadsAt: store.url })
    origin = there.service.url
    await there.write('a.txt', 'level')
    const { stdout } = await there.push('--publish', '--yes')
    await using daemon = await testDaemon()
    const { authorization = '' } = await daemon.as('ada').authorization()
    const { status } = await runCli(['pull', `there:${doiIn(stdout)}`], {
      folder: there.dir,
      environment: {
        DEPOSIT_URL: daemon.origin,
        DEPOSIT_TOKEN: authorization.replace('Bearer ', ''),
      },
    })

    expect(status).toBe(0)
    expect(store.got).toHaveLength(1)
    expect(store.got[0]).not.toHaveProperty('x-dataverse-key')
  })
})

const doiIn = (text: Outcome['stdout']): string => /10\.\S+/.exec(text)?.[0] ?? ''
