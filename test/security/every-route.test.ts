import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bodyOf } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
}
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** Parameters of routes that the API document leaves out: pages, harvesters, other services. */
const ofOthers = [
  'access_token',
  'account',
  'all_versions',
  'challenge',
  'client_id',
  'from',
  'key',
  'l',
  'metadataPrefix',
  'more',
  'redirect_uri',
  'resumptionToken',
  'set',
  'suggest',
  'tags',
  'until',
  'user_code',
  'verb',
  'version_id',
]

let daemon: TestDaemon
let root: User
let document: ApiDocument
let filled: (template: string) => string

beforeAll(async () => {
  daemon = await testDaemon({ env: { DEPOSIT_REVIEW: 'optional' } })
  root = daemon.as('root', { admin: true })
  document = bodyOf(await daemon.visitor.get(`${daemon.origin}/openapi.json`), 200)
  const draft = await root.createDraftWith('a')
  const published = await root.createPublished({ title: 'Levels' })
  const depositions = await root.get(`${daemon.origin}/zenodo/api/deposit/depositions?size=1`)
  const [{ id: number }] = depositions.body as readonly [{ readonly id: number }]
  const { user } = bodyOf<{ readonly user: string }>(await root.get('/me'), 200)
  const values: Readonly<Record<string, string>> = {
    bucket: draft.links['bucket']?.split('/').at(-1) ?? '',
    key: 'a',
    name: 'bibtex',
    revision: '0',
    file: (await root.files(draft))[0]?.id ?? '',
    vocabulary: 'licenses',
    term: 'mit',
    uid: 'none',
    view: 'audit',
  }
  filled = (template) => {
    const id = /admin/.test(template) ? user : String(number)
    const value = /records/.test(template) ? String(published.metadata._deposit?.value) : draft.id
    return template
      .replace(/:pid_value|\{pid_value\}/, value)
      .replace(/:id(?:\([^)]*\))?|\{id\}/, id)
      .replaceAll(/:(\w+)|\{(\w+)\}/g, (_all, a: string, b: string) => values[a ?? b] ?? 'none')
      .replace('*', 'a')
  }
})
afterAll(() => daemon[Symbol.asyncDispose]())

/** The parameters of the query of each operation. */
function described() {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [] }]) =>
      parameters
        .filter((each) => each.in === 'query' && each.name !== 'prettyprint')
        .map(({ name }) => ({ method: method.toUpperCase(), path, name })),
    ),
  )
}

/** Filters of a search: let through what has one of the values. */
const mayRepeat = ({ path, name }: { readonly path: string; readonly name: string }): boolean =>
  /\/(?:deposits|records)$/.test(path) && ['status', 'type', 'keyword'].includes(name)

describe('a parameter that is given twice', () => {
  it('is refused by each operation of the API document that has it, and named', async () => {
    const wrong: unknown[] = []
    for (const each of described()) {
      const { method, path, name } = each
      if (method === 'HEAD' || mayRepeat(each)) continue
      const url = `${daemon.origin}${filled(path)}?${name}=1&${name}=2`
      const reply = await root.send(method, url, { headers: { accept: 'application/json' } })
      // The issuer answers with pages of its own.
      const isNamed = path.startsWith('/oauth/') || reply.bytes.includes(name)
      // A ticket takes the place of a token.
      if (reply.status !== (name === 'ticket' ? 401 : 400) || (reply.status === 400 && !isNamed))
        wrong.push([method, path, name, reply.status, reply.bytes.toString().slice(0, 200)])
    }
    expect(wrong).toEqual([])
  })

  it('ends no request of the other routes with an error of the service', async () => {
    const known = new Set(Object.keys(document.paths))
    const names = [...new Set([...described().map(({ name }) => name), ...ofOthers])]
    const failed: unknown[] = []
    for (const { method, url } of daemon.routes) {
      const path = url.replace('*', '{key}').replaceAll(/:(\w+)/g, '{$1}')
      if (method !== 'GET' || known.has(path)) continue
      for (const name of names) {
        const address = `${daemon.origin}${filled(url)}?${name}=1&${name}=2`
        const { status } = await root.get(address)
        if (status >= 500) failed.push([url, name, status])
      }
    }
    expect(failed).toEqual([])
  })
})

describe('an answer', () => {
  it('is kept for nobody else, unless it is the same for all', async () => {
    const wrong: unknown[] = []
    for (const { method, url } of daemon.routes) {
      if (method !== 'GET') continue
      const address = `${daemon.origin}${filled(url)}`
      for (const [name, user] of [
        ['owner', root],
        ['visitor', daemon.visitor],
      ] as const) {
        const { status, headers } = await user.get(address)
        const caching = headers.get('cache-control')
        const isClosed = /\b(?:no-cache|no-store)\b/.test(caching ?? '')
        if (!isClosed && !caching?.startsWith('public')) wrong.push([name, url, status, caching])
      }
    }
    expect(wrong).toEqual([])
    const { id } = await root.createDraft()
    for (const path of ['', '/files', '/history', '/comments', '/people', '/trash'])
      expect((await root.get(`/deposits/${id}${path}`)).headers.get('cache-control')).toMatch(
        /^private, no-(?:cache|store)$|^no-store$/,
      )
  })
})
