import { describe, expect, it } from 'vitest'
import { createDeposits, sweep, type DepositId } from '../../core/index.ts'
import { clockOf } from '../../core/ports/clock.ts'
import type { NewIdentifier } from '../../core/ports/identifiers.ts'
import { coreParts, owner as caller } from '../support/core-parts.ts'

const year = 365 * 24 * 60 * 60_000

function doiFor(deposit: DepositId): NewIdentifier {
  const subject = deposit.slice(0, 10)
  const value = `10.5072/${subject}`
  const url = `https://doi.org/${value}`
  return { value, provider: 'datacite', scheme: 'doi', url, of: 'record', subject, deposit }
}

describe('A deleted draft whose reserved DOI was found to be registered', () => {
  it('is kept after its retention, and one without is removed', async () => {
    await using stack = new AsyncDisposableStack()
    const real = await coreParts(stack)
    const time = { passedMs: 0 }
    const clock = clockOf({
      wall: () => Date.now() + time.passedMs,
      count: () => performance.now() + time.passedMs,
    })
    const parts = { ...real, clock }
    const { database } = parts
    const deposits = createDeposits(parts)
    const [known, alone] = [await deposits.create(caller, {}), await deposits.create(caller, {})]
    const dois = [known, alone].map(({ id }) => doiFor(id))
    await database.write(async ({ identifiers }) => {
      await identifiers.reserve(dois, clock.now())
    })
    for (const { id } of [known, alone]) await deposits.remove(caller, id, false)
    await database.write(async ({ identifiers }) => {
      await identifiers.meet([dois[0]?.value ?? ''], clock.now())
    })
    time.passedMs = year
    await sweep(parts)

    const left = (id: DepositId) => database.write((unit) => unit.deposits.findHidden(id))
    expect([await left(known.id), await left(alone.id)]).toEqual([
      expect.objectContaining({ deposit: expect.objectContaining({ id: known.id }) as unknown }),
      undefined,
    ])
    expect(await database.read.identifiers.find(dois[0]?.value ?? '')).toBeDefined()
    expect(await database.read.identifiers.find(dois[1]?.value ?? '')).toBeUndefined()
  })
})
