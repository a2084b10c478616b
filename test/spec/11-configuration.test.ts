import { describe, expect, it } from 'vitest'
import type { DepositBody, RecordBody, SearchBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { searchIsInRows } from '../support/test-database.ts'

const dataset = 'deposits/dataset-v1.0.0.json'

/** Settings that JSON cannot express. */
const program = `
  const stamp = {
    summary: 'Stamp the draft',
    run: async (deposit) => ({ ...deposit, metadata: { ...deposit.metadata, stamped: true } }),
  }
  export default {
    DEPOSIT_REST_ENDPOINTS: {
      depid: {
        pid_type: 'depid',
        default_media_type: 'application/json',
        record_class: { actions: { stamp } },
        search_serializers: {
          'application/json': 'json',
          'text/csv': ({ hits }) => 'total\\r\\n' + hits.total,
        },
      },
    },
  }
`

describe('Configuration keys', () => {
  it('DEPOSIT_DEFAULT_JSONSCHEMA is the schema for new deposits', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_DEFAULT_JSONSCHEMA: dataset } })
    const draft = await daemon.as('ada').createDraft()

    expect(draft.metadata.$schema).toBe(`${daemon.origin}/schemas/${dataset}`)
  })

  it('DEPOSIT_DEFAULT_STORAGE_CLASS is the storage class of new files', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_DEFAULT_STORAGE_CLASS: 'A' } })
    const ada = daemon.as('ada')
    const [file] = await ada.files(await ada.createDraftWith('a'))

    expect(file?.storage_class).toBe('A')
  })

  it('DEPOSIT_FILES_CHECKSUMS adds digests that are computed in the same pass', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_FILES_CHECKSUMS: 'md5' } })
    const ada = daemon.as('ada')
    const { body } = await ada.upload(await ada.createDraft(), 'a', '')

    expect(body).toMatchObject({ checksums: { md5: 'md5:d41d8cd98f00b204e9800998ecf8427e' } })
  })

  it('DEPOSIT_JSONSCHEMAS_PREFIX is the prefix of all deposit schemas, and of no record schema', async () => {
    const schema = JSON.stringify({ type: 'object' })
    await using daemon = await testDaemon({
      files: { 'schemas/drafts/note-v1.json': schema, 'schemas/note-v1.json': schema },
      env: {
        DEPOSIT_JSONSCHEMAS_PREFIX: 'drafts/',
        DEPOSIT_DEFAULT_JSONSCHEMA: 'drafts/note-v1.json',
      },
    })
    const ada = daemon.as('ada')
    const published = await ada.createPublished()
    const edited = await ada.edit(published)

    expect((await ada.record(published)).metadata.$schema).toBe(
      `${daemon.origin}/schemas/note-v1.json`,
    )
    expect(edited.metadata.$schema).toBe(`${daemon.origin}/schemas/drafts/note-v1.json`)
  })

  it('DEPOSIT_PID_MINTER names a minter of the configuration file', async () => {
    const minters = `{ lab: { mint: () => 'lab-' + (globalThis.labs = (globalThis.labs ?? 0) + 1) } }`
    const files = { 'deposit.config.js': `export default { minters: ${minters} }` }
    await expect(testDaemon({ env: { DEPOSIT_PID_MINTER: 'labs' }, files })).rejects.toThrow(
      'DEPOSIT_PID_MINTER must be one of recid, datacite, ark, lab, not "labs".',
    )
    await using daemon = await testDaemon({ env: { DEPOSIT_PID_MINTER: 'lab' }, files })
    const owner = daemon.as('owner')
    const first = await owner.createPublished()
    const second = await owner.createPublished()
    expect(first.pids.concept.value).toBe('lab-1')
    expect(first.metadata._deposit).toMatchObject({ type: 'recid', value: 'lab-2' })
    expect((await owner.record(second)).id).toBe('lab-4')
    const page = await daemon.visitor.get(`${daemon.origin}/records/lab-2`, { accept: 'text/html' })
    expect(page.status).toBe(200)
    expect((await owner.edit(first)).metadata._deposit?.status).toBe('draft')
    const again = await owner.publish(first)
    expect(again.metadata._deposit).toMatchObject({ value: 'lab-2', revision_id: 1 })
  })

  it('records keep the identifiers of such a minter, also in new versions and after restarts', async () => {
    const minters = `{ lab: { mint: () => 'lab-' + Math.random().toString(36).slice(2, 10) } }`
    const files = { 'deposit.config.js': `export default { minters: ${minters} }` }
    await using folder = await temporaryFolder(files)
    const start = (DEPOSIT_PID_MINTER: string) =>
      testDaemon({ home: folder.path, env: { DEPOSIT_PID_MINTER } })
    let first = ''
    let second = ''
    {
      await using daemon = await start('lab')
      const owner = daemon.as('owner')
      const published = await owner.createPublished({ title: 'Sea level' })
      const draft = bodyOf<DepositBody>(await owner.act(published, 'newversion'), 201)
      const next = await owner.publish(draft)
      first = published.metadata._deposit?.value ?? ''
      second = next.metadata._deposit?.value ?? ''
      expect([first, second]).toEqual([
        expect.stringMatching(/^lab-/),
        expect.stringMatching(/^lab-/),
      ])
      expect(published.links).toMatchObject({
        record: `${daemon.url}/records/${first}`,
        record_html: `${daemon.origin}/records/${first}`,
      })
      expect((await owner.record(next)).links['previous_version']).toBe(published.links['record'])
      expect((await owner.record(published)).links['next_version']).toBe(next.links['record'])
    }
    // Minted identifiers stay, even with another minter.
    await using daemon = await start('recid')
    const found = bodyOf<SearchBody>(await daemon.visitor.get('/records/?q=sea&versions=all'), 200)
    expect(found.hits.hits.map(({ id }) => id).sort()).toEqual([first, second].sort())
    const one = bodyOf<SearchBody>(
      await daemon.visitor.get(`/records/?q=${first}&versions=all`),
      200,
    )
    expect(one.hits.hits.map(({ id }) => id)).toEqual([first])
    const record = bodyOf<RecordBody>(await daemon.visitor.get(`/records/${first}`), 200)
    const owner = daemon.as('root', { admin: true })
    const deposit = { id: record.metadata._deposit?.id ?? '' }
    await owner.edit(deposit)
    await owner.publish(deposit)
    const revised = bodyOf<RecordBody>(await daemon.visitor.get(`/records/${first}`), 200)
    expect([revised.id, revised.revision]).toEqual([first, 1])
  })

  it('DEPOSIT_PID_MINTER mints the identifier of the record, of its own type', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_PID_MINTER: 'recid' } })
    const { metadata } = await daemon.as('ada').createPublished()

    expect(metadata._deposit).toMatchObject({ type: 'recid' })
    const value = metadata._deposit?.value ?? ''
    const shown = await daemon.operateAll('pid show', { type: 'recid', value })
    expect(shown).toContain('status: K')
  })

  it.for(['true', 'false'])(
    'DEPOSIT_REGISTER_SIGNALS %s: publishing updates the index',
    async (value) => {
      await using daemon = await testDaemon({ env: { DEPOSIT_REGISTER_SIGNALS: value } })
      // This makes sure that there is an index before.
      await daemon.visitor.get('/records/?q=sea&versions=all')
      await daemon.as('ada').createPublished()
      const found = await daemon.visitor.get('/records/?q=sea&versions=all')

      const isFound = value === 'true' || searchIsInRows()
      expect(found.body).toMatchObject({ hits: { total: isFound ? 1 : 0 } })
    },
  )

  it('DEPOSIT_RESPONSE_MESSAGES and DEPOSIT_DEFAULT_SCHEMAFORM reach the pages', async () => {
    await using daemon = await testDaemon({
      env: {
        DEPOSIT_RESPONSE_MESSAGES: '{"publish":"Well done."}',
        DEPOSIT_DEFAULT_SCHEMAFORM: '{"title":{"ui:autofocus":true}}',
        DEPOSIT_FORM_TEMPLATES: `{"${dataset}":{"title":{"ui:help":"A name"}}}`,
      },
    })
    const page = await daemon.visitor.get(`${daemon.origin}/deposit/new`, { accept: 'text/html' })

    const [, data = ''] = /id="page-data">(.*?)<\/script>/s.exec(page.bytes.toString()) ?? []
    expect(JSON.parse(data)).toMatchObject({
      messages: { publish: 'Well done.' },
      defaultForm: { title: { 'ui:autofocus': true } },
      forms: { [dataset]: { title: { 'ui:help': 'A name' } } },
    })
  })

  it('DEPOSIT_REST_ENDPOINTS: an action of record_class is a route, a link and in the API document', async () => {
    await using daemon = await testDaemon({ files: { 'deposit.config.js': program } })
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()

    expect(draft.links['stamp']).toBe(`${draft.links['self']}/actions/stamp`)
    const stamped = bodyOf<DepositBody>(await ada.act(draft, 'stamp'), 201)
    expect(stamped.metadata).toHaveProperty('stamped', true)
    const { body } = await daemon.visitor.get(`${daemon.origin}/openapi.json`)
    expect(JSON.stringify(body)).toContain('Stamp the draft')
  })

  it('DEPOSIT_REST_ENDPOINTS: search_serializers and default_media_type make other media types', async () => {
    await using daemon = await testDaemon({ files: { 'deposit.config.js': program } })
    const ada = daemon.as('ada')
    await ada.createDraft()
    const found = await ada.get('/deposits/', { accept: 'text/csv' })

    expect(found.headers.get('content-type')).toMatch(/^text\/csv/)
    expect(found.bytes.toString()).toBe('total\r\n1')
    expect((await ada.get('/deposits/_options')).body).toMatchObject({
      default_media_type: 'application/json',
      search_media_types: ['application/json', 'text/csv'],
    })
  })

  it.for([
    ['DEPOSIT_PID_MINTER', 'nope'],
    ['DEPOSIT_REGISTER_SIGNALS', 'perhaps'],
    ['DEPOSIT_MAX_FILE_SIZE', '-1'],
    ['DEPOSIT_MAX_FILES', 'many'],
    ['DEPOSIT_MAX_BODY', '1e6'],
  ])('a wrong value of %s stops the start, and the message names the key', async ([key, value]) => {
    await expect(testDaemon({ env: { [key ?? '']: value ?? '' } })).rejects.toThrow(key)
  })
})
