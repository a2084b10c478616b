import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import {
  createDeposits,
  createFiles,
  createUploads,
  sweep,
  toFileKey,
  type Parts,
} from '../../core/index.ts'
import { clockOf } from '../../core/ports/clock.ts'
import { hashSecret } from '../../daemon/sign-in/identity/secret.ts'
import { coreParts, owner as caller } from '../support/core-parts.ts'

const hour = 60 * 60_000
const year = 365 * 24 * hour

/** The core with a clock that is set while it runs. */
async function partsAndClock(stack: AsyncDisposableStack) {
  const real = await coreParts(stack)
  const time = { aheadMs: 0, passedMs: 0 }
  const clock = clockOf({
    wall: () => Date.now() + time.aheadMs + time.passedMs,
    count: () => performance.now() + time.passedMs,
  })
  return { parts: { ...real, clock }, time }
}

/** One of each thing that expires: an upload, a deletion, an answer, a sign-in. */
async function leaveYoungThings(parts: Parts) {
  const { database, clock } = parts
  const deposits = createDeposits(parts)
  const [draft, deleted] = [await deposits.create(caller, {}), await deposits.create(caller, {})]
  const uploads = createUploads(parts, createFiles(parts))
  const request = { caller, id: draft.id }
  const wish = { key: toFileKey('a'), size: 10, replaces: false, metadata: {} }
  const upload = await uploads.begin(request, wish)
  await uploads.append(request, upload.id, Readable.from([Buffer.from('hello')]), { offset: 0 })
  await deposits.remove(caller, deleted.id, false)
  const expires = new Date(Date.parse(clock.now()) + hour / 2).toISOString()
  const hash = hashSecret('a token')
  await database.write(async (unit) => {
    const answer = { request: '', answer: '{}', created: clock.now() }
    await unit.answers.put({ user: caller.user, key: 'once', ...answer }, '')
    await unit.issuer.put({ kind: 'AccessToken', hash, payload: {}, expires })
  })
  return async () => {
    const kept = {
      upload: await parts.blobs.uploads.find(upload.id),
      deletion: await database.write((unit) => unit.deposits.findHidden(deleted.id)),
      answer: await database.read.answers.find(caller.user, 'once'),
      token: await database.read.issuer.find('AccessToken', hash),
    }
    return Object.entries(kept).flatMap(([name, found]) => (found === undefined ? [] : [name]))
  }
}

const all = ['upload', 'deletion', 'answer', 'token']

describe('A sweep', () => {
  it('removes nothing when a leap of the clock does not last', async () => {
    await using stack = new AsyncDisposableStack()
    const { parts, time } = await partsAndClock(stack)
    const kept = await leaveYoungThings(parts)

    time.aheadMs = 12 * year
    await sweep(parts)
    expect(await kept()).toEqual(all)
    time.aheadMs = -12 * year
    await sweep(parts)

    expect(await kept()).toEqual(all)
  })

  it('removes what has expired when the clock has stayed ahead for an hour', async () => {
    await using stack = new AsyncDisposableStack()
    const { parts, time } = await partsAndClock(stack)
    const kept = await leaveYoungThings(parts)
    time.aheadMs = 12 * year
    await sweep(parts)

    time.passedMs = hour
    await sweep(parts)

    expect(await kept()).toEqual([])
  })

  it('removes what has expired when no clock was set', async () => {
    await using stack = new AsyncDisposableStack()
    const { parts, time } = await partsAndClock(stack)
    const kept = await leaveYoungThings(parts)

    time.passedMs = year
    await sweep(parts)

    expect(await kept()).toEqual([])
  })
})
