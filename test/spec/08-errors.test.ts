import { afterAll, describe, expect, it } from 'vitest'
import { problems } from '../../core/contract/problems.ts'
import { form, formType, type Part } from '../support/form.ts'
import type { Reply } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { head, rawRequest } from '../support/raw-request.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')

/** Broken syntax first, then texts that could not be stored and returned unchanged. */
const syntax = ['', '{', '{"a":1,}', '[1', 'nul', '{"a":1}}']
const numbers = ['{"n":1e400}', '{"n":-0}', '{"n":9007199254740993}']
const strings = ['"\\ud800"', '{"s":"\\u0000"}', '{"__proto__":{}}', '{"a":1,"a":2}']
const notJson = [...syntax, ...numbers, ...strings, '['.repeat(65) + ']'.repeat(65)]

const json = { 'content-type': 'application/json' }

describe('Errors: the table of the specification', () => {
  it('an operation in the wrong status: 403, message "Invalid action"', async () => {
    const draft = await ada.createDraft()

    expectProblem(await ada.act(draft, 'edit'), 'invalid_action', 'Invalid action')
  })

  it('upload of a file whose key exists: 400, file-already-exists error', async () => {
    const draft = await ada.createDraftWith('a')

    expectProblem(await ada.upload(draft, 'a'), 'file_already_exists', 'Filename already exists.')
  })

  it('sorting with an element lacking id: 400, wrong-file error', async () => {
    const draft = await ada.createDraftWith('a')
    const reply = await ada.put(`/deposits/${draft.id}/files`, [{}])

    expectProblem(reply, 'wrong_file', 'Wrong file on input.')
  })

  it.for([{}, { filename: '../a' }])('renaming to %j: 400, wrong-file error', async (body) => {
    const draft = await ada.createDraftWith('a')
    const reply = await ada.put(`/deposits/${draft.id}/files/a`, body)

    expectProblem(reply, 'wrong_file', 'Wrong file on input.')
  })

  it('a file key that is not found on GET, PUT and DELETE: 404', async () => {
    const path = `/deposits/${(await ada.createDraft()).id}/files/nope`

    expectProblem(await ada.get(path), 'file_not_found')
    expectProblem(await ada.put(path, { filename: 'b' }), 'file_not_found')
    expectProblem(await ada.delete(path), 'file_not_found')
  })

  it('a version that is not found: 404', async () => {
    const path = `/deposits/${(await ada.createDraftWith('a')).id}/files/a`
    const headers = { version_id: '00000000-0000-4000-8000-000000000000' }

    expectProblem(await ada.get(path, headers), 'version_not_found')
  })

  it('edit when the identifier status is registered: invalid-action error', async () => {
    const published = await ada.createPublished()
    await ada.act(published, 'register')

    expectProblem(await ada.act(published, 'edit'), 'invalid_action', 'Invalid action')
  })
})

describe('Errors: addresses and methods', () => {
  it.for(['nope', '%00', '..%2fetc', 'a'.repeat(2000), '%E2%80%AE'])(
    'the unknown deposit %j is 404 on every route',
    async (id) => {
      for (const path of ['', '/files', '/files/a']) {
        expectProblem(await ada.get(`/deposits/${id}${path}`), 'deposit_not_found')
      }
      expectProblem(await ada.post(`/deposits/${id}/actions/publish`), 'deposit_not_found')
    },
  )

  it.for(['%zz', '%ff', '%c0%ae', 'a'.repeat(4000)])(
    'an address that cannot be decoded or is too long is 400 (%#)',
    async (id) => {
      expectProblem(await ada.get(`/deposits/${id}`), 'malformed_request')
    },
  )

  it('an unknown address is 404', async () => {
    for (const url of [`${daemon.url}/nope`, `${daemon.origin}/schemas/nope`]) {
      expectProblem(await ada.get(url), 'not_found')
    }
    expectProblem(await ada.get('/records/nope'), 'record_not_found')
    expectProblem(await ada.get('/files/nope'), 'deposit_not_found', /./)
  })

  it.for(['<script>x', '%3Cscript%3Ex', '"><script>x', '%0d%0aX-Own:%20x'])(
    'no answer repeats the address %j',
    async (text) => {
      const { host } = new URL(daemon.origin)
      for (const below of ['/api', '/api/deposits', '/api/records', '/schemas', '/deposit', '']) {
        for (const accept of ['application/json', 'text/html']) {
          const headers = { host, accept, connection: 'close', ...(await ada.authorization()) }
          const request = head(`GET ${below}/${text}?${text}`, headers)
          const reply = await rawRequest(daemon.origin, request)

          expect([below, reply.status]).toEqual([below, expect.toBeOneOf([400, 404, 406])])
          expect(reply.text).not.toMatch(/<script>x|^X-Own/im)
        }
      }
    },
  )

  it.for([
    ['PATCH', '/deposits/', 'GET, HEAD, OPTIONS, POST'],
    ['DELETE', '/deposits/', 'GET, HEAD, OPTIONS, POST'],
    ['POST', '/deposits/nope', 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'],
    ['PATCH', '/deposits/nope/files', 'GET, HEAD, OPTIONS, POST, PUT'],
    ['POST', '/deposits/nope/files/a', 'DELETE, GET, HEAD, OPTIONS, PUT'],
  ])('%s %s is 405 with Allow', async ([method = '', path = '', allow = '']) => {
    const reply = await ada.send(method, path, { json: {} })

    expectProblem(reply, 'method_not_allowed', /./)
    expect(reply.headers.get('allow')).toBe(allow)
  })
})

describe('Errors: bodies', () => {
  it.for(notJson)('malformed JSON %j is 400, and nothing is changed', async (body) => {
    const draft = await ada.createDraft()
    const before = await ada.state(draft)
    const path = `/deposits/${draft.id}`

    for (const reply of [
      await ada.post('/deposits/', { body, headers: json }),
      await ada.send('PUT', path, { body, headers: json }),
      await ada.send('PATCH', path, { body, headers: json }),
      await ada.send('PUT', `${path}/files`, { body, headers: json }),
    ]) {
      expectProblem(reply, 'malformed_json', /^The body is not valid JSON/)
    }
    expect(await ada.state(draft)).toEqual(before)
  })

  it.for(['[]', '"x"', '7', 'null', 'true'])('a document that is %s is 400', async (body) => {
    const draft = await ada.createDraft()
    const before = await ada.state(draft)

    const put = await ada.send('PUT', `/deposits/${draft.id}`, { body, headers: json })
    expectProblem(put, 'invalid_document')
    expectProblem(await ada.post('/deposits/', { body, headers: json }), 'invalid_document')
    expect(await ada.state(draft)).toEqual(before)
  })

  it.for([
    { op: 'replace', path: '/nope', value: 1 },
    { op: 'test', path: '/title', value: 'other' },
    { op: 'remove', path: '' },
    { op: 'nope', path: '/title' },
    { op: 'add', path: 'title', value: 1 },
    { op: 'add', path: '/__proto__/x', value: 1 },
    {},
  ])('the patch %j is 400, and no operation of it is applied', async (operation) => {
    const draft = await ada.createDraft()
    const before = await ada.state(draft)
    const first = { op: 'add', path: '/notes', value: 'lost' }

    expectProblem(await ada.patch(`/deposits/${draft.id}`, [first, operation]), 'invalid_patch')
    expect(await ada.state(draft)).toEqual(before)
  })

  it.for([{}, 'x', null, Array.from({ length: 101 }, () => ({ op: 'test', path: '', value: 1 }))])(
    'a patch that is not a list of at most 100 operations is 400 (%#)',
    async (patch) => {
      const draft = await ada.createDraft()

      expectProblem(await ada.patch(`/deposits/${draft.id}`, patch), 'invalid_patch')
    },
  )

  it.for([
    'text/plain',
    'application/json2',
    'application/json garbage',
    'x',
    'multipart/form-data',
  ])('the media type %j is 415 where JSON is expected', async (type) => {
    const draft = await ada.createDraftWith('a')
    const before = await ada.state(draft)
    const path = `/deposits/${draft.id}`
    const sent = { body: '{}', headers: { 'content-type': type } }

    for (const reply of [
      await ada.post('/deposits/', sent),
      await ada.send('PUT', path, sent),
      await ada.send('PATCH', path, sent),
      await ada.send('PUT', `${path}/files`, sent),
      await ada.send('PUT', `${path}/files/a`, sent),
    ]) {
      expectProblem(reply, 'unsupported_media_type', /application\/json/)
    }
    expect(await ada.state(draft)).toEqual(before)
  })

  it('a body without a media type, or compressed, is 415', async () => {
    const body = Buffer.from('{}')
    expectProblem(await ada.post('/deposits/', { body }), 'unsupported_media_type', /./)
    const headers = { ...json, 'content-encoding': 'gzip' }
    expectProblem(await ada.post('/deposits/', { body, headers }), 'unsupported_media_type', /gzip/)
  })

  it('application/json with parameters and in capitals is JSON', async () => {
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' }

    expect((await ada.post('/deposits/', { body: '{}', headers })).status).toBe(201)
  })

  it('a body one byte over the limit is 413, and nothing is changed', async () => {
    const draft = await ada.createDraft()
    const before = await ada.state(draft)
    const document = (size: number) => `{"notes":"${'x'.repeat(size - 12)}"}`
    const put = (body: string) => ada.send('PUT', `/deposits/${draft.id}`, { body, headers: json })

    expectProblem(await put(document(2 ** 20 + 1)), 'body_too_large')
    expect(await ada.state(draft)).toEqual(before)
    expect((await put(document(2 ** 20))).status).toBe(200)
  })
})

describe('Errors: requests that are not valid HTTP', () => {
  const host = new URL(daemon.origin).host
  const closed = { host, connection: 'close' }
  const long = { host, 'x-long': 'x'.repeat(100_000) }

  it.for([
    ['an address in raw bytes', head('GET /api/deposits/é', { host }), 'malformed_request'],
    ['a header without a name', head('GET /api/deposits', { host, '': 'x' }), 'malformed_request'],
    ['a head of 100 kB', head('GET /api/deposits', long), 'head_too_large'],
    ['an expectation', head('GET /health', { ...closed, expect: 'tea' }), 'unmet_expectation'],
    ['no host', head('GET /health', { connection: 'close' }), 'malformed_request'],
  ] as const)('%s is answered with the common body of errors', async ([, request, code]) => {
    const { status, text } = await rawRequest(daemon.origin, request)
    const [top = '', body = ''] = text.split('\r\n\r\n')

    expect(status).toBe(problems[code].status)
    expect(top.toLowerCase()).toContain('deposit-api-version: 1')
    expect(JSON.parse(body)).toMatchObject({
      ...problems[code],
      code,
      request_id: expect.stringMatching(/\S/) as string,
    })
  })
})

describe('Errors: forms', () => {
  const file = { name: 'file', filename: 'a.txt', content: 'content' }
  const fields = Array.from({ length: 100 }, (_, index) => ({ name: `f${index}`, content: 'x' }))
  const broken: Readonly<Record<string, readonly Part[]>> = {
    'no part at all': [],
    'no file part': [{ name: 'name', content: 'a.txt' }],
    'a file part of another name': [{ ...file, name: 'upload' }],
    'two file parts': [file, { ...file, filename: 'b.txt' }],
    'three file parts': [file, { ...file, filename: 'b' }, { ...file, filename: 'c' }],
    'a file without any name': [{ ...file, filename: '' }],
    'a file and 100 fields': [file, ...fields],
    'a name of which nothing is left': [{ name: 'name', content: '../..' }, file],
    'a name of 256 bytes': [{ name: 'name', content: 'é'.repeat(128) }, file],
    'a name of 1,025 bytes': [{ name: 'name', content: `${'abcd/'.repeat(204)}abcde` }, file],
  }

  it.for(Object.entries(broken))('%s is 400, and nothing is kept', async ([, parts]) => {
    const draft = await ada.createDraft()
    const before = await ada.state(draft)
    const stored = await daemon.storedBytes()
    const sent = { body: form(...parts), headers: { 'content-type': formType } }
    const reply = await ada.post(`/deposits/${draft.id}/files`, sent)

    expectProblem(reply, 'wrong_file', 'Wrong file on input.')
    expect(await ada.state(draft)).toEqual(before)
    expect(await daemon.storedBytes()).toEqual(stored)
  })

  async function refused(type: string, body: string | Buffer<ArrayBuffer>): Promise<Reply> {
    const draft = await ada.createDraft()
    const before = await ada.state(draft)
    const stored = await daemon.storedBytes()
    const sent = { body, headers: { 'content-type': type } }
    const reply = await ada.post(`/deposits/${draft.id}/files`, sent)

    expect(await ada.state(draft)).toEqual(before)
    expect(await daemon.storedBytes()).toEqual(stored)
    return reply
  }

  it('a form without its closing boundary is 400, and nothing is kept', async () => {
    const whole = form({ ...file, content: 'x'.repeat(100_000) })

    expectProblem(await refused(formType, whole.subarray(0, -8)), 'broken_upload')
    expectProblem(await refused(formType, whole.subarray(0, 50_000)), 'broken_upload')
    expectProblem(await refused(formType, whole.subarray(0, 30)), 'broken_upload')
  })

  it('a form without a boundary, or with another one, is 400', async () => {
    const bare = await refused('multipart/form-data', form(file))
    expectProblem(bare, 'malformed_request')
    expect(String(bare.bytes)).toContain('Leave Content-Type out: what writes the form sets it.')
    expect((await refused('multipart/form-data; boundary=other', form(file))).status).toBe(400)
    const long = `multipart/form-data; boundary=${'b'.repeat(71)}`
    expect((await refused(long, form(file))).status).toBe(400)
    const endless = `multipart/form-data; boundary=${'-'.repeat(10_000)}`
    expectProblem(await refused(endless, form(file)), 'malformed_request')
  })

  it('a body that is not a form is 415', async () => {
    expectProblem(await refused('text/plain', 'x'), 'unsupported_media_type', /multipart/)
    expectProblem(await refused('application/json', '{}'), 'unsupported_media_type', /multipart/)
  })
})
