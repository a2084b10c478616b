import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
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

  it('takes ten authors: a push of more is not published, and says so', async () => {
    await using there = await begin()
    await there.write('a.txt', 'level')
    const names = Array.from({ length: 12 }, (_, at) => `{name: Author ${at}}`)
    const metadata = await readFile(join(there.dir, 'metadata.yaml'), 'utf8')
    const many = metadata.replace(/creators:\n(?: .*\n)+/, `creators: [${names.join(', ')}]\n`)
    await there.write('metadata.yaml', many)
    const refused = await there.push('--publish', '--yes')
    const draft = await there.push()

    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('figshare takes 10 authors')
    expect(draft.status).toBe(0)
    expect(draft.stderr).toContain('these are 12')
    const [article] = there.service.state() as readonly { readonly metadata?: unknown }[]
    expect(JSON.stringify(article)).toContain('Author 9')
    expect(JSON.stringify(article)).not.toContain('Author 10')
  })

  it('gets a file once more whose bytes failed the check there', async () => {
    await using there = await begin({ failedChecks: 1 })
    await there.write('a.txt', 'level')
    const { status } = await there.push('--publish', '--yes')

    expect(status).toBe(0)
    expect(there.bytesSent()).toBe(2 * 'level'.length)
    expect(there.held()).toMatchObject([{ isPublished: true }])
  })

  it('is not published with a file that fails the check twice, which the failure names', async () => {
    await using there = await begin({ failedChecks: 2 })
    await there.write('a.txt', 'level')
    const { status, stderr } = await there.push('--publish', '--yes')

    expect(status).toBe(5)
    expect(stderr).toContain('could not send a.txt to there\n  its bytes failed the check there')
    expect(there.held()).toMatchObject([{ isPublished: false }])
    expect((await there.push('--publish', '--yes')).status).toBe(0)
  })

  it('goes on with the parts that did not arrive, and sends no other again', async () => {
    await using there = await begin()
    await there.write('large.bin', Buffer.alloc(700_000, 1))
    there.service.misbehave({ only: /^PUT .*\/2$/, shares: { error: 1 } })
    expect((await there.push('--retries', '0')).status).not.toBe(0)
    there.service.misbehave()
    expect((await there.push()).status).toBe(0)

    const arrived = there.service.requests
      .filter(({ method, status }) => method === 'PUT' && status === 200)
      .map(({ path }) => path.replace(/.*\//, ''))
    expect(arrived).toEqual(['1', '2', '3'])
    expect(there.asked(/^PUT .*\/1$/)).toHaveLength(1)
  })

  it.each([
    ['restricted', '', 'deposit does not restrict files on figshare'],
    ['restricted', ', until: 2099-01-01', 'deposit does not set embargoes on figshare'],
  ])('is not made of files that are %s%s, in words', async (files, until, words) => {
    await using there = await begin()
    await there.describe(`access: {files: ${files}${until}}\n`)
    const { status, stderr } = await there.push('--publish', '--yes')

    expect(status).toBe(1)
    expect(stderr).toContain(words)
    expect(there.held()).toEqual([])
  })
})

/** The number of an article, from the address of its DOI. */
const idOf = ({ stdout }: Outcome): string => /\d+$/.exec(stdout.trim())?.[0] ?? ''
