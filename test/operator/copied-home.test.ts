import { randomUUID } from 'node:crypto'
import { cp, readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { actionsScope, writeScope } from '../../core/contract/scopes.ts'
import { operateHere } from '../support/depositd.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { startStrictS3, type StrictS3 } from '../support/strict-s3.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { User } from '../support/user.ts'
import { filledDaemon, newBucket as bucketOf } from './marked-bucket.ts'

let s3: StrictS3
beforeAll(async () => {
  s3 = await startStrictS3()
})
afterAll(() => s3[Symbol.asyncDispose]())

/** As the user that the copied rows have. */
async function signIn({ url, operate }: TestDaemon): Promise<User> {
  const scope = `${writeScope} ${actionsScope}`
  const asked = { user: 'ada@example.org', scope, expires: 'never' }
  const token = await operate('token create', asked)
  return new User(url, async () => token)
}

const dayMs = 86_400_000

/**
 * A home whose copy was used on the same bucket: the rows here do not know what was published with
 * the copy. All blobs are two days old, and one is of nobody.
 */
async function olderHome(use: (ada: User, first: DepositBody) => Promise<void>, manifests: number) {
  const bucket = bucketOf(s3)
  const folder = await temporaryFolder()
  const [home, copy] = [join(folder.path, 'home'), join(folder.path, 'copy')]
  await (await filledDaemon(bucket, home))[Symbol.asyncDispose]()
  await cp(home, copy, { recursive: true, preserveTimestamps: true })
  const before = bucket.keys('blobs/')
  {
    await using daemon = await testDaemon({ home: copy, env: bucket.env })
    const ada = await signIn(daemon)
    const { hits } = (await ada.search('size=100')).hits
    const first = hits.find(({ links }) => 'record' in links)
    if (first) await use(ada, first)
    await expect.poll(() => bucket.keys('records/')).toHaveLength(manifests)
  }
  const published = bucket.keys('blobs/').filter((key) => !before.includes(key))
  const stray = randomUUID()
  bucket.put(`blobs/${stray}`, 'of nobody')
  bucket.ageBlobs(2 * dayMs)
  /** As an operator who may lose what was done with the copy. */
  const accept = (): void => bucket.put('service.json', '{"service":"any"}')
  const gc = () => operateHere(home, ['gc'], bucket.env)
  return {
    bucket,
    home,
    copy,
    folder: folder.path,
    published,
    stray,
    accept,
    gc,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

const publishTwo = async (ada: User): Promise<void> => {
  await ada.publish(await ada.createDraftWith('c.csv', 'd.csv'))
  await ada.publish(await ada.createDraftWith('e.csv'))
}

describe('depositd gc with rows that are older than what was published', () => {
  it('keeps the bytes of every manifest in the store, and says whose they are', async () => {
    await using older = await olderHome(publishTwo, 3)
    const { bucket, published, stray } = older
    older.accept()

    const { status, stdout, stderr } = await older.gc()

    expect([status, stdout]).toEqual([0, `${stray}\n`])
    expect(published).toHaveLength(3)
    expect(bucket.keys('blobs/')).toEqual(expect.arrayContaining(published))
    expect(stderr).toContain('does not have the records or revisions of 2 manifests, such as ')
    expect(stderr).toContain('Kept their files: 3 blobs (15 B).')
  })

  it('tells it as check does', async () => {
    await using older = await olderHome(publishTwo, 3)
    const [id = ''] = older.published.map((key) => key.split('/').at(-1))

    const { status, stdout } = await operateHere(older.home, ['check'], older.bucket.env)

    const lines = stdout.split('\n')
    expect(status).toBe(1)
    expect(lines.filter((line) => line.startsWith('strange\tmanifest\t'))).toHaveLength(2)
    expect(lines.find((line) => line.includes(id))).toMatch(
      /^strange\tblob\t.*is a file of \S+@0, which the database does not have$/,
    )
    expect(lines.filter((line) => line.startsWith('garbage\t'))).toEqual([
      `garbage\tblob\t${older.stray}\tis named by no row; see gc`,
    ])
  })

  it('tells it in a quick check, too', async () => {
    await using older = await olderHome(publishTwo, 3)

    const quick = await operateHere(older.home, ['check', '--quick'], older.bucket.env)

    const lines = quick.stdout.split('\n')
    expect(quick.status).toBe(1)
    expect(lines.filter((line) => /^strange\tblob\t.*is a file of \S+@0/.test(line))).toHaveLength(
      3,
    )
    expect(lines.filter((line) => line.startsWith('garbage\t'))).toEqual([
      `garbage\tblob\t${older.stray}\tis named by no row; see gc`,
    ])
  })

  it('removes nothing while one of these manifests is damaged', async () => {
    await using older = await olderHome(publishTwo, 3)
    const { bucket, home } = older
    older.accept()
    const before = bucket.keys('blobs/')
    const records = bucket.keys('records/').map((key) => key.slice(key.indexOf('records/')))
    const known = await operateHere(home, ['check'], bucket.env)
    const strange = records.find((key) => known.stdout.includes(key.split('/')[1] ?? '?')) ?? ''
    bucket.put(strange, '{}')

    const refused = await older.gc()

    expect([refused.status, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain(`damaged (${strange.split('/')[1]}@0)`)
    expect(bucket.keys('blobs/')).toEqual(before)
    bucket.remove(strange)
    expect(await older.gc()).toMatchObject({ status: 0 })
    expect(bucket.keys('blobs/')).not.toContain(older.stray)
  })

  it('keeps no bytes for a record that was withdrawn for good', async () => {
    const names: string[] = []
    await using older = await olderHome(async (ada, first) => {
      names.push((await ada.record(first)).id)
      await ada.publish(await ada.edit(first))
    }, 2)
    const { bucket, home } = older
    older.accept()
    const [value = ''] = names
    const before = bucket.keys('blobs/')
    const withdraw = ['record', 'withdraw', value, '--reason', 'copyright', '--destroy-bytes']
    expect(await operateHere(home, withdraw, bucket.env)).toMatchObject({ status: 0 })
    const [destroyed = ''] = before.filter((key) => !bucket.keys('blobs/').includes(key))
    // Of a removal that failed, say.
    bucket.put(destroyed.slice(destroyed.indexOf('blobs/')), 'a.csv', new Date(0))

    const { stdout, stderr } = await older.gc()

    expect(stderr).toContain('of 1 manifest')
    expect(stdout.split('\n')).toContain(destroyed.split('/').at(-1))
    expect(bucket.keys('blobs/')).not.toContain(destroyed)
  })
})

describe('a home whose copy was used on the same bucket since', () => {
  it('is not served, and its commands change nothing; the copy is served on', async () => {
    await using older = await olderHome(publishTwo, 3)
    const { bucket, home, copy } = older
    const before = bucket.keys()
    const refusal = `on ${hostname()} with the home ${copy}, and ${home} does not know of it`

    await expect(testDaemon({ home, env: bucket.env })).rejects.toThrow(refusal)
    for (const command of [
      ['gc'],
      ['config', 'check'],
      ['move', '--to', join(older.folder, 'c')],
    ]) {
      const { status, stderr } = await operateHere(home, command, bucket.env)
      expect([command, status, stderr]).toEqual([command, 78, expect.stringContaining(refusal)])
    }

    expect(bucket.keys()).toEqual(before)
    await (await testDaemon({ home: copy, env: bucket.env }))[Symbol.asyncDispose]()
    await (await testDaemon({ home: copy, env: bucket.env }))[Symbol.asyncDispose]()
  })

  it('is served once the operator accepts it, and the copy is not', async () => {
    await using older = await olderHome(publishTwo, 3)
    const { bucket, home, copy, published } = older

    older.accept()
    await (await testDaemon({ home, env: bucket.env }))[Symbol.asyncDispose]()
    await (await testDaemon({ home, env: bucket.env }))[Symbol.asyncDispose]()

    await expect(testDaemon({ home: copy, env: bucket.env })).rejects.toThrow('does not know of it')
    expect(bucket.keys('blobs/')).toEqual(expect.arrayContaining(published))
  })

  it('is served where an earlier version used the bucket last, or the home forgot its processes', async () => {
    await using older = await olderHome(publishTwo, 3)
    const { bucket, home, copy } = older
    const { last, ...mark } = JSON.parse(bucket.markText() ?? '{}') as Record<string, object>
    expect(last).toMatchObject({ home: copy, host: hostname() })

    bucket.put('service.json', JSON.stringify(mark))
    await (await testDaemon({ home, env: bucket.env }))[Symbol.asyncDispose]()
    await expect(testDaemon({ home: copy, env: bucket.env })).rejects.toThrow('does not know of it')
    await rm(join(copy, 'stores.json'))
    await (await testDaemon({ home: copy, env: bucket.env }))[Symbol.asyncDispose]()
  })
})

describe('a service whose rows are moved into the home of older ones', () => {
  it('is served there', async () => {
    await using older = await olderHome(publishTwo, 3)
    const { bucket, home, copy } = older
    for (const name of await readdir(home))
      if (name.startsWith('deposit.db')) await rm(join(home, name))

    const move = ['move', '--to', home, '--storage', bucket.env.DEPOSIT_STORAGE_URL]
    expect(await operateHere(copy, move, bucket.env)).toMatchObject({ status: 0 })
    await (await testDaemon({ home: copy, env: bucket.env }))[Symbol.asyncDispose]()
    await using _ = await testDaemon({ home, env: bucket.env })
  })
})

describe('an older backup that is restored and moved to the bucket', () => {
  it('is served, keeps what was published since, and the home from before is not', async () => {
    const bucket = bucketOf(s3)
    await using folder = await temporaryFolder()
    const at = (name: string): string => join(folder.path, name)
    const run = async (home: string, args: readonly string[], env = {}) =>
      expect([args, await operateHere(at(home), args, env)]).toEqual([
        args,
        expect.objectContaining({ status: 0 }),
      ])
    await (await filledDaemon(bucket, at('home')))[Symbol.asyncDispose]()
    await run('home', ['move', '--to', at('folder')], bucket.env)
    await run('folder', ['backup', at('backup')])
    const before = bucket.keys('blobs/')
    {
      await using daemon = await testDaemon({ home: at('home'), env: bucket.env })
      await publishTwo(await signIn(daemon))
    }
    const published = bucket.keys('blobs/').filter((key) => !before.includes(key))
    bucket.ageBlobs(2 * dayMs)

    await run('restored', ['restore', at('backup')])
    await run('restored', ['move', '--storage', bucket.env.DEPOSIT_STORAGE_URL])
    await (await testDaemon({ home: at('restored'), env: bucket.env }))[Symbol.asyncDispose]()
    await run('restored', ['gc'], bucket.env)

    expect(published).toHaveLength(3)
    expect(bucket.keys('blobs/')).toEqual(expect.arrayContaining(published))
    await expect(testDaemon({ home: at('home'), env: bucket.env })).rejects.toThrow(
      'does not know of it',
    )
  })
})

describe.skipIf(!hasPostgres())(
  'rows that were moved to a server, and a copy of their home',
  () => {
    it('are not used on one bucket, at the same time or in turn', async () => {
      await using postgres = await startPostgres()
      await using folder = await temporaryFolder()
      const url = await postgres.migrated()
      const [home, copy] = [join(folder.path, 'home'), join(folder.path, 'copy')]
      const bucket = bucketOf(s3)
      await (await filledDaemon(bucket, home))[Symbol.asyncDispose]()
      await cp(home, copy, { recursive: true, preserveTimestamps: true })
      expect(await operateHere(home, ['move', '--to', url], bucket.env)).toMatchObject({
        status: 0,
      })
      const server = { home, env: { ...bucket.env, DEPOSIT_DATABASE_URL: url } }
      {
        await using _ = await testDaemon({ home: copy, env: bucket.env })
        await expect(testDaemon(server)).rejects.toThrow('are in use: by depositd')
      }
      await (await testDaemon(server))[Symbol.asyncDispose]()

      const older = testDaemon({ home: copy, env: bucket.env })
      await expect(older).rejects.toThrow('The rows here are older than the bytes')
      await (await testDaemon(server))[Symbol.asyncDispose]()
    })
  },
)
