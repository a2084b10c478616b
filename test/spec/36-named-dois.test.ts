import { describe, expect, it } from 'vitest'
import type { DepositBody, RehearsalBody } from '../../core/contract/schemas.ts'
import { doiDaemon, doiOf } from '../support/doi-daemon.ts'
import { bodyOf } from '../support/http.ts'
import type { User } from '../support/user.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { expectProblem } from '../support/problem.ts'

const invented = '10.5072/new-one'
const elsewhere = '10.1234/elsewhere'

async function write(user: User, { id }: DepositBody, metadata: object): Promise<DepositBody> {
  return bodyOf(await user.put(`/deposits/${id}`, metadata), 200)
}

describe('A DOI that a document names', () => {
  it('is not one of this service, which is that of another record or of none', async () => {
    await using fixture = await doiDaemon()
    const [ada, eve] = [fixture.daemon.as('ada'), fixture.daemon.as('eve')]
    const { value } = await doiOf(ada, await ada.createPublished(), 'registered')
    const draft = await ada.createDraft()
    const { pids } = bodyOf<DepositBody>(await ada.act(draft, 'reserve'), 201)
    const reserved = pids.doi?.value ?? ''
    for (const doi of [value, reserved, invented, invented.toUpperCase()]) {
      const theirs = await eve.createDraft({ title: 'Mine', doi })
      const reply = await eve.act(theirs, 'publish')
      expectProblem(reply, 'invalid_document', /./)
      expect(JSON.stringify(reply.body)).toContain('"field":"/doi"')
      const path = `/deposits/${theirs.id}/actions/publish`
      const { errors } = bodyOf<RehearsalBody>(await eve.get(path), 200)
      expect(errors).toMatchObject([{ code: 'invalid_document', field: '/doi' }])
    }
  })

  it('may be the one that was reserved for the record, which is registered all the same', async () => {
    await using fixture = await doiDaemon()
    const ada = fixture.daemon.as('ada')
    const draft = await ada.createDraft()
    const { pids } = bodyOf<DepositBody>(await ada.act(draft, 'reserve'), 201)
    const doi = pids.doi?.value
    const written = await write(ada, draft, { title: 'Sea level', doi })
    expect((await doiOf(ada, await ada.publish(written), 'registered')).value).toBe(doi)
  })

  it('is no second one beside a DOI that was reserved, nor beside that of the record', async () => {
    await using fixture = await doiDaemon()
    const ada = fixture.daemon.as('ada')
    const draft = await ada.createDraft()
    const { pids } = bodyOf<DepositBody>(await ada.act(draft, 'reserve'), 201)
    const own = pids.doi?.value ?? ''
    const both = await write(ada, draft, { title: 'Sea level', doi: elsewhere })
    const path = `/deposits/${draft.id}/actions/publish`
    const { errors } = bodyOf<RehearsalBody>(await ada.get(path), 200)
    expect(errors.map(({ field }) => field)).toEqual(['/doi'])
    expect(JSON.stringify(errors)).toContain(`This record has the DOI ${own}`)
    expect(JSON.stringify((await ada.act(both, 'publish')).body)).toContain('Remove it from this')
    expect(JSON.stringify((await ada.act(both, 'reserve')).body)).toContain('Remove it from this')

    // As the message says.
    const published = await ada.publish(await write(ada, both, { title: 'Sea level' }))
    expect((await doiOf(ada, published, 'registered')).value).toBe(own)
    const edited = bodyOf<DepositBody>(await ada.act(published, 'edit'), 201)
    const again = await write(ada, edited, { title: 'Sea level', doi: elsewhere })
    expectProblem(await ada.act(again, 'publish'), 'invalid_document', /./)
  })

  it('keeps another one from being reserved, until the field is empty', async () => {
    await using fixture = await doiDaemon()
    const ada = fixture.daemon.as('ada')
    const draft = await ada.createDraft({ title: 'Sea level', doi: elsewhere })
    const reply = await ada.act(draft, 'reserve')
    expectProblem(reply, 'invalid_document', /./)
    expect(JSON.stringify(reply.body)).toContain('"field":"/doi"')
    expect(JSON.stringify(reply.body)).toContain(`the DOI ${elsewhere}`)
    expect((await ada.show(draft)).pids.doi).toBeUndefined()
    await write(ada, draft, { title: 'Sea level' })
    const { pids } = bodyOf<DepositBody>(await ada.act(draft, 'reserve'), 201)
    expect(pids.doi?.status).toBe('reserved')
    // Named as its own, it is the same one.
    await write(ada, draft, { title: 'Sea level', doi: pids.doi?.value.toUpperCase() })
    bodyOf(await ada.act(draft, 'reserve'), 201)
  })

  it('is not handed on to the next version, nor taken by it', async () => {
    await using fixture = await doiDaemon()
    const ada = fixture.daemon.as('ada')
    const doi = '10.1234/elsewhere'
    const first = await ada.createPublished({ title: 'Sea level', doi })
    const next = bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201)
    expect(next.metadata).not.toHaveProperty('doi')
    const again = await write(ada, next, { title: 'Sea level', doi: doi.toUpperCase() })
    const reply = await ada.act(again, 'publish')
    expectProblem(reply, 'invalid_document', /./)
    const mended = await write(ada, again, { title: 'Sea level' })
    await doiOf(ada, await ada.publish(mended), 'registered')
  })
})

describe('The next version of a record', () => {
  it('begins with what the newest one has, from whichever it is opened', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const first = await ada.publish(await ada.createDraftWith('a.csv'))
    const second = bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201)
    await ada.addFile(second, 'forgotten.csv')
    await write(ada, second, { title: 'Corrected' })
    await ada.publish(second)

    const third = bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201)
    expect(third.metadata).toMatchObject({ title: 'Corrected' })
    expect(await ada.keys(third)).toEqual(['a.csv', 'forgotten.csv'])
  })

  it('has nothing of a newest one that was withdrawn, if it is opened from another', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const first = await ada.publish(await ada.createDraftWith('a.csv'))
    const second = bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201)
    await ada.addFile(second, 'private.csv')
    await ada.publish(second)
    const asked = { json: { reason: 'personal-data' } }
    bodyOf(await ada.post(`/deposits/${second.id}/actions/withdraw`, asked), 202)

    const third = bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201)
    expect(await ada.keys(third)).toEqual(['a.csv'])
  })
})
