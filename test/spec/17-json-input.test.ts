import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { head, rawRequest } from '../support/raw-request.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { malformed, wellFormed } from './json-texts.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')
const draft = await ada.createDraftWith('a')

const json = { 'content-type': 'application/json' }

const putText = (
  text: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = json,
) => ada.send('PUT', `/deposits/${draft.id}`, { body: text, headers })

/** Expects that nothing of the deposit changes while `attempt` runs. */
async function expectUntouched(attempt: () => Promise<void>): Promise<void> {
  const before = await ada.state(draft)
  await attempt()
  expect(await ada.state(draft)).toEqual(before)
}

/** An object of so many fields. */
function fields(count: number): string {
  return `{${Array.from({ length: count }, (_, at) => `"f${at}":1`).join()}}`
}

describe('JSON that is malformed', () => {
  it.for(malformed)('%s is 400 as a document, and changes nothing', async ([, text]) => {
    await expectUntouched(async () => {
      expectProblem(await putText(text), 'malformed_json', /^The body is not valid JSON/)
    })
  })
})

describe('JSON that is well formed', () => {
  it.for(wellFormed)('%s is accepted as a value, and returned unchanged', async ([, text]) => {
    const reply = await putText(`{"x":${text}}`)

    expect(reply.status).toBe(200)
    const { metadata } = reply.body as DepositBody
    expect(metadata).toHaveProperty('x', JSON.parse(text))
  })
})

describe('a change of a long document', () => {
  const text = 'Wasserstände, \u{1f30a} '.repeat(6000)
  const first = { zone: 7, text, title: 'levels', '10': 'ten', nested: { b: 1, a: [1.0, -0.5] } }
  const second = { ...first, title: 'levels, corrected' }

  it('answers with the document as it is read afterwards', async () => {
    for (const document of [first, second]) {
      const { body, status } = await ada.put(`/deposits/${draft.id}`, document)
      expect(status).toBe(200)
      expect(body).toEqual((await ada.get(`/deposits/${draft.id}`)).body)
      expect((body as DepositBody).metadata).toMatchObject(document)
    }
    const patch = [{ op: 'replace', path: '/title', value: 'levels, again' }]
    const { body } = await ada.patch(`/deposits/${draft.id}`, patch)
    expect(body).toEqual((await ada.get(`/deposits/${draft.id}`)).body)
    expect((body as DepositBody).metadata).toHaveProperty('title', 'levels, again')
  })

  it('answers so indented, too, and when it is repeated', async () => {
    const [path, key] = [`/deposits/${draft.id}?prettyprint=1`, { 'idempotency-key': 'long' }]
    const { body } = await ada.put(path, first, key)
    expect((body as DepositBody).metadata).toMatchObject(first)
    const { body: again, headers } = await ada.put(path, first, key)
    expect(headers.get('idempotency-replayed')).toBe('true')
    expect(again).toEqual(body)
  })
})

describe('JSON of a great size', () => {
  const filled = (size: number) => `{"x":"${'a'.repeat(size - 8)}"}`
  const max = 1_048_576

  it('is accepted at 1 MiB, and is 413 with one byte more, even when chunked', async () => {
    expect((await putText(filled(max))).status).toBe(200)
    await expectUntouched(async () => {
      expectProblem(await putText(filled(max + 1)), 'body_too_large', /./)
      const body = new Blob([filled(max + 1)]).stream()
      const chunked = { body, headers: json, duplex: 'half' as const }
      expectProblem(await ada.send('PUT', `/deposits/${draft.id}`, chunked), 'body_too_large', /./)
    })
  })

  it('that is compressed is 415', async () => {
    await expectUntouched(async () => {
      for (const encoding of ['gzip', 'br', 'deflate', 'zstd']) {
        const reply = await putText('{}', { ...json, 'content-encoding': encoding })
        expectProblem(reply, 'unsupported_media_type', /./)
      }
    })
  })

  it.for([
    ['10,000 fields', fields(10_000)],
    ['an array of 10,000 elements', `{"x":[${Array(10_000).fill('{"a":[]}').join()}]}`],
    ['a name of almost 1 MiB', `{"${'n'.repeat(max - 100)}":1}`],
    ['64 levels', `{"x":${'['.repeat(63)}${']'.repeat(63)}}`],
  ] as const)('with %s is accepted or refused, and the service keeps running', async ([, text]) => {
    const reply = await putText(text)

    expect([200, 400, 413]).toContain(reply.status)
    expect((await ada.show(draft)).id).toBe(draft.id)
    await putText('{"title":"Sea level"}')
  })

  it('with an object of more than 10,000 fields is 400', async () => {
    await expectUntouched(async () => {
      for (const text of [fields(80_000), `{"x":${fields(10_001)}}`]) {
        expectProblem(await putText(text), 'malformed_json', /10000 fields/)
      }
    })
  })

  it('of 65 levels or 200,000 is 400', async () => {
    await expectUntouched(async () => {
      for (const levels of [64, 200_000]) {
        const text = `{"x":${'['.repeat(levels)}${']'.repeat(levels)}}`
        expectProblem(await putText(text), 'malformed_json', /64 levels/)
      }
    })
  })
})

describe('Names that objects inherit', () => {
  it.for([
    '{"__proto__":{"polluted":true}}',
    '{"a":{"b":{"c":{"d":{"__proto__":{"polluted":true}}}}}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"a":{"b":{"c":{"constructor":{"prototype":{"polluted":true}}}}}}',
  ])('%s is 400 and reaches no other deposit', async (text) => {
    await expectUntouched(async () => {
      expectProblem(await putText(text), 'malformed_json', /./)
    })
    const other = await ada.createDraft({})
    expect(other.metadata).not.toHaveProperty('polluted')
  })

  it('constructor, toString and hasOwnProperty are ordinary fields', async () => {
    const metadata = { constructor: 1, toString: 'x', hasOwnProperty: [true] }
    const reply = await ada.put(`/deposits/${draft.id}`, metadata)

    expect(reply.body).toMatchObject({ metadata })
  })
})

describe('A media type that only looks like JSON', () => {
  it.for([
    'text/plain',
    'application/jsonx',
    'application/json garbage',
    'application/json\ta',
    'application/x-www-form-urlencoded',
    'application/json-patch+json',
    'json',
  ])('%j for a document is 415, and the body is not read', async (type) => {
    await expectUntouched(async () => {
      const common = {
        host: new URL(daemon.origin).host,
        connection: 'close',
        'content-length': '2',
      }
      const headers = { ...common, ...(await ada.authorization()), 'content-type': type }
      const line = `PUT /api/deposits/${draft.id}`
      expect((await rawRequest(daemon.origin, head(line, headers), '{}')).status).toBe(415)
    })
  })

  it('JSON with spaces around its media type is validated as usual', async () => {
    await expectUntouched(async () => {
      const reply = await putText('{"title":7}', { 'content-type': ' application/json ' })
      expectProblem(reply, 'invalid_document')
    })
  })
})

describe('_deposit in any shape', () => {
  const shapes = [
    null,
    7,
    'x',
    [],
    {},
    { id: 'x' },
    { id: '../x', owners: ['eve'], created_by: 'eve', status: 'published', pid: 9 },
    { type: 'recid', value: '1', revision_id: 7 },
  ]

  it.for(shapes)('%j is ignored by POST, PUT and PATCH', async (_deposit) => {
    const { metadata, id } = await ada.createDraft({ title: 'x', _deposit })
    const own = metadata._deposit
    expect(own).toMatchObject({ id, status: 'draft' })
    const path = `/deposits/${id}`

    for (const reply of [
      await ada.put(path, { title: 'y', _deposit }),
      await ada.patch(path, [{ op: 'add', path: '/title', value: 'z' }]),
      await ada.put(path, {}),
    ]) {
      expect(reply.status).toBe(200)
      expect((reply.body as DepositBody).metadata._deposit).toEqual(own)
    }
  })

  it.for([
    { op: 'replace', path: '/_deposit', value: {} },
    { op: 'remove', path: '/_deposit' },
    { op: 'remove', path: '/_deposit/owners/0' },
    { op: 'add', path: '/_deposit/owners/-', value: 'eve' },
    { op: 'move', from: '/_deposit/id', path: '/title' },
    { op: 'move', from: '/title', path: '/_deposit/id' },
    { op: 'copy', from: '/title', path: '/_deposit/status' },
    { op: 'replace', path: '', value: { _deposit: { owners: ['eve'] } } },
    { op: 'add', path: '/%5Fdeposit', value: 1 },
    { op: 'add', path: '/__proto__/owners', value: ['eve'] },
    { op: 'add', path: '/constructor/prototype/owners', value: ['eve'] },
    { op: 'add', path: '/-', value: 1 },
  ])('the patch operation %j leaves it unchanged', async (operation) => {
    const target = await ada.createDraft()
    const own = target.metadata._deposit
    const reply = await ada.patch(`/deposits/${target.id}`, [operation])

    expect([200, 400]).toContain(reply.status)
    expect((await ada.show(target)).metadata._deposit).toEqual(own)
  })
})

describe('A patch that would make a document grow without bounds', () => {
  it('by copying is 400 or 413, and nothing of it is applied', async () => {
    const target = await ada.createDraft({ x: ['a'.repeat(1000)] })
    const copies = Array.from({ length: 60 }, () => ({ op: 'copy', from: '/x', path: '/x/-' }))
    const reply = await ada.patch(`/deposits/${target.id}`, copies)

    expect([400, 413]).toContain(reply.status)
    expect(await ada.show(target)).toEqual(target)
  })
})

describe('A search that asks for too much', () => {
  it.for([
    ['page=1001&size=10', 'invalid_paging'],
    ['size=-1', 'invalid_paging'],
    ['size=1000000000', 'invalid_paging'],
    ['size=abc', 'invalid_paging'],
    [`q=${'('.repeat(500)}`, 'invalid_query'],
    ['q="open', 'invalid_query'],
  ] as const)('%s is 400', async ([query, code]) => {
    expectProblem(await ada.get(`/deposits/?${query}`), code, /./)
  })

  it.for(['*'.repeat(1000), '.*+?^${}[]\\', '\u202etxt.exe', 'a'.repeat(3000), '~~~', '\u0000'])(
    'for %j is 200 or 400, never a failure',
    async (query) => {
      const { status } = await ada.get(`/deposits/?q=${encodeURIComponent(query)}`)
      expect([200, 400]).toContain(status)
    },
  )

  it('in an address of 100 kB is 414 or 431, and the next request is answered', async () => {
    const line = `GET /api/deposits/?q=${'a'.repeat(100_000)}`
    const headers = { host: new URL(daemon.origin).host, connection: 'close' }
    const { status } = await rawRequest(daemon.origin, head(line, headers))

    expect([414, 431]).toContain(status)
    expect((await ada.search()).hits.total).toBeGreaterThan(0)
  })
})
