import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDeposits, type Deposit, type Parts } from '../../core/index.ts'
import { claimRoom } from '../../core/service/limits.ts'
import { coreParts, owner } from '../support/core-parts.ts'

/** More than one file may have, and less than two. */
const room = 150

describe('the room of a quota, taken by bytes that arrive', () => {
  let stack: AsyncDisposableStack
  let parts: Parts
  let deposit: Deposit
  /** Where a request for room is to wait, and from where on it does. */
  let held: {
    readonly reached: PromiseWithResolvers<void>
    readonly go: PromiseWithResolvers<void>
  }

  beforeEach(async () => {
    stack = new AsyncDisposableStack()
    const real = await coreParts(stack)
    const { read } = real.database
    deposit = await createDeposits(real).create(owner, { title: 'Streams' })
    const used = await read.usage.metadata(owner.user)
    held = { reached: Promise.withResolvers(), go: Promise.withResolvers() }
    const database = {
      ...real.database,
      read: {
        ...read,
        trash: {
          ...read.trash,
          bytesOf: async (user: typeof owner.user) => {
            held.reached.resolve()
            await held.go.promise
            return read.trash.bytesOf(user)
          },
        },
      },
    }
    const settings = { ...real.settings, quota: used + room, maxFileSize: 100 }
    parts = { ...real, database, settings }
  })
  afterEach(() => stack.disposeAsync())

  const claim = (size?: number) =>
    claimRoom(parts, { caller: owner, deposit }, size === undefined ? {} : { size })

  it('is not taken twice by two whose length is unknown', async () => {
    using first = await claim()
    first.take(60)
    const asking = claim()
    await held.reached.promise
    first.take(40)
    held.go.resolve()
    using second = await asking

    second.take(50)
    expect(() => second.take(1)).toThrow(/quota/)
  })

  it('is free again where its bytes were refused meanwhile', async () => {
    const first = await claim()
    first.take(60)
    const asking = claim(95)
    await held.reached.promise
    first[Symbol.dispose]()
    held.go.resolve()

    using second = await asking
    expect(second.size).toBe(95)
  })
})
