import { describe, expect, it } from 'vitest'
import { readConfig } from '../../daemon/config/config.ts'
import { exitStatus, StartFailure } from '../../daemon/start-failure.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

type Environment = Readonly<Record<string, string>>

/** Reads a configuration from these variables and files, in its own home. */
async function read(env: Environment = {}, files: Readonly<Record<string, string>> = {}) {
  await using home = await temporaryFolder(files)
  return await readConfig({ DEPOSIT_HOME: home.path, ...env })
}

const readJson = (content: object, env: Environment = {}) =>
  read(env, { 'deposit.config.json': JSON.stringify(content) })

const endpoint = (depid: object): Environment => ({
  DEPOSIT_REST_ENDPOINTS: JSON.stringify({ depid }),
})

describe('the configuration', () => {
  it('has the defaults of the specification', async () => {
    const { values, endpoints } = await read()
    const [{ routes, searchOptions, pageUrl }] = endpoints
    expect(values).toMatchObject({
      DEPOSIT_DEFAULT_JSONSCHEMA: 'deposits/deposit-v1.0.0.json',
      DEPOSIT_JSONSCHEMAS_PREFIX: 'deposits/',
      DEPOSIT_DEFAULT_STORAGE_CLASS: 'S',
      DEPOSIT_FILES_API: '/api/files',
      DEPOSIT_PID_MINTER: 'recid',
      DEPOSIT_REGISTER_SIGNALS: true,
      DEPOSIT_RESPONSE_MESSAGES: {},
      DEPOSIT_UI_SEARCH_INDEX: 'deposits',
    })
    expect(routes).toMatchObject({
      depositList: '/api/deposits',
      depositItem: '/api/deposits/{pid_value}',
      fileList: '/api/deposits/{pid_value}/files',
      fileItem: '/api/deposits/{pid_value}/files/{key}',
      depositPage: '/deposit/{pid_value}',
      recordPage: '/records/{pid_value}',
    })
    expect(searchOptions).toEqual({
      maxResultWindow: 10_000,
      sortOptions: {
        bestmatch: { title: 'Best match', fields: ['-_score'], order: 2 },
        mostrecent: { title: 'Most recent', fields: ['-_updated'], order: 1 },
      },
      defaultSort: { query: 'bestmatch', noquery: 'mostrecent' },
      facets: { status: { field: '_deposit.status' } },
    })
    expect(pageUrl).toBe('{scheme}://{host}/deposit/{pid_value}')
  })

  it('reads scalars of the environment as they are, and objects as JSON', async () => {
    const { values } = await read({
      DEPOSIT_DEFAULT_STORAGE_CLASS: 'A',
      DEPOSIT_MAX_FILES: '7',
      DEPOSIT_REGISTER_SIGNALS: 'False',
      DEPOSIT_RESPONSE_MESSAGES: '{"publish": "Done."}',
      DEPOSIT_MAX_BODY: '',
    })
    expect(values).toMatchObject({
      DEPOSIT_DEFAULT_STORAGE_CLASS: 'A',
      DEPOSIT_MAX_FILES: 7,
      DEPOSIT_REGISTER_SIGNALS: false,
      DEPOSIT_RESPONSE_MESSAGES: { publish: 'Done.' },
      DEPOSIT_MAX_BODY: 2 ** 20,
    })
  })

  it.for([
    ['20GB', 20e9],
    ['500 MiB', 500 * 2 ** 20],
    ['1.5k', 1500],
    ['12345', 12_345],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ] as const)('reads the size %s as %i bytes', async ([size, bytes]) => {
    const { values } = await readJson({ DEPOSIT_MAX_FILE_SIZE: size }, { DEPOSIT_QUOTA: size })
    expect([values.DEPOSIT_MAX_FILE_SIZE, values.DEPOSIT_QUOTA]).toEqual([bytes, bytes])
  })

  it('reads deposit.config.json of the home; the environment wins', async () => {
    const { values } = await readJson(
      { DEPOSIT_MAX_FILES: 5, DEPOSIT_DEFAULT_STORAGE_CLASS: 'B' },
      { DEPOSIT_MAX_FILES: '6' },
    )
    expect([values.DEPOSIT_MAX_FILES, values.DEPOSIT_DEFAULT_STORAGE_CLASS]).toEqual([6, 'B'])
  })

  it.each(['js', 'ts'])('reads the default export of deposit.config.%s', async (ending) => {
    const text = 'export default { DEPOSIT_MAX_FILES: 3 }\n'
    const { values } = await read({}, { [`deposit.config.${ending}`]: text, 'package.json': esm })
    expect(values.DEPOSIT_MAX_FILES).toBe(3)
  })

  it('reads the file that DEPOSIT_CONFIG names', async () => {
    await using folder = await temporaryFolder({ 'my.json': '{"DEPOSIT_MAX_FILES": 2}' })
    const { values } = await read({ DEPOSIT_CONFIG: `${folder.path}/my.json` })
    expect(values.DEPOSIT_MAX_FILES).toBe(2)
  })

  it('warns of a misspelled variable', async () => {
    const { warnings } = await read({ DEPOSIT_MAX_FILE: '3', DEPOSIT_TOKEN: 'x' })
    expect(warnings).toEqual([expect.stringContaining('DEPOSIT_MAX_FILE ')])
  })
})

const esm = '{"type": "module"}'

describe('a configuration error', () => {
  it.each<[string, Environment, RegExp]>([
    ['a number that cannot be read', { DEPOSIT_MAX_FILES: 'many' }, /^DEPOSIT_MAX_FILES .*"many"/],
    ['a number out of range', { DEPOSIT_MAX_FILES: '0' }, /^DEPOSIT_MAX_FILES must be >= 1/],
    [
      'a size that cannot be read',
      { DEPOSIT_QUOTA: '20 apples' },
      /^DEPOSIT_QUOTA must be a size .*apples/,
    ],
    ['a size out of range', { DEPOSIT_MAX_HEADERS: '1GB' }, /^DEPOSIT_MAX_HEADERS must be <=/],
    [
      'a flag that cannot be read',
      { DEPOSIT_REGISTER_SIGNALS: 'maybe' },
      /^DEPOSIT_REGISTER_SIGNALS must be true or false, not "maybe"/,
    ],
    ['no JSON', { DEPOSIT_REST_FACETS: '{' }, /^DEPOSIT_REST_FACETS is not JSON/],
    [
      'an unknown minter',
      { DEPOSIT_PID_MINTER: 'doi' },
      /^DEPOSIT_PID_MINTER must be one of recid, datacite, ark, not "doi"/,
    ],
    [
      'a prefix without its slash',
      { DEPOSIT_JSONSCHEMAS_PREFIX: 'd' },
      /^DEPOSIT_JSONSCHEMAS_PREFIX/,
    ],
    [
      'an unknown option',
      endpoint({ list_rout: '/x' }),
      /depid has no option list_rout\. Did you mean list_route/,
    ],
    ['another pid type', endpoint({ pid_type: 'doi' }), /depid\.pid_type/],
    ['a window of none', endpoint({ max_result_window: 0 }), /depid\.max_result_window/],
    [
      'a text for a function',
      endpoint({ links_factory_imp: 'x' }),
      /links_factory_imp must be a f/,
    ],
    ['a permission of JSON', endpoint({ read_permission_factory_imp: {} }), /scopePermission/],
    [
      'a route without its identifier',
      endpoint({ item_route: '/x' }),
      /item_route .*\{pid_value\}/,
    ],
    [
      'a key in the middle',
      endpoint({ file_item_route: '/{pid_value}/{key}/x' }),
      /file_item_route/,
    ],
    ['a route with a query', endpoint({ list_route: '/x?y' }), /list_route/],
    ['a route that is taken', endpoint({ list_route: '/records' }), /are both \/api\/records/],
    [
      'two keys that contradict each other',
      { ...endpoint({ list_route: '/a' }), DEPOSIT_SEARCH_API: '/api/b' },
      /list_route .*DEPOSIT_SEARCH_API .*contradict/,
    ],
    ['a table without the index', { DEPOSIT_REST_FACETS: '{"other": {"aggs": {}}}' }, /"deposits"/],
    [
      'a default sort that is no option',
      { DEPOSIT_REST_DEFAULT_SORT: '{"deposits": {"query": "x", "noquery": "mostrecent"}}' },
      /^DEPOSIT_REST_DEFAULT_SORT\.deposits names "x"/,
    ],
    [
      'a template that is not there',
      { DEPOSIT_UI_EDIT_TEMPLATE: 'none.html' },
      /^DEPOSIT_UI_EDIT_TEMPLATE cannot be read: there is no file none\.html$/,
    ],
    ['a file that is not there', { DEPOSIT_CONFIG: '/nowhere/deposit.config.json' }, /nowhere/],
  ])('is reported for %s, with exit status 78', async (_what, env, message) => {
    const failure = await read(env).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StartFailure)
    const { reason, message: said } = failure as StartFailure
    expect(said).toMatch(message)
    expect(exitStatus[reason]).toBe(78)
  })

  it.each<[object, RegExp]>([
    [{ DEPOSIT_MAX_FILE: 1 }, /DEPOSIT_MAX_FILE in .*no such key\. Did you mean DEPOSIT_MAX_FILES/],
    [{ DEPOSIT_FOO: 1 }, /DEPOSIT_FOO in .*no such key\.$/],
    [{ something: 1 }, /something in .*no such key\.$/],
    [{ DEPOSIT_HOME: '/x' }, /DEPOSIT_HOME in .*environment alone/],
    [{ DEPOSIT_MAX_FILES: '7' }, /DEPOSIT_MAX_FILES must be a whole number, not "7"/],
    [{ actions: { 'Not A Name': {} } }, /actions must be/],
    [{ actions: { files: { summary: 'x', run: 'y' } } }, /actions must be/],
    [{ signals: { postaction: [] } }, /signals has no option postaction\. Did you mean postAction/],
    [{ signals: { postAction: ['x'] } }, /signals\.postAction must be a list of functions/],
  ])('in the file is reported for %j', async (content, message) => {
    await expect(readJson(content)).rejects.toThrow(message)
  })

  it('names several files, one that is not an object, and one that is broken', async () => {
    const both = { 'deposit.config.json': '{}', 'deposit.config.js': '' }
    await expect(read({}, both)).rejects.toThrow(/several configuration files/)
    await expect(read({}, { 'deposit.config.json': '[]' })).rejects.toThrow(/object of keys/)
    await expect(read({}, { 'deposit.config.json': '{' })).rejects.toThrow(
      /config.json:1: this is not valid JSON/,
    )
    const broken = { 'deposit.config.js': 'throw new Error("mine")', 'package.json': esm }
    await expect(read({}, broken)).rejects.toThrow(/js cannot be read: mine/)
  })
})
