import { describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const show = (daemon: TestDaemon, type: string, value: string): Promise<readonly string[]> =>
  daemon.operateAll('pid show', { type, value })

describe('pid show', () => {
  it('prints the identifier of a deposit: registered, without a provider', async () => {
    await using daemon = await testDaemon()
    const { id } = await daemon.as('owner').createDraft()
    expect(await show(daemon, 'depid', id)).toEqual([
      'pid_type: depid',
      `pid_value: ${id}`,
      'object_type: rec',
      expect.stringMatching(/^object_uuid: [0-9a-f-]{36}$/),
      'status: R',
      'provider: none',
    ])
  })

  it('prints K of a record, R once it is registered, and D of a deleted deposit', async () => {
    await using daemon = await testDaemon()
    const owner = daemon.as('owner')
    const deposit = await owner.createPublished()
    const { value = '' } = deposit.metadata._deposit ?? {}
    expect(await show(daemon, 'recid', value)).toContain('status: K')
    bodyOf(await owner.act(deposit, 'register'), 201)
    expect(await show(daemon, 'recid', value)).toContain('status: R')
    const draft = await owner.createDraft()
    await owner.delete(`/deposits/${draft.id}`)
    expect(await show(daemon, 'depid', draft.id)).toContain('status: D')
  })

  it('reports that there is no such identifier', async () => {
    await using daemon = await testDaemon()
    await expect(show(daemon, 'depid', 'nope')).rejects.toThrow(/no identifier depid nope/)
  })
})

describe('pid redirect', () => {
  it('answers 301 with the same path of the other deposit, on every route', async () => {
    await using daemon = await testDaemon()
    const owner = daemon.as('owner')
    const [old, other] = [await owner.createDraftWith('a b.txt'), await owner.createDraft()]
    await daemon.operate('pid redirect', { type: 'depid', value: old.id, target: other.id })
    expect(await show(daemon, 'depid', old.id)).toContain(`redirect: depid ${other.id}`)
    for (const [method, rest] of [
      ['GET', ''],
      ['HEAD', ''],
      ['PUT', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/files'],
      ['GET', '/files/a%20b.txt?download'],
      ['POST', '/actions/publish'],
      ['GET', '/actions/publish'],
    ] as const) {
      const json = method === 'PUT' || method === 'PATCH' ? { json: {} } : {}
      const reply = await owner.send(method, `/deposits/${old.id}${rest}`, json)
      expect([method, rest, reply.status]).toEqual([method, rest, 301])
      expect(reply.headers.get('location')).toBe(`${daemon.url}/deposits/${other.id}${rest}`)
      if (method !== 'HEAD') expectProblem(reply, 'moved', /It is now depid/)
    }
    const { hits } = (await owner.search('q=sea')).hits
    expect(hits.map(({ id }) => id)).toEqual([other.id])
  })

  it('answers 301 for a record on every route', async () => {
    await using daemon = await testDaemon()
    const owner = daemon.as('owner')
    const records = [await owner.createPublished(), await owner.createPublished()]
    // This makes sure that there is an index.
    await daemon.visitor.get('/records/?q=sea')
    const [old = '', target = ''] = records.map(({ metadata }) => metadata._deposit?.value ?? '')
    await daemon.operate('pid redirect', { type: 'recid', value: old, target })
    for (const rest of ['', '/revisions', '/revisions/0']) {
      const reply = await daemon.visitor.get(`/records/${old}${rest}`)
      expect(reply.status).toBe(301)
      expect(reply.headers.get('location')).toBe(`${daemon.url}/records/${target}${rest}`)
    }
    for (const query of ['', '?q=sea', '?sort=mostrecent&q=_deposit.status:published']) {
      const found = await daemon.visitor.get(`/records/${query}`)
      expect(found.body).toMatchObject({
        hits: { total: 1, hits: [{ id: target }] },
        aggregations: { status: { buckets: [{ key: 'published', doc_count: 1 }] } },
      })
    }
    const page = await daemon.visitor.get(`${daemon.origin}/records/${old}`, {
      accept: 'text/html',
    })
    expect(page.status).toBe(301)
    expect(page.headers.get('location')).toContain(`/records/${target}`)
  })

  it('refuses a circle, a chain, and an unreadable target', async () => {
    await using daemon = await testDaemon()
    const owner = daemon.as('owner')
    const [a, b, gone] = [
      await owner.createDraft(),
      await owner.createDraft(),
      await owner.createDraft(),
    ]
    await owner.delete(`/deposits/${gone.id}`)
    const redirect = (from: DepositBody, to: string): Promise<string> =>
      daemon.operate('pid redirect', { type: 'depid', value: from.id, target: to })
    await expect(redirect(a, a.id)).rejects.toThrow(/cannot lead to/)
    await expect(redirect(a, 'nope')).rejects.toThrow(/cannot lead to/)
    await expect(redirect(a, gone.id)).rejects.toThrow(/cannot lead to/)
    await expect(redirect(gone, a.id)).rejects.toThrow(/was deleted/)
    await redirect(a, b.id)
    await expect(redirect(b, a.id)).rejects.toThrow(`it leads to ${b.id} itself`)
    expect((await owner.get(`/deposits/${b.id}`)).status).toBe(200)
  })
})

describe('undelete', () => {
  it('restores a deposit deleted with force=false: document, files and search', async () => {
    await using daemon = await testDaemon()
    const owner = daemon.as('owner')
    const draft = await owner.createDraftWith('kept.txt')
    expect((await owner.delete(`/deposits/${draft.id}?force=false`)).status).toBe(204)
    expectProblem(await owner.get(`/deposits/${draft.id}`), 'deposit_deleted')
    expect((await owner.search('q=sea')).hits.total).toBe(0)
    expect(await daemon.operate('undelete', { id: draft.id })).toBe(draft.id)
    expect(await owner.show(draft)).toEqual(draft)
    expect(await owner.keys(draft)).toEqual(['kept.txt'])
    expect((await owner.search('q=sea')).hits.total).toBe(1)
  })

  it('refuses deposits that were purged or not deleted', async () => {
    await using daemon = await testDaemon()
    const owner = daemon.as('owner')
    const [gone, there] = [await owner.createDraft(), await owner.createDraft()]
    await owner.delete(`/deposits/${gone.id}`)
    await expect(daemon.operate('undelete', { id: gone.id })).rejects.toThrow(/deleted for good/)
    await expect(daemon.operate('undelete', { id: there.id })).rejects.toThrow(
      /not a deleted deposit/,
    )
    await expect(daemon.operate('undelete', { id: 'nope' })).rejects.toThrow(
      /not a deleted deposit/,
    )
  })
})

describe('DEPOSIT_RETENTION_DAYS', () => {
  it.each([
    ['30', 1],
    ['0', 0],
  ])('of %s leaves %i kept deletions with their bytes after a start', async (days, left) => {
    await using home = await temporaryFolder()
    const options = { env: { DEPOSIT_RETENTION_DAYS: days }, home: home.path }
    let id = ''
    let bystander = ''
    {
      await using daemon = await testDaemon(options)
      const owner = daemon.as('owner')
      ;({ id } = await owner.createDraftWith('a.txt'))
      ;({ id: bystander } = await owner.createDraft())
      await owner.delete(`/deposits/${id}?force=false`)
      await daemon.operate('pid redirect', {
        type: 'depid',
        value: bystander,
        target: (await owner.createDraft()).id,
      })
    }
    await using daemon = await testDaemon(options)
    await expect.poll(() => daemon.storedBytes()).toHaveLength(left)
    const undeleted = daemon.operate('undelete', { id })
    if (left === 0) await expect(undeleted).rejects.toThrow(/deleted for good/)
    else expect(await undeleted).toBe(id)
    expect((await daemon.as('reader').get(`/deposits/${bystander}`)).status).toBe(301)
  })
})
