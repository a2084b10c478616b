import { existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operateHere, spawnDepositd } from '../support/depositd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { filledDaemon, useBuckets, type Bucket } from './marked-bucket.ts'

const newBucket = useBuckets()

describe('a rebuild that is refused while a daemon uses the bucket', () => {
  it('leaves no home where there was none', async () => {
    const bucket = newBucket()
    await using folder = await temporaryFolder()
    const [own, other] = [join(folder.path, 'own'), join(folder.path, 'other')]
    const root = join(folder.path, 'root')
    await using _ = await filledDaemon(bucket, own)
    expect(await operateHere(own, ['export-ocfl', root], bucket.env)).toMatchObject({ status: 0 })

    for (const command of [['rebuild'], ['rebuild', '--from-ocfl', root]]) {
      expect(await operateHere(other, command, bucket.env)).toMatchObject({ status: 75 })
      expect(existsSync(other)).toBe(false)
    }

    expect(await operateHere(other, ['user', 'list'], bucket.env)).toMatchObject({ status: 66 })
  })
})

/** A home whose rebuild was killed, when `kills` said so, and a bucket that is not in use. */
async function killedRebuild(kills: (bucket: Bucket, kill: () => void) => void) {
  const bucket = newBucket()
  const folder = await temporaryFolder()
  const at = (name: string): string => join(folder.path, name)
  await (await filledDaemon(bucket, at('lost')))[Symbol.asyncDispose]()
  const child = spawnDepositd(at('killed'), ['rebuild'], bucket.env)
  kills(bucket, () => child.kill('SIGKILL'))
  expect(await child.ended).toMatchObject({ status: null })
  bucket.age(190_000)
  const rebuild = (home: string) => operateHere(at(home), ['rebuild'], bucket.env)
  return { bucket, at, rebuild, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

/** When it has taken the bytes. */
const late = ({ whenWritten }: Bucket, kill: () => void): void => whenWritten('service.json', kill)

/** When its rows are there, before it takes the bytes: it says twice that it uses them. */
const early = ({ whenWritten }: Bucket, kill: () => void): void =>
  whenWritten('daemons/', () => queueMicrotask(() => whenWritten('daemons/', kill)))

describe.each([
  ['after it took the bytes', late],
  ['before it took the bytes', early],
] as const)('a rebuild that was killed %s', (_, kills) => {
  it('is resumed where they were not used since', async () => {
    await using killed = await killedRebuild(kills)

    const { status, stderr } = await killed.rebuild('killed')

    expect([status, stderr]).toEqual([0, expect.stringContaining('Resuming a rebuild')])
    expect(stderr).toContain('Rebuilt 1 record')
  })

  it('is not resumed on bytes that another home has since, of which nothing is touched', async () => {
    await using killed = await killedRebuild(kills)
    const { bucket, at, rebuild } = killed
    expect(await rebuild('second')).toMatchObject({ status: 0 })
    const second = { home: at('second'), env: bucket.env }
    {
      await using daemon = await testDaemon(second)
      await daemon.as('eve').createDraftWith('draft.csv')
      bucket.age(190_000)
    }
    const [before, mark] = [bucket.keys(), bucket.markText()]

    const { status, stderr } = await rebuild('killed')

    expect([status, stderr]).toEqual([78, expect.stringContaining(`with the home ${at('second')}`)])
    expect([bucket.keys(), bucket.markText()]).toEqual([before, mark])
    await (await testDaemon(second))[Symbol.asyncDispose]()
  })

  it('is not resumed on bytes that another rebuild has taken, and no daemon has used', async () => {
    await using killed = await killedRebuild(kills)
    const { bucket, at, rebuild } = killed
    expect(await rebuild('second')).toMatchObject({ status: 0 })

    const { status, stderr } = await rebuild('killed')

    expect([status, stderr]).toEqual([78, expect.stringContaining('taken over by the service')])
    expect(stderr).toContain(at('second'))
    await using _ = await testDaemon({ home: at('second'), env: bucket.env })
  })
})

describe('a rebuild that was killed, and ended in a copy of its home', () => {
  it('is not resumed once a daemon has used the bytes with that copy', async () => {
    await using killed = await killedRebuild(late)
    const { bucket, at, rebuild } = killed
    await cp(at('killed'), at('copy'), { recursive: true, preserveTimestamps: true })
    expect(await rebuild('copy')).toMatchObject({ status: 0 })
    await (await testDaemon({ home: at('copy'), env: bucket.env }))[Symbol.asyncDispose]()

    const { status, stderr } = await rebuild('killed')

    expect([status, stderr]).toEqual([78, expect.stringContaining(`with the home ${at('copy')}`)])
    await using _ = await testDaemon({ home: at('copy'), env: bucket.env })
  })
})

describe('a rebuild that was killed, of a service whose own home is used again', () => {
  it('is not resumed', async () => {
    await using killed = await killedRebuild(early)
    const { bucket, at, rebuild } = killed
    await (await testDaemon({ home: at('lost'), env: bucket.env }))[Symbol.asyncDispose]()

    const { status, stderr } = await rebuild('killed')

    expect([status, stderr]).toEqual([78, expect.stringContaining(`with the home ${at('lost')}`)])
  })
})
