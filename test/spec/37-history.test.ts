import { applyPatch as applyByLibrary } from 'fast-json-patch'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { HistoryBody } from '../../core/contract/history.ts'
import type { DepositBody, ProblemBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')
const eve = daemon.as('eve')

type Named = Pick<DepositBody, 'id'>

const history = async ({ id }: Named, query = ''): Promise<HistoryBody> =>
  bodyOf(await ada.get(`/deposits/${id}/history${query}`), 200)

const undo = ({ id }: Named, body: object = {}, user = ada): Promise<Reply> =>
  user.post(`/deposits/${id}/actions/undo`, { json: body })

/** The document without what belongs to the service. */
function fields({ metadata }: DepositBody): object {
  const { _deposit, $schema, ...own } = metadata
  return own
}

const replace = async ({ id }: Named, document: object): Promise<DepositBody> =>
  bodyOf(await ada.put(`/deposits/${id}`, document), 200)

function reasonOf(reply: Reply, status: number): string {
  return bodyOf<ProblemBody>(reply, status).errors?.[0]?.message ?? ''
}

describe('The history of a draft', () => {
  it('lists every change of the document, newest first, with who made it and when', async () => {
    const draft = await ada.createDraft({ title: 'Levels' })
    const { owners = [] } = { ...draft.metadata._deposit }
    await ada.patch(`/deposits/${draft.id}`, [{ op: 'add', path: '/version', value: '2' }])
    await ada.addFile(draft, 'a.csv')
    const last = await replace(draft, { title: 'Tides' })

    const changes = await history(draft)
    expect(changes).toEqual([
      {
        n: 3,
        at: last.updated,
        by: owners[0],
        email: expect.stringContaining('@') as string,
        action: 'update',
        patch: expect.arrayContaining([
          { op: 'replace', path: '/title', value: 'Tides' },
          { op: 'remove', path: '/version' },
        ]) as unknown,
        undo: expect.anything() as unknown,
      },
      expect.objectContaining({
        n: 1,
        patch: [{ op: 'add', path: '/version', value: '2' }],
        undo: [{ op: 'remove', path: '/version' }],
      }),
    ])
  })

  it('is not longer for a change of nothing, and is for its owner alone', async () => {
    const draft = await ada.createDraft({ title: 'Levels' })
    await replace(draft, { title: 'Levels' })
    expect(await history(draft)).toEqual([])
    expect((await eve.get(`/deposits/${draft.id}/history`)).status).toBe(403)
    expect((await undo(draft, {}, eve)).status).toBe(403)
  })

  it('has patches that lead from each state to the next, and back', async () => {
    const draft = await ada.createDraft({ title: 'Levels', keywords: ['sea', 'tide', 'pier'] })
    const states = [draft]
    for (const keywords of [['tide', 'pier'], ['tide', 'gauge', 'pier', 'sea'], []])
      states.push(await replace(draft, { title: 'Levels', keywords }))

    for (const { n, patch, undo: back } of await history(draft)) {
      const [before, after] = [states[n - 1], states[n]].map((state) => state && fields(state))
      const apply = (document: object | undefined, operations: typeof patch): unknown =>
        applyByLibrary(structuredClone(document), structuredClone(operations) as never).newDocument
      expect(apply(before, patch)).toEqual(after)
      expect(apply(after, back)).toEqual(before)
    }
  })

  it('is paged by Link', async () => {
    const draft = await ada.createDraft({ title: '0' })
    for (const title of ['1', '2', '3']) await replace(draft, { title })
    const first = await ada.get(`/deposits/${draft.id}/history?size=2`)
    expect(bodyOf<HistoryBody>(first, 200).map(({ n }) => n)).toEqual([3, 2])
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    expect(bodyOf<HistoryBody>(await ada.get(next), 200).map(({ n }) => n)).toEqual([1])
  })
})

describe('An undo', () => {
  it('brings back the document before the last change, and undoes an undo', async () => {
    const draft = await ada.createDraft({ title: 'Levels' })
    await replace(draft, {})
    const undone = bodyOf<DepositBody>(await undo(draft), 201)
    expect(fields(undone)).toEqual({ title: 'Levels' })
    expect(undone.revision).toBe(2)
    expect((await history(draft))[0]).toMatchObject({ n: 2, action: 'undo', to: 0 })

    expect(fields(bodyOf(await undo(draft), 201))).toEqual({})
  })

  it('takes no body where the last change is meant, and the scope to write alone', async () => {
    const draft = await ada.createDraft({ title: 'Levels' })
    await replace(draft, { title: 'Tides' })
    const writer = daemon.as('ada', { scopes: ['deposit:write'] })
    expect(fields(bodyOf(await writer.act(draft, 'undo'), 201))).toEqual({ title: 'Levels' })
    const publisher = daemon.as('ada', { scopes: ['deposit:actions'] })
    expect((await publisher.act(draft, 'undo')).status).toBe(403)
  })

  it('brings back the schema, and the document of any revision', async () => {
    const draft = await ada.createDraft({ title: 'Levels' })
    const { $schema } = draft.metadata
    const other = String($schema).replace('deposit-v1.0.0', 'dataset-v1.0.0')
    await replace(draft, { title: 'Tides', $schema: other })
    expect((await history(draft))[0]?.patch).toContainEqual({
      op: 'replace',
      path: '/$schema',
      value: other,
    })
    await ada.addFile(draft, 'a.csv')
    await replace(draft, { title: 'Currents' })

    expect(bodyOf<DepositBody>(await undo(draft, { to: 2 }), 201).metadata).toMatchObject({
      title: 'Tides',
      $schema: other,
    })
    const first = bodyOf<DepositBody>(await undo(draft, { to: 0 }), 201)
    expect(first.metadata).toEqual(draft.metadata)
  })

  it('is rehearsed without a change', async () => {
    const draft = await ada.createDraft({ title: 'Levels' })
    const changed = await replace(draft, { title: 'Tides' })
    const told = await ada.get(`/deposits/${draft.id}/actions/undo?to=0`)
    expect(fields(bodyOf(told, 200))).toEqual({ title: 'Levels' })
    expect(await ada.show(draft)).toMatchObject({ revision: changed.revision })
    expect(await history(draft)).toHaveLength(1)
  })

  it('changes nothing where the revision is another one', async () => {
    const draft = await ada.createDraft({ title: 'Levels' })
    await replace(draft, { title: 'Tides' })
    const headers = { 'if-match': '"0"' }
    const refused = await ada.post(`/deposits/${draft.id}/actions/undo`, { json: {}, headers })
    expect(refused.status).toBe(412)
    expect((await ada.show(draft)).metadata).toMatchObject({ title: 'Tides' })
  })

  it('is refused where there is nothing to undo, or a revision is not there', async () => {
    const draft = await ada.createDraft({ title: 'Levels' })
    expect(reasonOf(await undo(draft), 403)).toContain('nothing to undo')
    await replace(draft, { title: 'Tides' })
    expect(reasonOf(await undo(draft, { to: 1 }), 400)).toContain('at revision 1')
    expect((await undo(draft, { to: -1 })).status).toBe(400)
  })

  it('undoes a discard after edit, and goes behind a publish only where it is told to', async () => {
    const draft = await ada.createDraft({ title: 'Old', creators: [{ name: 'Lovelace, Ada' }] })
    await replace(draft, { title: 'Levels', creators: [{ name: 'Lovelace, Ada' }] })
    await ada.publish(draft)
    expect(reasonOf(await undo(draft), 403)).toContain('action edit')
    bodyOf(await ada.act(draft, 'edit'), 201)
    expect(reasonOf(await undo(draft), 403)).toContain('since the deposit was opened')

    await ada.patch(`/deposits/${draft.id}`, [{ op: 'replace', path: '/title', value: 'Tides' }])
    bodyOf(await ada.act(draft, 'discard'), 201)
    expect((await history(draft))[0]).toMatchObject({ action: 'discard' })
    bodyOf(await ada.act(draft, 'edit'), 201)
    expect(fields(bodyOf(await undo(draft), 201))).toMatchObject({ title: 'Tides' })
    expect(fields(bodyOf(await undo(draft, { to: 0 }), 201))).toMatchObject({ title: 'Old' })
  })

  it('to any revision gives the document as it was then', async () => {
    const names = fc.constantFrom('title', 'a', 'b/~', 'toString', '0', 'x y')
    const leaf = fc.oneof(fc.string(), fc.integer({ min: -9, max: 9 }), fc.constant(null))
    const deeper = fc.oneof(leaf, fc.dictionary(names, leaf), fc.array(leaf))
    const value = fc.oneof(leaf, fc.dictionary(names, deeper), fc.array(deeper))
    const document = fc
      .dictionary(
        names.filter((name) => name !== 'title'),
        value,
      )
      .map((entries) => JSON.parse(JSON.stringify(entries)) as object)
    const step = fc.oneof(
      { weight: 3, arbitrary: document.map((set) => ({ set })) },
      { weight: 1, arbitrary: fc.nat().map((to) => ({ to })) },
      { weight: 1, arbitrary: fc.constant({ file: true }) },
    )
    await fc.assert(
      fc.asyncProperty(document, fc.array(step, { maxLength: 12 }), async (first, steps) => {
        const draft = await ada.createDraft(first)
        const states = [fields(draft)]
        let begun = false
        for (const [at, each] of steps.entries()) {
          const last = states.at(-1) ?? {}
          if ('file' in each) {
            await ada.addFile(draft, `${at}.csv`)
            states.push(last)
          } else if ('set' in each) {
            states.push(fields(await replace(draft, each.set)))
            begun ||= JSON.stringify(states.at(-1)) !== JSON.stringify(last)
          } else if (begun) {
            const [entry] = (await history(draft)).slice(-1)
            const from = (entry?.n ?? 1) - 1
            const to = from + (each.to % (states.length - from))
            if (to === states.length - 1) continue
            const undone = fields(bodyOf(await undo(draft, { to }), 201))
            expect(undone).toEqual(states[to])
            states.push(undone)
          }
        }
        expect(fields(await ada.show(draft))).toEqual(states.at(-1))
      }),
      { numRuns: Number(process.env['DEPOSIT_TEST_RUNS'] ?? 25) },
    )
  })
})
