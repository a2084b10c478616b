import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, ProblemBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { runBehind } from '../support/rows-behind.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const record = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  required: ['depth'],
  properties: { depth: { type: 'number', minimum: 0 } },
}
const files = {
  'schemas/field/sounding-v1.json': JSON.stringify(record),
  'schemas/deposits/field/sounding-v1.json': JSON.stringify({ ...record, required: [] }),
  'schemas/deposits/valve-v1.json': JSON.stringify({
    allOf: [{ $ref: '#/definitions/valve' }],
    definitions: {
      valve: { properties: { acess: { type: 'string' }, inner: { properties: { aces: {} } } } },
    },
  }),
  'schemas/alone-v1.json': JSON.stringify({ type: 'object' }),
}

let daemon: TestDaemon
let owner: User
beforeAll(async () => {
  daemon = await testDaemon({ files })
  owner = daemon.as('owner')
})
afterAll(() => daemon[Symbol.asyncDispose]())

const at = (path: string): string => `${daemon.origin}/schemas/${path}`
const self = ({ links }: DepositBody): string => links['self'] ?? ''
const schemaOf = (reply: Reply, status: number): unknown =>
  bodyOf<DepositBody>(reply, status).metadata.$schema

it('knows the fields of an operator’s schema: none of them is a misspelling', async () => {
  const $schema = at('deposits/valve-v1.json')
  const known = await owner.createDraft({ $schema, acess: 'by the gate' })
  expect((await owner.act(known, 'publish')).body).toMatchObject({
    metadata: { acess: 'by the gate' },
  })
  const inner = await owner.createDraft({ $schema, aces: { files: 'restricted' } })
  expect((await owner.act(inner, 'publish')).body).toMatchObject({ errors: [{ field: '/aces' }] })
})

describe('GET /schemas/', () => {
  it('lists the schemas of the package and those of the operator by their URLs', async () => {
    const reply = await daemon.visitor.get(at(''))
    const { schemas } = bodyOf<{ readonly schemas: readonly string[] }>(reply, 200)
    expect(schemas).toContain(at('deposits/deposit-v1.0.0.json'))
    expect(schemas).toContain(at('field/sounding-v1.json'))
  })

  it('serves a schema at its own URL without a token', async () => {
    const reply = await daemon.visitor.get(at('field/sounding-v1.json'))
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toContain('application/schema+json')
    expect(reply.body).toEqual({ ...record, $id: at('field/sounding-v1.json') })
  })

  it('answers 304 to a client that has the schema', async () => {
    const { headers } = await daemon.visitor.get(at('alone-v1.json'))
    const etag = headers.get('etag') ?? ''
    const again = await daemon.visitor.get(at('alone-v1.json'), { 'if-none-match': etag })
    expect([again.status, again.bytes.length]).toEqual([304, 0])
  })

  it.each(['none.json', '../deposit.db', '%2e%2e/owner.key'])(
    'answers 404 for %s',
    async (path) => {
      expectProblem(await daemon.visitor.get(at(path)), 'not_found')
    },
  )
})

describe('$schema', () => {
  it('has a default', async () => {
    const { metadata } = await owner.createDraft()
    expect(metadata.$schema).toBe(at('deposits/deposit-v1.0.0.json'))
  })

  it.each(['deposits/field/sounding-v1.json', 'field/sounding-v1.json'])(
    'of a new deposit is the deposit schema when %s is given',
    async (path) => {
      const { metadata } = await owner.createDraft({ $schema: at(path), depth: 3 })
      expect(metadata.$schema).toBe(at('deposits/field/sounding-v1.json'))
    },
  )

  it.each([
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
    'deposits/none-v1.0.0.json',
    'alone-v1.json',
    17,
    null,
    { $ref: '#' },
  ])('%j is refused with 400', async ($schema) => {
    expectProblem(await owner.post('/deposits/', { json: { $schema } }), 'unknown_schema')
    const draft = await owner.createDraft()
    expectProblem(await owner.put(self(draft), { $schema }), 'unknown_schema')
    const patch = [{ op: 'replace', path: '/$schema', value: $schema }]
    expectProblem(await owner.patch(self(draft), patch), 'unknown_schema')
    expect(await owner.show(draft)).toEqual(draft)
  })

  it('is kept by a PUT without it, and set by a PUT with it', async () => {
    const draft = await owner.createDraft({ $schema: at('field/sounding-v1.json') })
    const kept = await owner.put(self(draft), { depth: 4 })
    expect(schemaOf(kept, 200)).toBe(at('deposits/field/sounding-v1.json'))
    const $schema = at('deposits/dataset-v1.0.0.json')
    const changed = await owner.put(self(draft), { $schema, title: 'Depths' })
    expect(schemaOf(changed, 200)).toBe($schema)
  })

  it('can be set by a patch, and is kept by one that removes it', async () => {
    const draft = await owner.createDraft()
    const value = at('deposits/field/sounding-v1.json')
    const set = await owner.patch(self(draft), [{ op: 'replace', path: '/$schema', value }])
    expect(schemaOf(set, 200)).toBe(value)
    const kept = await owner.patch(self(draft), [{ op: 'remove', path: '/$schema' }])
    expect(schemaOf(kept, 200)).toBe(value)
  })

  it('is the record schema once published, and the deposit schema after edit and discard', async () => {
    const draft = await owner.createDraft({ $schema: at('field/sounding-v1.json'), depth: 1 })
    const { metadata } = await owner.record(await owner.publish(draft))
    expect(metadata.$schema).toBe(at('field/sounding-v1.json'))
    for (const action of ['edit', 'discard']) {
      const reply = await owner.act(draft, action)
      expect(schemaOf(reply, 201)).toBe(at('deposits/field/sounding-v1.json'))
    }
  })

  it('becomes null on edit if the record’s schema has no deposit schema', async () => {
    const deposit = await owner.createPublished()
    const correction = { title: 'x', $schema: at('alone-v1.json') }
    await daemon.as('curator', { admin: true }).put(deposit.links['record'] ?? '', correction)
    const edited = await owner.edit(deposit)
    expect(edited.metadata.$schema).toBeNull()
    const kept = await owner.put(self(edited), { title: 'y', $schema: null })
    expect(schemaOf(kept, 200)).toBeNull()
    await owner.publish(edited)
    expect((await owner.record(edited)).metadata.$schema).toBe(at('alone-v1.json'))
  })

  it.each([null, 'deposits/none-v1.0.0.json', 17])(
    '%j is refused in a correction of a record, and nothing is changed',
    async ($schema) => {
      const deposit = await owner.createPublished()
      const [curator, url] = [daemon.as('curator', { admin: true }), deposit.links['record'] ?? '']
      expectProblem(await curator.put(url, { title: 'x', $schema }), 'unknown_schema')
      const patch = [{ op: 'replace', path: '/$schema', value: $schema }]
      expectProblem(await curator.patch(url, patch), 'unknown_schema')
      expect(await owner.record(deposit)).toMatchObject({ revision: 0 })
    },
  )

  it('of a corrected record is the record schema, even if the deposit schema is named', async () => {
    const deposit = await owner.createPublished()
    const correction = { title: 'x', $schema: at('deposits/deposit-v1.0.0.json') }
    const url = deposit.links['record'] ?? ''
    const reply = await daemon.as('curator', { admin: true }).put(url, correction)
    expect(schemaOf(reply, 200)).toBe(at('deposit-v1.0.0.json'))
  })
})

describe('a deposit of an older version without a schema', () => {
  it('gets the default one with its next change, publish or edit', async () => {
    await using home = await temporaryFolder()
    const made: DepositBody[] = []
    {
      await using before = await testDaemon({ home: home.path })
      const ada = before.as('ada')
      made.push(await ada.createDraft(), await ada.createDraft(), await ada.createPublished())
    }
    await runBehind(home.path, 'UPDATE deposits SET schema_path = NULL')
    await runBehind(home.path, 'UPDATE record_revisions SET schema_path = NULL')
    await using after = await testDaemon({ home: home.path })
    const curator = after.as('curator', { admin: true })
    const [changed, unchanged, published] = await Promise.all(
      made.map((each) => curator.show(each)),
    )
    if (!changed || !unchanged || !published) throw new Error('they are gone')
    const ofDeposits = `${after.origin}/schemas/deposits/deposit-v1.0.0.json`
    const ofRecords = `${after.origin}/schemas/deposit-v1.0.0.json`

    expect(changed.metadata.$schema).toBeNull()
    const wrong = { title: 5, $schema: null }
    expectProblem(await curator.put(self(changed), wrong), 'invalid_document')
    const replaced = await curator.put(self(changed), { title: 'x', $schema: null })
    expect(schemaOf(replaced, 200)).toBe(ofDeposits)
    const record = await curator.record(await curator.publish(unchanged))
    expect(record.metadata.$schema).toBe(ofRecords)
    expect((await curator.edit(published)).metadata.$schema).toBe(ofDeposits)
    const corrected = await curator.put(published.links['record'] ?? '', { title: 'y' })
    expect(schemaOf(corrected, 200)).toBe(ofRecords)
  })
})

describe('a deposit from before the prefix was changed', () => {
  it('is changed and published only once it names a schema below the prefix', async () => {
    await using home = await temporaryFolder({
      'schemas/note-v1.json': JSON.stringify({ type: 'object', required: ['body'] }),
      'schemas/drafts/note-v1.json': JSON.stringify({ type: 'object' }),
    })
    let draft: DepositBody
    {
      await using before = await testDaemon({ home: home.path })
      draft = await before.as('owner').createDraft()
    }
    const env = {
      DEPOSIT_JSONSCHEMAS_PREFIX: 'drafts/',
      DEPOSIT_DEFAULT_JSONSCHEMA: 'drafts/note-v1.json',
    }
    await using after = await testDaemon({ home: home.path, env })
    const curator = after.as('curator', { admin: true })
    const path = `/deposits/${draft.id}`
    expectProblem(await curator.put(path, { title: 'x' }), 'unknown_schema')
    expectProblem(await curator.act(draft, 'publish'), 'unknown_schema')
    const rehearsed = await curator.get(`${path}/actions/publish`)
    expect(rehearsed.body).toMatchObject({ errors: [{ code: 'unknown_schema' }] })
    await curator.put(path, { title: 'x', $schema: 'drafts/note-v1.json' })
    expectProblem(await curator.act(draft, 'publish'), 'invalid_document')
  })
})

describe('validation by schema', () => {
  it('of a draft checks only types', async () => {
    const $schema = at('field/sounding-v1.json')
    const wrong = await owner.post('/deposits/', { json: { $schema, depth: 'deep' } })
    expectProblem(wrong, 'invalid_document')
    expect(wrong.body).toMatchObject({
      errors: [{ field: '/depth', message: '"depth" must be a number.' }],
    })
    expect(await owner.post('/deposits/', { json: { $schema, depth: -1 } })).toHaveProperty(
      'status',
      201,
    )
  })

  it('before publishing reports every fault at once and changes nothing', async () => {
    const $schema = at('deposits/dataset-v1.0.0.json')
    const draft = await owner.createDraft({ $schema, title: 'T', creators: [] })
    const refused = await owner.act(draft, 'publish')
    expectProblem(refused, 'invalid_document')
    const fields = bodyOf<ProblemBody>(refused, 400).errors?.map(({ field }) => field)
    expect(fields).toEqual(
      expect.arrayContaining(['/creators', '/publication_date', '/resource_type', '/license']),
    )
    expect(await owner.show(draft)).toEqual(draft)
  })
})

describe('a start with a faulty schema', () => {
  it.each([
    ['no JSON', { 'schemas/a/bad.json': '{' }, /a\/bad\.json/],
    ['no object', { 'schemas/bad.json': '[]' }, /bad\.json: a JSON Schema is an object/],
    ['a broken schema', { 'schemas/bad.json': '{"type": "thing"}' }, /bad\.json/],
    ['a reference to nothing', { 'schemas/bad.json': '{"$ref": "other.json"}' }, /bad\.json/],
    ['an unknown dialect', { 'schemas/bad.json': '{"$schema": "http://x.org/"}' }, /bad\.json/],
  ])('that is %s is refused with a message that names the file', async (_what, faulty, message) => {
    await expect(testDaemon({ files: faulty })).rejects.toThrow(message)
  })

  it('is refused if the default schema is not below the prefix', async () => {
    const env = { DEPOSIT_JSONSCHEMAS_PREFIX: 'drafts/' }
    await expect(testDaemon({ env })).rejects.toThrow(
      /DEPOSIT_DEFAULT_JSONSCHEMA.*DEPOSIT_JSONSCHEMAS_PREFIX is drafts\/.*there are: none/,
    )
  })

  it('is refused if the default schema is unknown', async () => {
    const env = { DEPOSIT_DEFAULT_JSONSCHEMA: 'deposits/none.json' }
    await expect(testDaemon({ env })).rejects.toThrow(
      /DEPOSIT_DEFAULT_JSONSCHEMA.*deposits\/deposit-v1\.0\.0\.json/,
    )
  })
})
