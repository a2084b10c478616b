import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exportNames, packageNames } from '../../core/contract/exports.ts'
import type { DepositBody, DownloadLinkBody, FileBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const key = 'patients of ward 9/names & dates.csv'
const content = 'Lovelace;1815\n'.repeat(7201)
const description = 'Whoever was in ward 9 between May and July.'

let daemon: TestDaemon
let ada: User
/** Another user, with every scope. */
let eve: User
let deposit: DepositBody
/** What nobody else may learn once the record is withdrawn. */
let secrets: readonly string[] = []
/** Every address with the answer that it gave while the record was public. */
const before = new Map<string, Reply>()
/** Of a file, made by another user while it was public. */
let link = ''

beforeAll(async () => {
  daemon = await testDaemon({ env: { DEPOSIT_FOREIGN_APIS: 'zenodo' } })
  ada = daemon.as('ada')
  eve = daemon.as('eve')
  // With bytes of its own, so that sums over the service are none of a single file.
  const gauges = await ada.createDraft({ title: 'Gauges' })
  await ada.addFile(gauges, 'readme.txt')
  const first = await ada.publish(gauges)
  const draft = bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201)
  await ada.put(`/deposits/${draft.id}`, { title: 'Gauges of ward 9', description })
  await ada.addFile(draft, key, content)
  deposit = await ada.publish(draft)
  secrets = await secretsOf(deposit)
  const addresses = await addressesOf([first, deposit])
  for (const address of addresses) before.set(address, await daemon.visitor.get(address))
  const object = `${deposit.links['bucket']}/${encodeURIComponent(key)}`
  ;({ url: link } = bodyOf<DownloadLinkBody>(await eve.post(object), 201))
  const asked = { json: { reason: 'personal-data' } }
  bodyOf(await ada.post(`/deposits/${deposit.id}/actions/withdraw`, asked), 202)
})
afterAll(() => daemon[Symbol.asyncDispose]())

async function fileOf(of: DepositBody): Promise<FileBody | undefined> {
  return (await ada.files(of)).find(({ filename }) => filename === key)
}

async function secretsOf(of: DepositBody): Promise<readonly string[]> {
  const file = await fileOf(of)
  const digest = (name: string, form: 'hex' | 'base64') =>
    createHash(name).update(content).digest(form)
  const digests = [digest('sha256', 'hex'), digest('sha256', 'base64'), digest('md5', 'hex')]
  const names = ['names & dates', 'names &amp; dates', 'names%20%26%20dates', 'ward 9 between']
  const ids = [file?.id ?? '', file?.version_id ?? '']
  return [...names, 'Lovelace;1815', String(content.length), ...digests, ...ids]
}

/** Every address that can be read, of two deposits and their concept. */
async function addressesOf(deposits: readonly DepositBody[]): Promise<readonly string[]> {
  const numbers = bodyOf<readonly { readonly id: number; readonly conceptrecid: string }[]>(
    await ada.get(`${daemon.origin}/zenodo/api/deposit/depositions`),
    200,
  ).flatMap(({ id, conceptrecid }) => [String(id), conceptrecid])
  const values = deposits.flatMap(({ id, pids, metadata }) => [
    id,
    pids.concept.value,
    metadata._deposit?.value ?? '',
  ])
  const file = key.split('/').map(encodeURIComponent).join('/')
  const filled: Readonly<Record<string, readonly string[]>> = {
    pid_value: values,
    bucket: deposits.map(({ links }) => links['bucket']?.split('/').at(-1) ?? ''),
    name: [...exportNames, ...packageNames],
    revision: ['0'],
    id: numbers,
    n: ['1'],
    '*': [file, `${file}/content`],
  }
  const paths = daemon.routes
    .filter(({ method }) => method === 'GET')
    .flatMap(({ url }) => fill(url, filled))
  const queriesOf = (path: string): readonly string[] =>
    /\/(?:export|packages)\/./.test(path)
      ? ['', '?revision=0']
      : ['', '?versions', '?revision=0', '?versions=all&q=ward']
  const harvests = ['oai_dc', 'oai_datacite', 'datacite', 'dcat'].map(
    (prefix) => `/oai?verb=ListRecords&metadataPrefix=${prefix}`,
  )
  const all = [
    ...paths.flatMap((path) => queriesOf(path).map((query) => path + query)),
    ...harvests,
  ]
  return [...new Set(all)].map((path) => daemon.origin + path)
}

/** A route with each of the values that stand for its parts. */
function fill(url: string, filled: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const part = /:(\w+)(?:\([^)]*\))?|(\*)/.exec(url)
  if (!part) return [url]
  const values = filled[part[1] ?? part[2] ?? ''] ?? []
  return values.flatMap((value) => fill(url.replace(part[0], value), filled))
}

function leaksOf({ bytes, headers }: Reply): readonly string[] {
  const text = bytes.toString('latin1') + JSON.stringify([...headers.entries()])
  return secrets.filter((secret) => text.includes(secret))
}

describe('After a record was withdrawn', () => {
  it('a link to a file that was made before leads nowhere', async () => {
    const reply = await daemon.visitor.get(link)
    expect(reply.status).toBe(410)
    expect(leaksOf(reply)).toEqual([])
  })

  it('no route tells anybody else its description, or the bytes, names, sizes and digests of its files', async () => {
    const leaked = [...before].filter(
      ([, reply]) => reply.status === 200 && leaksOf(reply).length > 0,
    )
    // So many told them before: the test asks the right addresses.
    expect(leaked.length).toBeGreaterThan(60)
    for (const address of before.keys()) {
      const reply = await daemon.visitor.get(address)
      expect([address, leaksOf(reply)]).toEqual([address, []])
    }
    for (const [address, then] of leaked) {
      const kept = { 'if-none-match': then.headers.get('etag') ?? '"none"' }
      for (const [method, other, headers] of [
        ['GET', eve, {}],
        ['GET', daemon.visitor, { accept: 'text/html' }],
        ['GET', daemon.visitor, { range: 'bytes=0-9' }],
        ['GET', daemon.visitor, kept],
        ['HEAD', daemon.visitor, {}],
      ] as const) {
        const reply = await other.send(method, address, { headers })
        expect([method, address, leaksOf(reply)]).toEqual([method, address, []])
        expect([method, address, reply.status]).not.toEqual([method, address, 304])
      }
    }
  })

  it('its owner reads its files as before, and no cache keeps them', async () => {
    const file = await fileOf(deposit)
    const reply = await ada.get(file?.links.download ?? '')
    expect(reply.bytes.toString()).toBe(content)
    expect(reply.headers.get('cache-control')).not.toContain('public')
  })
})
