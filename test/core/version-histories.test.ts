import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import type { User } from '../../core/access/caller.ts'
import type { DepositId } from '../../core/pid/deposit-pid.ts'
import type { Deposit, Parts } from '../../core/index.ts'
import { createDeposits, isProblem, runAction } from '../../core/index.ts'
import { collect } from '../support/collect.ts'
import { coreParts, owner } from '../support/core-parts.ts'
import { bob } from '../support/rows.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const parts = await coreParts(stack)
const other: User = { ...owner, user: bob }

const steps = ['create', 'publish', 'edit', 'discard', 'newversion', 'delete', 'hide'] as const

/** Something done to one of the deposits there are, by one of two users. */
interface Step {
  readonly name: (typeof steps)[number]
  readonly which: number
  readonly isOther: boolean
}

/** Those that make versions come more often, and mostly one user is at work. */
const weights = { create: 1, publish: 6, edit: 2, discard: 1, newversion: 6, delete: 1, hide: 1 }

const histories = fc.array(
  fc.record({
    name: fc.constantFrom(
      ...steps.flatMap((name) => Array.from({ length: weights[name] }, () => name)),
    ),
    which: fc.nat(),
    isOther: fc.nat(9).map((number) => number === 0),
  }),
  { minLength: 20, maxLength: 60 },
)

/** The deposits of a history, and the records of each concept in the order of publishing. */
interface Known {
  readonly ids: Set<DepositId>
  readonly chains: Map<string, string[]>
}

it('any history leaves each concept with one chain, and each user with one draft of the next version', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const known: Known = { ids: new Set(), chains: new Map() }
      for (const step of history) await take(parts, known, step)

      const { records, deposits } = parts.database.read
      for (const [concept, values] of known.chains) {
        const found = await records.versions(concept, { offset: 0, limit: 100 })
        expect(found).toEqual({ values: values.toReversed(), total: values.length })
        expect((await records.findNewest(concept))?.value).toBe(values.at(-1))
        for (const [index, value] of values.entries()) {
          const record = await records.find(value)
          expect(record).toMatchObject({
            number: index + 1,
            superseded: index + 1 < values.length,
          })
          expect(record?.predecessor).toBe(values[index - 1])
          if (record) expect(await records.findNext(record)).toBe(values[index + 1])
        }
      }
      const drafts = (await deposits.findAll([...known.ids])).filter(
        ({ record, predecessor }) => !record && predecessor !== undefined,
      )
      const places = drafts.map(({ concept, owners }) => [concept, ...owners].join(' '))
      expect(new Set(places).size).toBe(places.length)
    }),
    // A shorter history would take as long again to find.
    { numRuns: Number(process.env['DEPOSIT_TEST_RUNS'] ?? 40), endOnFailure: true },
  )
  expect(await collect(parts.database.upkeep.inspect('full'))).toEqual([])
}, 120_000)

/** What the state of the deposit refuses changes nothing. */
async function take(into: Parts, known: Known, step: Step): Promise<void> {
  try {
    await attempt(into, known, step)
  } catch (error) {
    if (!isProblem(error)) throw error
  }
}

async function attempt(into: Parts, { ids, chains }: Known, step: Step): Promise<void> {
  const deposits = createDeposits(into)
  const caller = step.isOther ? other : owner
  const id = [...ids][step.which % Math.max(1, ids.size)]
  if (step.name === 'create' || id === undefined) {
    ids.add((await deposits.create(caller, { title: 'Any' })).id)
  } else if (step.name === 'delete' || step.name === 'hide') {
    await deposits.remove(caller, id, step.name === 'delete')
    ids.delete(id)
  } else {
    const before = await into.database.read.deposits.find(id)
    const after = await runAction(into, { caller, id, name: step.name })
    ids.add(after.id)
    if (step.name === 'publish' && before && !before.record) note(chains, after)
  }
}

function note(chains: Map<string, string[]>, { concept, record }: Deposit): void {
  chains.set(concept, [...(chains.get(concept) ?? []), record?.value ?? ''])
}
