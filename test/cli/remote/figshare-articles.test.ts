import { describe, expect, it } from 'vitest'
import { otherHost } from '../../support/other-host.ts'
import { pushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'
import { runCli, type Outcome } from '../../support/run-cli.ts'
import { startFigshare } from '../../support/services/figshare/figshare.ts'
import type { FigshareOptions } from '../../support/services/figshare/store.ts'
import { testDaemon } from '../../support/test-daemon.ts'

const begin = async (options: FigshareOptions = {}) =>
  pushedFolder(remoteKinds.figshare, await startFigshare({ partSize: 300_000, ...options }))

describe('an article of figshare', () => {
  it('with more than ten files is pushed once, is level, and is pulled with all of them', async () => {
    await using there = await begin()
    for (let at = 0; at < 13; at += 1) await there.write(`${at}.txt`, `level ${at}`)
    const first = await there.push('--publish', '--yes')
    expect(first.status).toBe(0)
    expect(there.held()).toMatchObject([{ isPublished: true }])
    expect(Object.keys(there.held()[0]?.files ?? {})).toHaveLength(13)

    const sent = there.bytesSent()
    const again = await there.push('--publish', '--yes')
    expect(again.stderr).toContain('13 files there already')
    expect(again.stdout).toBe(first.stdout)
    expect(there.bytesSent()).toBe(sent)

    await using daemon = await testDaemon()
    const { authorization = '' } = await daemon.as('ada').authorization()
    const environment = {
      DEPOSIT_URL: daemon.origin,
      DEPOSIT_TOKEN: authorization.replace('Bearer ', ''),
    }
    const pulled = await runCli(['pull', `there:${idOf(first)}`], {
      folder: there.dir,
      environment,
    })
    expect(pulled.stderr).toContain('13 files')
  })

  it('is filled through another host without the token, though its name ends alike', async () => {
    let origin = ''
    await using other = await otherHost('127.1.0.1', () => origin)
    await using there = await begin({ filesAt: other.url })
    origin = there.service.url
    await there.write('a.txt', 'level')
    const { status } = await there.push('--publish', '--yes')

    expect(status).toBe(0)
    expect(other.got.length).toBeGreaterThan(1)
    expect(other.got.filter(({ authorization }) => authorization !== undefined)).toEqual([])
  })
})

/** The number of an article, from the address of its DOI. */
const idOf = ({ stdout }: Outcome): string => /\d+$/.exec(stdout.trim())?.[0] ?? ''
