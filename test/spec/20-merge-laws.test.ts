import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../core/base/json.ts'
import { merge } from '../support/merge-at-once.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')
const curator = daemon.as('curator', { admin: true })

/** The full run is `npm run test:faults -- merge-laws`: 500 cases, and more of them below HTTP. */
const numRuns = Math.min(Number(process.env['DEPOSIT_TEST_RUNS'] ?? 25), 500)

const word = fc.constantFrom('a', 'b', 'c')
const words = fc.array(word, { maxLength: 4 })
const orcid = fc.constantFrom('0000-0002-1825-0097', '0000-0001-5109-3700', '0000-0002-1694-233X')
const person = fc.record({ name: word, orcid }, { noNullPrototype: true })
const document: fc.Arbitrary<JsonObject> = fc.record(
  {
    title: word,
    keywords: words,
    creators: fc.uniqueArray(person, { maxLength: 3, selector: (it) => it.orcid }),
    matrix: fc.array(fc.array(fc.nat(2), { maxLength: 2 }), { maxLength: 2 }),
    notes: fc.oneof(word, fc.constant('')),
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<JsonObject>

/** Publishes `base`, then `ours` by an edit while a curator makes it `theirs`. */
async function publishBoth(base: JsonObject, ours: JsonObject, theirs: JsonObject) {
  const published = await ada.createPublished(base)
  const draft = await ada.edit(published)
  const record = draft.links['record'] ?? ''
  expect((await ada.put(`/deposits/${draft.id}`, ours)).status).toBe(200)
  expect((await curator.put(record, theirs)).status).toBe(200)
  const before = await ada.show(draft)
  const reply = await ada.act(draft, 'publish')
  return { draft: before, record: await ada.record(draft), reply }
}

const own = ({ _deposit, $schema, ...fields }: JsonObject): JsonObject => fields

describe('The laws of merging, through the REST interface', () => {
  it('publish after an edit gives the merge of the documents, or 409', async () => {
    const holds = async (base: JsonObject, ours: JsonObject, theirs: JsonObject): Promise<void> => {
      const expected = merge(base, ours, theirs)
      const { draft, record, reply } = await publishBoth(base, ours, theirs)
      if ('conflicts' in expected) {
        expectProblem(reply, 'merge_conflict', /./)
        const fields = expected.conflicts.map(({ field }) => field)
        const { errors } = reply.body as { readonly errors: readonly { readonly field: string }[] }
        expect(errors.map(({ field }) => field).sort()).toEqual(fields.toSorted())
        expect(await ada.show(draft)).toEqual(draft)
        expect(own(record.metadata as JsonObject)).toEqual(theirs)
        return
      }
      expect(reply.status).toBe(202)
      expect(own(record.metadata as JsonObject)).toEqual(expected.merged)
      expect(record.metadata).toMatchObject({ _deposit: { id: draft.id, status: 'published' } })
    }
    await fc.assert(fc.asyncProperty(document, document, document, holds), {
      numRuns,
      seed: 20_261_120,
      endOnFailure: true,
    })
  })

  it('a side without changes leaves the other unchanged, and equal changes are made once', async () => {
    const holds = async (base: JsonObject, other: JsonObject): Promise<void> => {
      for (const [ours, theirs] of [
        [other, base],
        [base, other],
        [other, other],
      ] as const) {
        const { record, reply } = await publishBoth(base, ours, theirs)
        expect(reply.status).toBe(202)
        expect(own(record.metadata as JsonObject)).toEqual(other)
      }
    }
    await fc.assert(fc.asyncProperty(document, document, holds), {
      numRuns: Math.ceil(numRuns / 5),
      seed: 20_261_120,
      endOnFailure: true,
    })
  })
})
