import { describe, expect, it } from 'vitest'
import { otherHost } from '../../support/other-host.ts'
import { md5 } from '../../support/md5.ts'
import { pushedFolder, type PushedFolder } from '../../support/pushed-folder.ts'
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

  it('is waited for where publishing begins after the answer', async () => {
    await using there = await begin({ workflow: 'late', lockLasts: 3 })
    await there.write('a.txt', 'level')
    const { status, stdout, stderr } = await there.push('--publish', '--yes')

    expect(status).toBe(0)
    expect(stdout).toMatch(/^https:\/\/doi\.org\//)
    expect(there.held()).toMatchObject([{ isPublished: true }])
    expect(stderr).toContain('it is locked there (finalizePublication)')
    expect(stderr.match(/it is locked there/g)).toHaveLength(1)
  })

  it.each([
    ['fails', 'a draft still: its workflow failed, or waits for a person'],
    ['invalid', 'it is locked there: FileValidationFailed'],
  ] as const)('is said to be a draft where publishing %s', async (workflow, words) => {
    await using there = await begin({ workflow })
    await there.write('a.txt', 'level')
    const { status, stdout, stderr } = await there.push('--publish', '--yes')

    expect(status).toBe(5)
    expect(stdout).toBe('')
    expect(stderr).toContain(words)
    expect(there.held()).toMatchObject([{ isPublished: false }])
  })

  it('is restricted and opened as its metadata say, without sending its files again', async () => {
    await using there = await begin()
    await there.write('a.txt', 'level')
    await there.write('b.txt', 'levels')
    await there.push()
    const sent = there.bytesSent()
    await there.describe('access: {files: restricted, reason: Names of persons}\n')
    const restricted = await there.push('--publish', '--yes')
    expect(restricted.stderr).toContain('Restricts 2 files there')
    expect(restricted.status).toBe(0)
    expect(there.held()).toMatchObject([{ isPublished: true, access: 'restricted' }])

    await there.describe('access: {files: public}\n')
    expect((await there.push('--publish', '--yes')).stderr).toContain('--new-version')
    const open = await there.push('--publish', '--yes', '--new-version')
    expect(open.stderr).toContain('Makes public 2 files there')
    expect(open.status).toBe(0)
    expect(there.held()).toMatchObject([{ isPublished: true, access: 'public' }])
    expect(there.bytesSent()).toBe(sent)
  })

  it('is not published where an installation restricts no files', async () => {
    await using there = await begin({ isPublic: true })
    await there.write('a.txt', 'level')
    await there.push()
    await there.describe('access: {files: restricted, reason: Names of persons}\n')
    await there.write('b.txt', 'levels')
    const { status, stderr } = await there.push('--publish', '--yes')

    expect(status).toBe(1)
    expect(stderr).toContain('not permitted on a public installation')
    expect(there.held()).toMatchObject([{ isPublished: false }])
  })

  it.each([
    ['in parts', 300_000],
    ['in one piece', 1_000_000],
  ])('gets a file %s whose presigned addresses expired in the meantime', async (_, partSize) => {
    let seconds = 0
    await using there = await begin({ direct: true, partSize, clock: () => seconds })
    const bytes = Buffer.alloc(700_000, 1)
    await there.write('large.bin', bytes)
    there.service.misbehave({ only: /^PUT \/s3\/.*(?:partNumber=3|AWS4)/, shares: { error: 1 } })
    expect((await there.push('--retries', '0')).status).not.toBe(0)
    there.service.misbehave()
    seconds = 7200
    const { status, stderr } = await there.push('--publish', '--yes')

    expect([status, stderr]).toEqual([0, expect.any(String)])
    expect(there.held()).toMatchObject([{ isPublished: true, files: { 'large.bin': md5(bytes) } }])
  })

  it.each([false, true])('has a file replaced that changed (object store: %s)', async (direct) => {
    await using there = await begin({ direct })
    await there.write('a.txt', 'level')
    await there.push('--publish', '--yes')
    await there.write('a.txt', 'other level')
    const { status } = await there.push('--publish', '--yes', '--new-version')

    expect(status).toBe(0)
    expect(there.held()).toMatchObject([
      { isPublished: true, files: { 'a.txt': md5(Buffer.from('other level')) } },
    ])
    expect(there.asked(/^DELETE/)).toEqual([])
    expect(there.asked(/^POST .*\/replace(?:$|Files)/)).toHaveLength(1)
  })

  it.each([false, true])(
    'has a file deleted and added where it cannot be replaced (object store: %s)',
    async (direct) => {
      await using there = await begin({ direct, replacesUnpublished: false })
      await there.write('a.txt', 'level')
      await there.push()
      await there.write('a.txt', 'other level')

      expect((await there.push()).status).toBe(0)
      expect(there.held()).toMatchObject([{ files: { 'a.txt': md5(Buffer.from('other level')) } }])
    },
  )

  it.each([false, true])(
    'that takes no bytes twice names both files (object store: %s)',
    async (direct) => {
      await using there = await begin({ direct, takesDuplicates: false })
      await there.write('a.txt', 'level')
      await there.push()
      await there.write('sub/b.txt', 'level')
      const { status, stderr } = await there.push()

      expect(status).toBe(1)
      expect(stderr).toContain('sub/b.txt')
      expect(stderr).toContain('the same bytes as a.txt')
      expect(stderr).toContain('already exists in the dataset')
    },
  )

  it('is not made by a user who may not, as the check of the remote says', async () => {
    await using there = await begin({ canAddDataset: false })
    const { status, stdout, stderr } = await there.deposit(['remote', 'check', 'there'])

    expect(status).toBe(4)
    expect(stdout).toBe('')
    expect(stderr).toContain('who may not add datasets to root')
  })
})

describe('an upload to the object store of a Dataverse', () => {
  const large = Buffer.alloc(900_000, 7)

  it('goes on with the parts that did not arrive, and sends no byte again', async () => {
    await using there = await begin({ direct: true, partSize: 300_000 })
    await there.write('large.bin', large)
    there.service.misbehave({ only: /^PUT \/s3\/.*partNumber=2/, shares: { html: 1 } })
    expect((await there.push('--retries', '0')).status).not.toBe(0)
    there.service.misbehave()
    expect((await there.push()).status).toBe(0)

    expect(arrived(there)).toEqual(['1', '2', '3'])
    expect(there.held()).toMatchObject([{ files: { 'large.bin': md5(large) } }])
  })

  it.each([
    ['put together', /^PUT \/api\/datasets\/mpupload/],
    ['registered', /\/addFiles/],
  ])('is not repeated where it could not be %s', async (_, only) => {
    await using there = await begin({ direct: true, partSize: 300_000 })
    await there.write('large.bin', large)
    await there.write('small.txt', 'level')
    there.service.misbehave({ only, shares: { html: 1 } })
    expect((await there.push('--retries', '0')).status).not.toBe(0)
    const sent = there.bytesSent()
    there.service.misbehave()
    expect((await there.push('--publish', '--yes')).status).toBe(0)

    expect(arrived(there)).toEqual(['1', '2', '3'])
    expect(there.bytesSent() - sent).toBeLessThanOrEqual('level'.length)
    expect(there.held()).toMatchObject([{ isPublished: true, files: { 'large.bin': md5(large) } }])
  })
})

/** Numbers of the parts that an object store took. */
const arrived = ({ service }: PushedFolder): readonly string[] =>
  service.requests.flatMap(({ path, status }) =>
    status === 200 ? (/partNumber=(\d+)/.exec(path)?.[1] ?? []) : [],
  )

const doiIn = (text: Outcome['stdout']): string => /10\.\S+/.exec(text)?.[0] ?? ''
