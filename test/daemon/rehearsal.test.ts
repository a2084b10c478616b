import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, RehearsalBody } from '../../core/contract/schemas.ts'
import { bodyOf, send } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

let daemon: TestDaemon
let owner: User
beforeAll(async () => {
  daemon = await testDaemon()
  owner = daemon.as('owner')
})
afterAll(() => daemon[Symbol.asyncDispose]())

const publishUrl = ({ links }: DepositBody): string => links['publish'] ?? ''

async function rehearse(deposit: DepositBody, user = owner): Promise<RehearsalBody> {
  return bodyOf(await user.get(publishUrl(deposit)), 200)
}

describe('GET …/actions/publish', () => {
  it('reports that a draft can be published, with recommendations', async () => {
    const { publishable, errors, warnings } = await rehearse(await owner.createDraft())
    expect([publishable, errors]).toEqual([true, []])
    expect(warnings.map(({ field }) => field)).toContain('/creators')
  })

  it('lists every fault of the document, each with its JSON pointer', async () => {
    const $schema = `${daemon.origin}/schemas/deposits/dataset-v1.0.0.json`
    const draft = await owner.createDraft({ $schema, publication_date: 'yesterday' })
    const { publishable, errors } = await rehearse(draft)
    expect(publishable).toBe(false)
    expect(errors).toContainEqual({
      code: 'invalid_document',
      field: '/title',
      message: 'Title is missing.',
    })
    expect(errors.map(({ field }) => field)).toContain('/publication_date')
    const refused = await owner.act(draft, 'publish')
    expect(errors.map(({ code, ...fault }) => fault)).toEqual(
      (refused.body as { readonly errors: unknown }).errors,
    )
  })

  it('refuses a document that says its files are embargoed in words of others, as publishing does', async () => {
    const limits = { access_right: 'embargoed', embargo_date: '2999-01-01' }
    const draft = await owner.createDraft({ title: 'Not yet', ...limits })
    const { publishable, errors } = await rehearse(draft)
    expect([publishable, errors]).toMatchObject([
      false,
      [
        { code: 'invalid_document', field: '/access_right' },
        { code: 'invalid_document', field: '/embargo_date' },
      ],
    ])
    expectProblem(await owner.act(draft, 'publish'), 'invalid_document')
    await owner.put(`/deposits/${draft.id}`, {
      title: 'Now',
      ...limits,
      embargo_date: '2020-01-01',
    })
    await owner.publish(draft)
  })

  it.for([
    { access: { files: 'public', until: '2999-01-01' } },
    { 'dct:accessRights': { '@id': 'http://purl.org/coar/access_right/c_16ec' } },
    { '@graph': [{ conditionsOfAccess: 'Restricted' }] },
  ])('refuses %j, as publishing does', async (limits) => {
    const draft = await owner.createDraft({ title: 'Not for everybody', ...limits })
    expect((await rehearse(draft)).publishable).toBe(false)
    expectProblem(await owner.act(draft, 'publish'), 'invalid_document')
  })

  it.for<[field: string, said: object]>([
    ['/acess', { acess: { files: 'restricted', until: '2999-05-01' } }],
    ['/axcess', { axcess: true }],
    ['/aces', { aces: 'restricted' }],
    ['/files', { files: 'restricted' }],
    ['/note', { note: { files: 'restricted' } }],
    ['/acess', { acess: { files: 'restricted' }, access: { files: 'public' } }],
  ])('refuses %s, which is probably meant as access, as publishing does', async ([field, said]) => {
    const draft = await owner.createDraft({ title: 'Not for everybody', ...said })

    const { publishable, errors } = await rehearse(draft)
    const refused = await owner.act(draft, 'publish')

    expect(publishable).toBe(false)
    expect(errors).toMatchObject([{ code: 'invalid_document', field }])
    expectProblem(refused, 'invalid_document')
    expect(refused.body).toMatchObject({ errors: [{ field }] })
    const [, day = ''] =
      /access: \{files: restricted(?:, until: (.*?))?\}/.exec(errors[0]?.message ?? '') ?? []
    expect(day).toBe(JSON.stringify(said).includes('until') ? '2999-05-01' : '')

    const closed = { files: 'restricted', ...(day && { until: day }) }
    await owner.put(`/deposits/${draft.id}`, { title: 'Not for everybody', access: closed })
    const record = await owner.publish(draft)
    expect(record.metadata).toMatchObject({ access: closed })
  })

  it('takes a misspelt field in whose place access says that the files are public', async () => {
    const draft = await owner.createDraft({ title: 'For everybody', acess: { files: 'public' } })
    expect((await rehearse(draft)).errors[0]?.message).toContain('access: {files: public}')
    await owner.put(`/deposits/${draft.id}`, { title: 'T', access: { files: 'public' } })
    await owner.publish(draft)
  })

  it.for([{ valve: 'closed' }, { period: { until: '2999-05-01' } }, { aces: 12 }])(
    'only warns of %j, unless access says that the files are public',
    async (said) => {
      const [field] = Object.keys(said).map((name) => `/${name}`)
      const draft = await owner.createDraft({ title: 'Valves', ...said })
      const { publishable, warnings } = await rehearse(draft)
      expect(publishable).toBe(true)
      expect(warnings.find((warning) => warning.field === field)?.message).toMatch(
        /publishing makes the files public.*If they are open, add: access: \{files: public\}$/,
      )
      await owner.put(`/deposits/${draft.id}`, { title: 'V', ...said, access: { files: 'public' } })
      const settled = await rehearse(draft)
      expect(settled.warnings.filter(({ message }) => message.includes('publishing'))).toEqual([])
      await owner.publish(draft)
    },
  )

  it.for([
    { accessed: '2026-11-20' },
    { access_right: 'embargoed', embargo_date: '2020-01-01' },
    { zenodo: { acess: 'x', state: 'closed' } },
    { acess: '' },
  ])('publishes %j', async (said) => {
    const draft = await owner.createDraft({ title: 'Read', ...said })
    const { publishable, warnings } = await rehearse(draft)
    expect([publishable, warnings.map(({ message }) => message).join()]).toEqual([
      true,
      expect.not.stringContaining('publishing makes'),
    ])
    await owner.publish(draft)
  })

  it('warns of unknown fields, and suggests the right name', async () => {
    const { publishable, warnings } = await rehearse(await owner.createDraft({ creator: 'Ada' }))
    expect(publishable).toBe(true)
    expect(warnings).toContainEqual({
      field: '/creator',
      message: '"creator" is not a field of the schema; did you mean "creators"?',
    })
  })

  it('lists merge conflicts with base, ours and theirs, and the faults of the draft', async () => {
    const deposit = await owner.createPublished({ title: 'Old' })
    const draft = await owner.edit(deposit)
    const correction = { title: 'Theirs' }
    await daemon.as('curator', { admin: true }).put(deposit.links['record'] ?? '', correction)
    await owner.put(`/deposits/${draft.id}`, { title: 'Ours' })
    const { publishable, errors } = await rehearse(draft)
    expect(publishable).toBe(false)
    expect(errors).toMatchObject([
      { code: 'merge_conflict', field: '/title', base: 'Old', ours: 'Ours', theirs: 'Theirs' },
    ])
    expectProblem(await owner.act(draft, 'publish'), 'merge_conflict')
  })

  it('reports that a published deposit has to be edited first', async () => {
    const { publishable, errors, warnings } = await rehearse(await owner.createPublished())
    expect([publishable, warnings]).toEqual([false, []])
    expect(errors).toMatchObject([{ code: 'invalid_action', field: 'publish' }])
  })

  it('changes nothing, and needs no scope', async () => {
    const draft = await owner.createDraft()
    const before = await owner.state(draft)
    await rehearse(draft, daemon.as('owner', { scopes: [] }))
    expect(await owner.state(draft)).toEqual(before)
  })

  it('is allowed to all who may read the deposit', async () => {
    const draft = await owner.createDraft()
    expectProblem(await daemon.visitor.get(publishUrl(draft)), 'unauthenticated')
    expectProblem(await daemon.as('stranger').get(publishUrl(draft)), 'permission_denied')
    expectProblem(await owner.get('/deposits/none/actions/publish'), 'deposit_not_found')
  })

  it('is the only action that GET accepts', async () => {
    const draft = await owner.createDraft()
    expectProblem(await owner.get(draft.links['edit'] ?? ''), 'method_not_allowed', /POST/)
    const head = await owner.send('HEAD', publishUrl(draft))
    expect([head.status, head.bytes.length]).toEqual([200, 0])
  })

  it('tells owners, and no holder of a link, that the version before was withdrawn', async () => {
    const first = await owner.createDraft({ title: 'Names' })
    await owner.publish(first)
    const draft = bodyOf<DepositBody>(await owner.act(first, 'newversion'), 201)
    expect(await rehearse(draft)).not.toHaveProperty('withdrawn_version')
    const reason = { json: { reason: 'personal-data' } }
    const withdrawn = bodyOf<DepositBody>(
      await owner.post(`/deposits/${first.id}/actions/withdraw`, reason),
      202,
    )
    const link = bodyOf<{ readonly url: string }>(
      await owner.post(`/deposits/${draft.id}/links`, { json: { role: 'reader' } }),
      201,
    )
    const cookie = `deposit_link=${new URL(link.url).searchParams.get('key')}`

    const version = {
      url: withdrawn.links['record_html'],
      at: withdrawn.withdrawn?.at,
      reason: 'personal-data',
    }
    expect(await rehearse(draft)).toMatchObject({ publishable: true, withdrawn_version: version })
    expect(await rehearse(first)).toMatchObject({ publishable: false, withdrawn_version: version })
    const byLink = bodyOf(await send('GET', publishUrl(draft), { headers: { cookie } }), 200)
    expect(byLink).toHaveProperty('errors')
    expect(byLink).not.toHaveProperty('withdrawn_version')
  })
})
