import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')
const curator = daemon.as('curator', { admin: true })

/** A deposit that is edited while a curator corrects its record. */
async function editBeside(ours: object, theirs: object): Promise<DepositBody> {
  const published = await ada.createPublished({ title: 'Sea level', notes: 'old', keywords: ['a'] })
  const edited = await ada.edit(published)
  bodyOf(await ada.put(`/deposits/${edited.id}`, ours), 200)
  bodyOf(await curator.put(edited.links['record'] ?? '', theirs), 200)
  return ada.show(edited)
}

describe('States and transitions: create', () => {
  it('none → draft: the identifier is minted, _deposit is set, the index is updated', async () => {
    const eve = daemon.as('eve')
    const draft = await eve.createDraft({ title: 'Tides' })

    expect(draft.metadata._deposit).toMatchObject({ id: draft.id, status: 'draft' })
    expect(draft.metadata._deposit?.owners).toEqual([draft.metadata._deposit?.created_by])
    expect((await eve.search('q=tides')).hits.hits.map(({ id }) => id)).toEqual([draft.id])
  })
})

describe('States and transitions: publish action, first time', () => {
  it('draft → published: the minter is called, type, value and revision_id=0 are set', async () => {
    const published = await ada.createPublished()

    expect(published.metadata._deposit).toMatchObject({
      status: 'published',
      type: 'recid',
      value: expect.stringMatching(/^[0-9a-z]{5}-[0-9a-z]{5}$/) as string,
      revision_id: 0,
    })
  })

  it('a dump of the deposit information and a snapshot of the files are made', async () => {
    const draft = await ada.createDraftWith('b.csv', 'a.csv')
    const published = await ada.publish(draft)
    const record = await daemon.visitor.record(published)

    expect(record.revision).toBe(0)
    expect(record.metadata).toMatchObject({ title: 'Sea level' })
    expect(record.metadata._deposit).toEqual(published.metadata._deposit)
    const files = await daemon.visitor.get(record.links['files'] ?? '')
    const keys = (files.body as readonly { filename: string }[]).map(({ filename }) => filename)
    expect(keys).toEqual(['b.csv', 'a.csv'])
  })

  it('the deposit is committed and indexed', async () => {
    const eve = daemon.as('eve-first')
    const published = await eve.createPublished({ title: 'Ebb' })

    expect((await eve.show(published)).revision).toBe(1)
    const found = await eve.search('q=ebb&status=published')
    expect(found.hits.hits.map(({ id }) => id)).toEqual([published.id])
  })
})

describe('States and transitions: publish action, after an edit', () => {
  it('draft → published: the edited version is published as the next revision', async () => {
    const edited = await ada.edit(await ada.createPublished())
    await ada.put(`/deposits/${edited.id}`, { title: 'Sea level, corrected' })
    const published = await ada.publish(edited)

    expect(published.metadata).toMatchObject({ title: 'Sea level, corrected' })
    expect(published.metadata._deposit).toMatchObject({ status: 'published', revision_id: 1 })
    expect((await ada.record(published)).metadata).toMatchObject({ title: 'Sea level, corrected' })
  })

  it('merges the changes with a newer version that was published since', async () => {
    const ours = { title: 'Sea level, ours', notes: 'old', keywords: ['a'] }
    const theirs = { title: 'Sea level', notes: 'new', keywords: ['a', 'b'] }
    const published = await ada.publish(await editBeside(ours, theirs))

    expect(published.metadata).toMatchObject({
      title: 'Sea level, ours',
      notes: 'new',
      keywords: ['a', 'b'],
    })
    expect(published.metadata._deposit?.revision_id).toBe(2)
  })

  it('a conflict is 409 with base, ours and theirs by JSON pointer; nothing is changed', async () => {
    const edited = await editBeside({ title: 'Ours' }, { title: 'Theirs', notes: 'old' })
    const before = await ada.state(edited)
    const record = await ada.record(edited)
    const reply = await ada.act(edited, 'publish')

    expectProblem(reply, 'merge_conflict')
    expect(reply.body).toMatchObject({
      errors: [{ field: '/title', base: 'Sea level', ours: 'Ours', theirs: 'Theirs' }],
    })
    expect(await ada.state(edited)).toEqual(before)
    expect(await ada.record(edited)).toEqual(record)
  })
})

describe('States and transitions: edit action', () => {
  it('published → draft: _deposit.pid is the revision id of the record, $schema is set', async () => {
    const published = await ada.createPublished()
    const edited = await ada.edit(published)

    expect(edited.metadata._deposit).toMatchObject({ status: 'draft', pid: 0 })
    expect(edited.metadata.$schema).toBe(published.metadata.$schema)
    expect((await ada.search(`q=${edited.id}`)).hits.hits[0]?.metadata._deposit?.status).toBe(
      'draft',
    )
  })

  it('starts from the latest revision of the record', async () => {
    const published = await ada.createPublished()
    bodyOf(await curator.put(published.links['record'] ?? '', { title: 'Corrected' }), 200)
    const edited = await ada.edit(published)

    expect(edited.metadata).toMatchObject({ title: 'Corrected' })
    expect(edited.metadata._deposit?.pid).toBe(1)
  })

  it('makes that revision the base of the merge, not the one the deposit was published as', async () => {
    const published = await ada.createPublished()
    bodyOf(await curator.put(published.links['record'] ?? '', { title: 'Corrected' }), 200)
    const edited = await ada.edit(published)
    await ada.put(`/deposits/${edited.id}`, { title: 'Changed by its owner' })

    expect((await ada.publish(edited)).metadata).toMatchObject({ title: 'Changed by its owner' })
  })

  it('fails if the identifier status is registered', async () => {
    const published = await ada.createPublished()
    bodyOf(await ada.act(published, 'register'), 201)
    const before = await ada.state(published)

    expectProblem(await ada.act(published, 'edit'), 'invalid_action', 'Invalid action')
    expectProblem(await ada.act(published, 'register'), 'invalid_action', 'Invalid action')
    expect(await ada.state(published)).toEqual(before)
  })
})

describe('States and transitions: discard action', () => {
  it('the last published version is restored, $schema is set, the status is published', async () => {
    const published = await ada.publish(await ada.createDraftWith('a', 'b'))
    const edited = await ada.edit(published)
    const [a, b] = (await ada.files(edited)).map(({ id }) => ({ id }))
    bodyOf(await ada.put(`/deposits/${edited.id}/files`, [b, a]), 200)
    bodyOf(await ada.put(`/deposits/${edited.id}`, { title: 'Changed' }), 200)
    const discarded = bodyOf<DepositBody>(await ada.act(edited, 'discard'), 201)

    expect(discarded.metadata).toEqual(published.metadata)
    expect(await ada.keys(discarded)).toEqual(['a', 'b'])
    expect((await ada.search(`q=${edited.id}`)).hits.hits[0]?.metadata).toEqual(published.metadata)
  })

  it('brings back the published _deposit.pid', async () => {
    const published = await ada.createPublished()
    await ada.edit(published)
    const again = await ada.publish(published)
    await ada.edit(published)
    const discarded = bodyOf<DepositBody>(await ada.act(published, 'discard'), 201)

    expect(discarded.metadata._deposit).toEqual(again.metadata._deposit)
  })

  it('is an invalid action on a draft that was never published', async () => {
    const draft = await ada.createDraft()
    const before = await ada.state(draft)

    expectProblem(await ada.act(draft, 'discard'), 'invalid_action', 'Invalid action')
    expect(await ada.state(draft)).toEqual(before)
  })
})

describe('States and transitions: clear, patch and delete', () => {
  it('clear: the content is cleared, _deposit is preserved', async () => {
    const draft = await ada.createDraftWith('a')
    const cleared = bodyOf<DepositBody>(await ada.put(`/deposits/${draft.id}`, {}), 200)

    const { $schema, _deposit } = draft.metadata
    expect(cleared.metadata).toEqual({ $schema, _deposit })
    expect(await ada.keys(draft)).toEqual(['a'])
  })

  it('patch: the content is patched, _deposit is preserved', async () => {
    const draft = await ada.createDraft()
    const patch = [{ op: 'replace', path: '/title', value: 'Patched' }]
    const patched = bodyOf<DepositBody>(await ada.patch(`/deposits/${draft.id}`, patch), 200)

    expect(patched.metadata).toEqual({ ...draft.metadata, title: 'Patched' })
  })

  it.for(['', '?force=true'])(
    'delete%s: the deposit, its files and bytes are gone',
    async (query) => {
      const eve = daemon.as(`eve-delete${query}`)
      const stored = await daemon.storedBytes()
      const draft = await eve.createDraftWith('a.txt')
      const reply = await eve.delete(`/deposits/${draft.id}${query}`)

      expect(reply.status).toBe(204)
      expect(reply.bytes).toHaveLength(0)
      expectProblem(await eve.get(`/deposits/${draft.id}`), 'deposit_deleted')
      expect((await eve.search()).hits.total).toBe(0)
      expect(await daemon.storedBytes()).toEqual(stored)
    },
  )

  it('delete?force=false: the deposit is hidden, its bytes are kept', async () => {
    const eve = daemon.as('eve-hide')
    const stored = await daemon.storedBytes()
    const draft = await eve.createDraftWith('a.txt')
    expect((await eve.delete(`/deposits/${draft.id}?force=false`)).status).toBe(204)

    expectProblem(await eve.get(`/deposits/${draft.id}`), 'deposit_deleted')
    expectProblem(await eve.get(draft.links['bucket'] ?? ''), 'deposit_not_found', /./)
    expect((await eve.search()).hits.total).toBe(0)
    expect(await daemon.storedBytes()).toHaveLength(stored.length + 1)
  })
})

describe('delete?force= with other spellings', () => {
  it.for(['False', 'FALSE', '0'])('%s is false', async (force) => {
    const stored = await daemon.storedBytes()
    const draft = await ada.createDraftWith('a.txt')

    expect((await ada.delete(`/deposits/${draft.id}?force=${force}`)).status).toBe(204)
    expect(await daemon.storedBytes()).toHaveLength(stored.length + 1)
  })

  it.for(['no', 'maybe', 'true&force=false'])(
    '%s is 400, and nothing is deleted',
    async (force) => {
      const draft = await ada.createDraftWith('a.txt')
      const before = await ada.state(draft)
      const reply = await ada.delete(`/deposits/${draft.id}?force=${force}`)

      expectProblem(reply, 'malformed_request')
      expect(await ada.state(draft)).toEqual(before)
    },
  )
})

describe('Operations in another status', () => {
  const patch = [{ op: 'add', path: '/notes', value: 'x' }]
  const needDraft: readonly [string, string, string, unknown][] = [
    ['changing', 'PUT', '', { title: 'x' }],
    ['clearing', 'PUT', '', {}],
    ['patching', 'PATCH', '', patch],
    ['deleting', 'DELETE', '', undefined],
    ['publishing', 'POST', '/actions/publish', undefined],
    ['discarding', 'POST', '/actions/discard', undefined],
    ['merging', 'POST', '/actions/merge', undefined],
  ]

  it.for(needDraft)(
    '%s a published deposit is an invalid action',
    async ([, method, path, json]) => {
      const published = await ada.createPublished()
      const before = await ada.state(published)
      const sent = json === undefined ? {} : { json }
      const reply = await ada.send(method, `/deposits/${published.id}${path}`, sent)

      expectProblem(reply, 'invalid_action', 'Invalid action')
      expect(await ada.state(published)).toEqual(before)
    },
  )

  it.for(['edit', 'merge', 'register', 'newversion'])(
    '%s of a draft is an invalid action',
    async (name) => {
      const draft = await ada.createDraft()
      const before = await ada.state(draft)

      expectProblem(await ada.act(draft, name), 'invalid_action', 'Invalid action')
      expect(await ada.state(draft)).toEqual(before)
    },
  )

  it('sorting the files of a published deposit is an invalid action', async () => {
    const published = await ada.publish(await ada.createDraftWith('a', 'b'))
    const before = await ada.state(published)
    const reversed = (await ada.files(published)).map(({ id }) => ({ id })).reverse()
    const reply = await ada.put(`/deposits/${published.id}/files`, reversed)

    expectProblem(reply, 'invalid_action', 'Invalid action')
    expect(await ada.state(published)).toEqual(before)
  })

  it('deleting a draft that was ever published is an invalid action', async () => {
    const edited = await ada.edit(await ada.createPublished())
    const before = await ada.state(edited)

    expectProblem(await ada.delete(`/deposits/${edited.id}`), 'invalid_action', 'Invalid action')
    expect(await ada.state(edited)).toEqual(before)
  })
})
