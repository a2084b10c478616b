import { execFileSync } from 'node:child_process'
import { cp, mkdir, readdir } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operateHere } from '../support/depositd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { User } from '../support/user.ts'
import { actionsScope, writeScope } from '../../core/contract/scopes.ts'
import { homeWithData } from './home-with-data.ts'
import { filledDaemon, useBuckets } from './marked-bucket.ts'

const newBucket = useBuckets()

async function folders() {
  const folder = await temporaryFolder()
  return {
    at: (name: string): string => join(folder.path, name),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

const copyHome = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, preserveTimestamps: true })

describe('a copy of a home whose daemon runs, on the same bucket', () => {
  it('is not moved, neither with its bytes nor without them, and nothing is made at the target', async () => {
    const [bucket, other] = [newBucket(), newBucket()]
    await using places = await folders()
    const { at } = places
    await using _ = await filledDaemon(bucket, at('home'))
    // By another process: this one would lose its lock of the home.
    execFileSync('cp', ['-a', at('home'), at('copy')])
    const before = bucket.keys()

    for (const target of [
      ['--to', at('there')],
      ['--to', at('there'), '--storage', bucket.env.DEPOSIT_STORAGE_URL],
      ['--to', at('there'), '--storage', other.env.DEPOSIT_STORAGE_URL],
      ['--storage', other.env.DEPOSIT_STORAGE_URL],
    ]) {
      const { status, stderr } = await operateHere(at('copy'), ['move', ...target], bucket.env)
      const said = expect.stringContaining(`with the home ${at('home')}`) as unknown
      expect([target, status, stderr]).toEqual([target, 75, said])
      expect(stderr).not.toContain('can be removed')
    }

    expect(existsSync(at('there'))).toBe(false)
    expect(bucket.keys()).toEqual(before)
    expect(other.keys()).toEqual([])
  })
})

describe('a move from a bucket', () => {
  it('says that the bytes there may be those of another home as well', async () => {
    const bucket = newBucket()
    await using places = await folders()
    const { at } = places
    await (await filledDaemon(bucket, at('home')))[Symbol.asyncDispose]()

    const { status, stderr } = await operateHere(
      at('home'),
      ['move', '--to', at('there')],
      bucket.env,
    )

    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(/ can be removed\. Before you do, /),
    ])
    expect(stderr).toContain('make sure that no other home uses s3://')
  })

  it('names files of records that the rows do not know, and has nothing removed there', async () => {
    const bucket = newBucket()
    await using places = await folders()
    const { at } = places
    await (await filledDaemon(bucket, at('home')))[Symbol.asyncDispose]()
    await copyHome(at('home'), at('copy'))
    const { recid, blobs } = await publishWith(at('copy'), bucket)
    bucket.put('service.json', '{"service":"any"}')

    const move = ['move', '--to', at('there')]
    const { status, stderr } = await operateHere(at('home'), move, bucket.env)

    expect(status).toBe(0)
    expect(stderr).toContain(
      `of 1 manifest, such as ${recid}@0: their files, 2 blobs, were not copied`,
    )
    expect(stderr).toContain(`Start the daemon with DEPOSIT_HOME=${at('there')}`)
    expect(stderr).toContain('Remove nothing of s3://')
    expect(stderr).not.toContain('can be removed')
    expect(blobs).toHaveLength(2)
    expect(bucket.keys('blobs/')).toEqual(expect.arrayContaining(blobs))
    const json = await operateHere(
      at('home'),
      [...move.slice(0, 2), at('further'), '--json'],
      bucket.env,
    )
    expect(JSON.parse(json.stdout)).toMatchObject({ left: { blobs: 2, manifests: 1 } })
  })
})

/** Publishes a record of two files, and returns it and their objects. */
async function publishWith(home: string, { env, keys }: ReturnType<typeof newBucket>) {
  const before = keys('blobs/')
  await using daemon = await testDaemon({ home, env })
  const scope = `${writeScope} ${actionsScope}`
  const asked = { user: 'ada@example.org', scope, expires: 'never' }
  const token = await daemon.operate('token create', asked)
  const ada = new User(daemon.url, async () => token)
  const published = await ada.publish(await ada.createDraftWith('c.csv', 'd.csv'))
  await expect.poll(() => keys('records/')).toHaveLength(2)
  const { id: recid } = await ada.record(published)
  return { recid, blobs: keys('blobs/').filter((key) => !before.includes(key)) }
}

describe('a move that is refused for the bytes at its target', () => {
  it('leaves no home in a new folder, and an empty folder empty', async () => {
    const taken = newBucket()
    await using home = await homeWithData()
    await using places = await folders()
    const { at } = places
    await mkdir(at('empty'), { mode: 0o700 })
    const refused = async (status: number): Promise<void> => {
      for (const there of [at('there'), at('empty')]) {
        const move = ['move', '--to', there, '--storage', taken.env.DEPOSIT_STORAGE_URL]
        expect(await operateHere(home.path, move)).toMatchObject({ status })
        expect(await operateHere(there, ['user', 'list'])).toMatchObject({ status: 66 })
      }
      expect(existsSync(at('there'))).toBe(false)
      expect(await readdir(at('empty'))).toEqual([])
    }
    {
      await using _ = await filledDaemon(taken, at('other'))
      await refused(75)
    }

    await refused(78)
  })
})
