import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { form, formType } from '../support/form.ts'
import { bodyOf } from '../support/http.ts'
import { toToken } from '../../daemon/discovery/oai/resumption-token.ts'
import type { TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

/** Uses each route whose answer comes from rows, and each kind of search. */
export async function everythingIsUsed(daemon: TestDaemon): Promise<void> {
  const ada = daemon.as('ada')
  const curator = daemon.as('curator', { admin: true })
  await depositsAreUsed(ada)
  await filesAreUsed(ada)
  await recordsAreUsed(ada, curator)
  await tokensAreUsed(ada)
  await ada.get('/sign-ins/')
  await ada.delete('/sign-ins/')
  await depositsAreUsed(curator)
  // By one user: a search of an administrator excludes no deposits.
  await ada.search('q=-tide')
  await daemon.visitor.get('/records/')
  await recordsAreHarvested(daemon)
  await daemon.visitor.get('/health')
  await daemon.visitor.get(`${daemon.origin}/metrics`)
}

async function recordsAreHarvested({ visitor, origin }: TestDaemon): Promise<void> {
  const range = { from: undefined, until: '2100-01-01T00:00:00.000Z' }
  const after = { updated: '2000-01-01T00:00:00.000Z', value: 'abcde-12345' }
  const list = { verb: 'ListIdentifiers', prefix: 'oai_dc', set: undefined } as const
  const token = toToken({ ...list, range, after, cursor: 200 })
  await visitor.get(`${origin}/oai?verb=ListRecords&metadataPrefix=oai_dc&from=2000-01-01`)
  await visitor.get(`${origin}/oai?verb=ListIdentifiers&resumptionToken=${token}`)
  await visitor.get(`${origin}/sitemap.xml`)
}

/** Where many rows are asked for, a database may expect a full scan to be cheaper. */
export async function manyAreFound(daemon: TestDaemon): Promise<void> {
  const ada = daemon.as('ada')
  for (let left = 12; left > 0; left--) await ada.createPublished({ title: 'Level' })
  for (const size of [3, 12]) {
    await ada.search(`q=level&size=${size}`)
    await ada.get(`/records/?q=level&size=${size}`)
  }
}

/** One for each thing a query can ask. */
const queries = [
  'level~',
  'level~2',
  'title:lev*',
  '"sea level"',
  'level -tide',
  'level OR tide',
  'depth:[2 TO 8]',
  '_exists_:notes',
  '$schema:dataset',
] as const

async function depositsAreUsed(user: User): Promise<void> {
  const draft = await user.createDraft()
  const { id } = draft
  await user.search('review=submitted')
  await user.post(`/deposits/${id}/comments`, { json: { text: 'x' } })
  await user.get(`/deposits/${id}/comments`)
  await user.post('/deposits/', {
    json: { title: 'Tide' },
    headers: { 'idempotency-key': 'once' },
  })
  await user.put(`/deposits/${id}`, { title: 'Level' })
  await user.patch(`/deposits/${id}`, [{ op: 'add', path: '/notes', value: 'x' }])
  for (const query of ['', 'status=draft', 'sort=-mostrecent', 'page=2', 'q=level', 'size=50']) {
    await user.search(query)
  }
  for (const query of queries) await user.search(`q=${encodeURIComponent(query)}`)
  await user.delete(`/deposits/${id}`)
  await user.delete(`/deposits/${(await user.createDraftWith('a.txt')).id}?force=false`)
}

async function filesAreUsed(user: User): Promise<void> {
  const draft = await user.createDraftWith('a.txt', 'dir/b.txt')
  const [first, second] = await user.files(draft)
  await user.put(`/deposits/${draft.id}/files`, [{ id: second?.id }, { id: first?.id }])
  await user.put(`/deposits/${draft.id}/files/a.txt`, { filename: 'c.txt' })
  const put = bodyOf<FileBody>(await user.putObject(draft, 'c.txt', 'again'), 200)
  await user.get(`${put.links.self}?versionId=${put.version_id}`)
  await user.get(draft.links['bucket'] ?? '')
  await user.get(`${draft.links['bucket']}?versions`)
  await uploadInPieces(user, draft)
  const part = { name: 'file', filename: 'd.txt', content: '' }
  const headers = { 'content-type': formType }
  await user.post(draft.links['bundles'] ?? '', { headers, body: form(part) })
  await user.delete(`/deposits/${draft.id}/files/c.txt`)
  await user.delete(`/deposits/${draft.id}`)
}

async function uploadInPieces(user: User, { links }: DepositBody): Promise<void> {
  const tus = { 'tus-resumable': '1.0.0' }
  const name = Buffer.from('piece.txt').toString('base64')
  const headers = { ...tus, 'upload-length': '4', 'upload-metadata': `filename ${name}` }
  const begun = await user.post(links['uploads'] ?? '', { headers })
  await user.get(links['uploads'] ?? '')
  const type = { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
  const url = begun.headers.get('location') ?? ''
  await user.send('PATCH', url, { headers: type, body: 'data' })
}

async function recordsAreUsed(user: User, curator: User): Promise<void> {
  const draft = await user.createDraftWith('a.txt')
  await user.get(`/deposits/${draft.id}/actions/publish`)
  const published = await user.publish(draft)
  const record = published.links['record'] ?? ''
  for (const path of ['', '/versions', '/revisions', '/revisions/0']) await user.get(record + path)
  for (const query of ['', 'page=2', 'q=level', 'q=level~', 'sort=title']) {
    await user.get(`/records/?${query}`)
  }
  await curator.put(record, { title: 'Corrected' })
  await user.edit(published)
  await user.act(published, 'discard')
  await user.edit(published)
  await user.publish(published)
  const next = bodyOf<DepositBody>(await user.act(published, 'newversion'), 201)
  await user.publish(next)
  await user.act(published, 'register')
}

async function tokensAreUsed(user: User): Promise<void> {
  const made = await user.post('/tokens/', { json: { scope: 'deposit:write' } })
  await user.get('/tokens/')
  await user.get('/me')
  await user.delete(`/tokens/${(made.body as { readonly id: string }).id}`)
}
