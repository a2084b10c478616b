import { afterAll, beforeAll, expect, it } from 'vitest'
import { bodyOf } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

let daemon: TestDaemon
let ada: User
beforeAll(async () => {
  daemon = await testDaemon({ env: { DEPOSIT_FOREIGN_APIS: 'rdm' } })
  ada = daemon.as('ada')
})
afterAll(() => daemon[Symbol.asyncDispose]())

const metadata = {
  title: 'Tides',
  resource_type: { id: 'dataset' },
  publication_date: '2026',
  creators: [{ person_or_org: { type: 'personal', family_name: 'Ada', name: 'Ada' } }],
}

interface Entries {
  readonly entries: readonly { readonly key: string; readonly status: string }[]
}

it.for(['deleted there', 'deleted here'])(
  'a file that was not confirmed comes out of the trash as it went in: %s',
  async (how) => {
    const records = `${daemon.origin}/rdm/api/records`
    const made = bodyOf<{ id: string }>(await ada.post(records, { json: { metadata } }), 201)
    const files = `${records}/${made.id}/draft/files`
    bodyOf(await ada.post(files, { json: [{ key: 'half.txt' }] }), 201)
    const headers = { 'content-type': 'application/octet-stream' }
    bodyOf(await ada.send('PUT', `${files}/half.txt/content`, { body: 'ha', headers }), 200)
    const [own] = (await ada.search()).hits.hits
    if (!own) throw new Error('there is no draft')
    await ada.putObject(own, 'whole.txt', 'whole')

    const there = how === 'deleted there'
    const removed = there ? `${files}/half.txt` : `/deposits/${own.id}/files/half.txt`
    expect((await ada.delete(removed)).status).toBe(204)
    const trash = `/deposits/${own.id}/trash`
    const [deleted] = bodyOf<readonly { id: string }[]>(await ada.get(trash), 200)
    const json = { filename: 'again.txt' }
    bodyOf(await ada.post(`${trash}/${deleted?.id}`, { json }), 201)

    const { entries } = bodyOf<Entries>(await ada.get(files), 200)
    expect(Object.fromEntries(entries.map(({ key, status }) => [key, status]))).toEqual({
      'again.txt': 'pending',
      'whole.txt': 'completed',
    })
    expect((await ada.act(own, 'publish')).body).toMatchObject({
      code: 'invalid_action',
      errors: [{ field: 'again.txt' }],
    })
    bodyOf(await ada.post(`${files}/again.txt/commit`), 200)
    await ada.publish(own)
  },
)
