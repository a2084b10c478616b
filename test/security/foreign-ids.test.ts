import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { send, type Reply, type Sent } from '../support/http.ts'
import { head, rawRequest } from '../support/raw-request.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { DepositState } from '../support/user.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')
const bob = daemon.as('bob')

const secret = 'Known to Ada alone'
const tus = { 'tus-resumable': '1.0.0' }

/** Ids of Ada's that Bob knows: of a deposit and everything in it. */
interface Known {
  readonly hers: DepositBody
  readonly file: FileBody
  /** URL of an upload under way. */
  readonly upload: string
  /** Bob's own draft, with a file under a key that Ada has as well. */
  readonly own: DepositBody
}

let known: Known
let before: DepositState
beforeAll(async () => {
  const { id } = await ada.createDraft({ title: secret })
  const file = await ada.addFile({ id }, 'a', secret)
  const headers = { ...tus, 'upload-length': '2', 'upload-metadata': 'filename Yw==' }
  const begun = await ada.post(`/deposits/${id}/uploads`, { headers })
  const upload = begun.headers.get('location') ?? ''
  known = { hers: await ada.show({ id }), file, upload, own: await bob.createDraftWith('a', 'b') }
  before = await ada.state({ id })
})

type Attempt = readonly [name: string, run: (known: Known) => Promise<Reply>, ...statuses: number[]]

const item = ({ id }: Pick<DepositBody, 'id'>) => `/deposits/${id}`
const bytes = { body: 'of Bob', headers: { 'content-type': 'application/octet-stream' } }
const piece = {
  body: 'xx',
  headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
}

/** The same path, written in another way. */
const spellings: readonly (readonly [name: string, spell: (id: string) => string])[] = [
  ['a slash behind it', (id) => `/deposits/${id}/`],
  ['capitals', (id) => `/deposits/${id.toUpperCase()}`],
  ['an encoded letter', (id) => `/deposits/%${id.charCodeAt(0).toString(16)}${id.slice(1)}`],
  ['an encoded slash behind it', (id) => `/deposits/${id}%2f`],
  ['an encoded slash before it', (id) => `/deposits%2f${id}`],
  ['two slashes', (id) => `/deposits//${id}`],
  ['a parameter behind it', (id) => `/deposits/${id};a=b`],
]

const attempts: readonly Attempt[] = [
  ['HEAD of the deposit', ({ hers }) => bob.send('HEAD', item(hers)), 403],
  ['HEAD of the file', ({ file }) => bob.send('HEAD', file.links.self), 403],
  ['HEAD of the object', ({ file }) => bob.send('HEAD', file.links.download), 403],
  ['HEAD of the upload', ({ upload }) => bob.send('HEAD', upload, { headers: tus }), 403],
  ['a version of the file', ({ file }) => bob.get(versionOf(file.links.self, file)), 403],
  ['a link that downloads the file', ({ file }) => bob.post(file.links.download), 403],
  ...['edit', 'discard', 'newversion', 'register', 'merge'].map((action): Attempt => [
    action,
    ({ hers }) => bob.act(hers, action),
    403,
  ]),
  ...['GET', 'POST'].flatMap((method) =>
    ['x-http-method-override', 'x-method-override', 'x-http-method'].map((name): Attempt => [
      `DELETE by ${method} and ${name}`,
      ({ hers }) => bob.send(method, item(hers), { headers: { [name]: 'DELETE' } }),
      403,
      405,
    ]),
  ),
  ...['GET', 'PUT', 'DELETE'].flatMap((method) =>
    spellings.map(([name, spell]): Attempt => [
      `${method} of the deposit with ${name}`,
      ({ hers: { id } }) => bob.send(method, spell(id), method === 'PUT' ? { json: {} } : {}),
      403,
      404,
      405,
    ]),
  ),
  [
    'her version of his file',
    ({ own, file }) => bob.get(versionOf(`${item(own)}/files/a`, file)),
    404,
  ],
  [
    'her version of his object',
    ({ own, file }) => bob.get(versionOf(`${own.links['bucket']}/a`, file)),
    404,
  ],
  ['her file id in his order', ({ own, file }) => sortWith(own, file.id), 400],
  ['her upload at his deposit', ({ own, upload }) => at(own, upload, 'PATCH', piece), 404],
  [
    'the end of her upload at his deposit',
    ({ own, upload }) => at(own, upload, 'DELETE', { headers: tus }),
    404,
  ],
  ['her upload', ({ upload }) => bob.send('PATCH', upload, piece), 403],
  ['the object under his token', ({ file }) => bob.send('PUT', file.links.download, bytes), 403],
]

describe('Bob, with all scopes and the identifiers of Ada’s deposit', () => {
  it.for(attempts)('is refused %s, and learns and changes nothing', async (attempt) => {
    const [, run, ...statuses] = attempt

    const { status, bytes: answer } = await run(known)

    expect(statuses).toContain(status)
    expect(answer.toString()).not.toContain(secret)
    expect(await ada.state(known.hers)).toEqual(before)
  })

  it('learns the methods of a deposit by OPTIONS, and nothing else', async () => {
    const { bytes: answer } = await bob.send('OPTIONS', item(known.hers))

    expect(answer.toString()).not.toContain(secret)
    expect(await ada.state(known.hers)).toEqual(before)
  })

  it('finds nothing by searching for them', async () => {
    const { hers, file } = known
    for (const query of [`"${hers.id}"`, `_deposit.id:${hers.id}`, `"${secret}"`, `"${file.id}"`]) {
      const found = await bob.search(`q=${encodeURIComponent(query)}`)

      expect(found.hits).toEqual({ hits: [], total: 0 })
      expect(found.aggregations['status']?.buckets).toEqual([])
    }
  })

  it('gets no token for her deposit, and cannot read it', async () => {
    const json = { name: 'hers', scope: 'deposit:write', deposit: known.hers.id }
    const { status, body } = await bob.post('/tokens/', { json })
    const { token = '' } = body as { readonly token?: string }
    const headers = { authorization: `Bearer ${token}` }

    const read = await send('GET', `${daemon.url}${item(known.hers)}`, { headers })

    expect(status).toBe(400)
    expect([401, 403]).toContain(read.status)
    expect(read.bytes.toString()).not.toContain(secret)
  })

  it.for(['\u0000', '%00', '%0d%0a', '..', '../..'])(
    'reads nothing of hers with %j in the path',
    async (between) => {
      const { id } = known.hers
      const { host } = new URL(daemon.origin)
      const headers = { host, connection: 'close', ...(await bob.authorization()) }
      const path = `/api/deposits/${known.own.id}/${between}/${id}`

      const { status, text } = await rawRequest(daemon.origin, head(`GET ${path}`, headers))

      expect([0, 400, 404]).toContain(status)
      expect(text).not.toContain(secret)
    },
  )
})

const versionOf = (url: string, { version_id: id }: FileBody): string => `${url}?versionId=${id}`

async function sortWith(own: DepositBody, foreign: string): Promise<Reply> {
  const [first] = await bob.files(own)
  return bob.put(`${item(own)}/files`, [{ id: first?.id }, { id: foreign }])
}

/** Asks for an upload as if it were one of another deposit. */
function at(own: DepositBody, upload: string, method: string, sent: Sent): Promise<Reply> {
  return bob.send(method, `${own.links['uploads']}/${upload.split('/').at(-1)}`, sent)
}
