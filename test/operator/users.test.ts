import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseS3Address } from '../../core/adapters/blobs/s3/s3-address.ts'
import { operateHere, runDepositd } from '../support/depositd.ts'
import { bodyOf } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { trailOf } from '../support/trail.ts'
import { testDaemon } from '../support/test-daemon.ts'

describe('depositd user import', () => {
  it('adds all users of a CSV file, and writes their links to a private file', async () => {
    await using daemon = await testDaemon()
    await using folder = await temporaryFolder({
      'people.csv': 'email,admin,quota\nada@example.org,true,\nbob@example.org,,2kB\n',
      'wrong.csv': 'email\neve@example.org\nnobody\n',
      'evil.csv': 'email\nevil\u001b@example.org\n',
    })
    const file = join(folder.path, 'people.csv')

    const first = await operateHere(daemon.home, ['user', 'import', file])
    const again = await operateHere(daemon.home, ['user', 'import', file])
    const wrong = await operateHere(daemon.home, ['user', 'import', join(folder.path, 'wrong.csv')])

    const evil = await operateHere(daemon.home, ['user', 'import', join(folder.path, 'evil.csv')])
    expect(evil.stderr).toContain(String.raw`"evil\u001b@example.org" has control characters`)
    expect(first).toMatchObject({ status: 0, stdout: `${file}.links.csv\n` })
    expect(first.stderr).toContain('Added 2 users')
    expect((await stat(`${file}.links.csv`)).mode & 0o777).toBe(0o600)
    const links = (await readFile(`${file}.links.csv`, 'utf8')).trim().split('\n')
    expect(links).toEqual([
      'email,link',
      expect.stringMatching(/^ada@example\.org,http.*#dep_ln_/),
      expect.stringMatching(/^bob@example\.org,http.*#dep_ln_/),
    ])
    // The links of the first run are kept, and those who have no passphrase get others.
    expect(again).toMatchObject({ status: 0, stdout: `${file}.links.2.csv\n` })
    expect(again.stderr).toContain('Added 0 users; 2 already existed.')
    expect(wrong.stderr).toContain('line 3: "nobody" is not an e-mail address.')
    const list = await operateHere(daemon.home, ['user', 'list', '--json'])
    const users = JSON.parse(list.stdout) as readonly { readonly email: string }[]
    expect(users).toHaveLength(2)
    expect(users).toContainEqual(expect.objectContaining({ email: 'ada@example.org', admin: true }))
    expect(users).toContainEqual(expect.objectContaining({ email: 'bob@example.org', quota: 2000 }))
    const trail = JSON.stringify(await trailOf(daemon))
    expect(trail).toContain(`depositd user import file=${file}`)
    expect(trail).not.toContain('dep_ln_')
  })
})

describe('depositd user import of an invalid file', () => {
  it('names the line, and imports no user', async () => {
    await using folder = await temporaryFolder()
    const home = join(folder.path, 'home')
    await operateHere(home, ['init'])
    const files = {
      'latin.csv': Buffer.from('email\nada@example.org\nren\u00e9@example.org\n', 'latin1'),
      'column.csv': 'email,role\nada@example.org,x\n',
      'none.csv': 'admin\ntrue\n',
      'empty.csv': '',
      'header.csv': 'email,admin\n',
      'short.csv': 'email,admin\nada@example.org\n',
    }
    const said: Record<string, string> = {}
    for (const [name, content] of Object.entries(files)) {
      const file = join(folder.path, name)
      await writeFile(file, content)
      const { status, stderr } = await operateHere(home, ['user', 'import', file])
      expect(status).toBe(1)
      said[name] = stderr
    }

    expect(said['latin.csv']).toContain('latin.csv, line 3: this is not UTF-8.')
    expect(said['column.csv']).toContain(
      'line 1: "role" is not a column; there are email, admin, quota.',
    )
    expect(said['none.csv']).toContain('line 1: the column email is missing')
    expect(said['empty.csv']).toContain('empty.csv has no users')
    expect(said['header.csv']).toContain('header.csv has no users')
    expect(said['short.csv']).toMatch(/^depositd: .*short\.csv cannot be read: .* on line 2\.\n$/)
    const missing = await operateHere(home, ['user', 'import', join(folder.path, 'nofile')])
    expect(missing.stderr).toMatch(
      /^depositd: .*nofile cannot be read: there is no such file or folder\.\n$/,
    )
    expect((await readdir(folder.path)).filter((name) => name.includes('links'))).toEqual([])
    const one = join(folder.path, 'one.csv')
    await writeFile(one, 'email\nada@example.org\n')
    const { stderr } = await operateHere(home, ['user', 'import', one])
    expect(stderr).toContain('Added 1 user; 0 already existed.')
  })
})

describe('names with control characters', () => {
  const name = '\u001b]0;pwned\u0007\u001b[31m\u009b\u202e'

  it('are refused', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const made = await ada.post('/tokens/', { json: { name, scope: '' } })
    expectProblem(made, 'malformed_request')
    expect(made.body).toMatchObject({ errors: [{ field: 'name' }] })
    expect(JSON.stringify(made.body)).toContain('control characters')
    const email = 'evil\u001b[31m\u202e@example.org'
    await expect(daemon.operate('user add', { email })).rejects.toThrow('control characters')
    const create = ['token', 'create', '--user', 'ada@example.org', '--name', name]
    for (const command of [create, ['client', 'create', name, '--device']]) {
      const { status, stdout, stderr } = await operateHere(daemon.home, command)
      expect({ status, stdout }).toEqual({ status: 64, stdout: '' })
      expect(stderr).toContain(String.raw`\u001b]0;pwned\u0007`)
    }
  })

  it('are printed without them', async () => {
    await using daemon = await testDaemon()
    await daemon.operate('user add', { email: 'eve@example.org', name })
    await daemon.operate('token create', { user: 'eve@example.org', name })
    await daemon.operate('client create', { name, device: 'true' })

    for (const group of ['user', 'token', 'client']) {
      const json = await operateHere(daemon.home, [group, 'list', '--json'])
      expect(json.stdout).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
      expect(JSON.parse(json.stdout)).toContainEqual(expect.objectContaining({ name }))
      const { status, stdout, stderr } = await operateHere(daemon.home, [group, 'list'])
      expect(status).toBe(0)
      expect(stdout).toContain(' ]0;pwned [31m ')
      expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n\t]|\u202e/u)
    }
  })
})

describe('depositd user quota', () => {
  it('applies to one user, shows in /api/me, and can be reset', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_QUOTA: '100' } })
    const [ada, bob] = [daemon.as('ada'), daemon.as('bob')]
    const [draft, other] = [await ada.createDraft(), await bob.createDraft()]
    const large = Buffer.alloc(500, 'x')
    expectProblem(await ada.putObject(draft, 'a', large), 'quota_exceeded', /The quota of/)

    await daemon.operate('user quota', { email: 'ada@example.org', size: '2kB' })

    expect((await ada.putObject(draft, 'a', large)).status).toBe(201)
    const { used } = bodyOf<{ readonly used: number }>(await ada.get('/me'), 200)
    expect((await ada.get('/me')).body).toMatchObject({ quota: 2000 })
    expect(used).toBeGreaterThan(500)
    expectProblem(
      await ada.putObject(draft, 'b', Buffer.alloc(501)),
      'quota_exceeded',
      new RegExp(`is 2000 bytes: ${used} of .*depositd user quota ada@example.org <size>$`),
    )
    expectProblem(await bob.putObject(other, 'a', large), 'quota_exceeded', /The quota of/)
    expect((await bob.get('/me')).body).toMatchObject({ quota: 100 })
    const back = await operateHere(daemon.home, ['user', 'quota', 'ada@example.org', 'default'])
    expect(back.stderr).toContain('ada@example.org has the default quota, and uses ')
    expectProblem(await ada.putObject(draft, 'b', large), 'quota_exceeded', /The quota of/)
  })
})

describe('depositd config check', () => {
  it('names every fault at once, with 78, and makes no home', async () => {
    await using folder = await temporaryFolder()
    const home = join(folder.path, 'home')
    const env = {
      DEPOSIT_LOG_LEVEL: 'loud',
      DEPOSIT_QUOTA: 'x',
      DEPOSIT_SECURITY_CONTACT: 'security@example.org',
      DEPOSIT_REST_FACETS: '{',
      DEPOSIT_REST_ENDPOINTS: '{"depid": {"list_rout": "/x", "max_result_window": 0}}',
      DEPOSIT_ISSUER: 'http://issuer.example.org',
      DEPOSIT_ISSUER_CLIENT_ID: 'depositd',
      DEPOSIT_ISSUER_ADMIN_CLAIM: 'groups',
      DEPOSIT_ISSUER_ROLES: '{"curator": "groups"}',
      DEPOSIT_PUBLIC_URL: 'deposit.example.org',
      DEPOSIT_TRUSTED_PROXIES: 'proxy',
      DEPOSIT_UI_EDIT_TEMPLATE: 'none.html',
      DEPOSIT_UI_NEW_TEMPLATE: 'none.html',
      DEPOSIT_DATABASE_URL: 'postgres://127.0.0.1:1/none',
      DEPOSIT_STORAGE_URL: 's3://bucket?nope=1',
    }

    const wrong = await runDepositd(home, ['config', 'check'], env)
    const good = await runDepositd(home, ['config', 'check'], { DEPOSIT_FILEZ: '1' })

    expect(wrong.status).toBe(78)
    const lines = wrong.stderr.trim().split('\n')
    expect(lines).toEqual([
      expect.stringContaining('depositd: DEPOSIT_REST_FACETS is not JSON'),
      'DEPOSIT_REST_ENDPOINTS.depid has no option list_rout. Did you mean list_route?',
      expect.stringContaining('DEPOSIT_REST_ENDPOINTS.depid.max_result_window must be'),
      'DEPOSIT_SECURITY_CONTACT must be mailto:…, https://… or tel:…, not "security@example.org".',
      expect.stringContaining('DEPOSIT_ISSUER_ROLES.curator must match'),
      'DEPOSIT_QUOTA must be a size such as 20GB or 500MiB, or a number of bytes, not "x".',
      expect.stringContaining('DEPOSIT_LOG_LEVEL must be one of trace, debug, info,'),
      expect.stringContaining('DEPOSIT_PUBLIC_URL must be'),
      expect.stringContaining('DEPOSIT_TRUSTED_PROXIES must be'),
      expect.stringContaining('DEPOSIT_ISSUER must begin with https://'),
      expect.stringContaining('DEPOSIT_ISSUER_CLIENT_ID needs DEPOSIT_ISSUER_CLIENT_SECRET'),
      expect.stringContaining('DEPOSIT_ISSUER_ADMIN_CLAIM must be'),
      expect.stringContaining('DEPOSIT_UI_NEW_TEMPLATE cannot be read'),
      expect.stringContaining('DEPOSIT_UI_EDIT_TEMPLATE cannot be read'),
      expect.stringContaining('DEPOSIT_DATABASE_URL cannot be reached'),
      expect.stringContaining('"nope" is no parameter of the storage'),
    ])
    expect(good).toMatchObject({ status: 0, stdout: '' })
    expect(good.stderr).toContain('Warning: DEPOSIT_FILEZ is not a configuration key')
    expect(good.stderr).toContain(`${home} does not exist yet`)
    await expect(stat(home)).rejects.toThrow('ENOENT')
  })

  it('shows an example for an invalid address of a store', async () => {
    await using home = await temporaryFolder()
    const env = { DEPOSIT_DATABASE_URL: 'mysql://x', DEPOSIT_STORAGE_URL: 'file:///x' }
    const { status, stderr } = await runDepositd(home.path, ['config', 'check'], env)

    expect(status).toBe(78)
    expect(stderr).toContain('DEPOSIT_DATABASE_URL must be an address such as postgres://')
    expect(stderr).toContain('DEPOSIT_STORAGE_URL must be the address of a bucket')
    const example = /such as (s3:\S+)/.exec(stderr)?.[1] ?? ''
    expect(parseS3Address(example)).toMatchObject({ bucket: 'deposit', region: 'eu-1' })
  })

  it('refuses a search engine that is not that of the database', async () => {
    await using home = await temporaryFolder()
    const check = (env: Readonly<Record<string, string>>) =>
      runDepositd(home.path, ['config', 'check'], env)
    const url = { DEPOSIT_DATABASE_URL: 'postgres://127.0.0.1:1/none' }
    const memory = await check({ ...url, DEPOSIT_SEARCH: 'minisearch' })
    const removed = await check({ ...url, DEPOSIT_SEARCH: 'postgres' })
    const database = await check({ DEPOSIT_SEARCH: 'postgres' })

    expect(memory.status).toBe(78)
    expect(memory.stderr).toContain(
      'DEPOSIT_SEARCH=minisearch cannot be used with DEPOSIT_DATABASE_URL: PostgreSQL answers the searches. Remove DEPOSIT_SEARCH.',
    )
    expect(removed.stderr).toContain('DEPOSIT_DATABASE_URL cannot be reached')
    expect(removed.stderr).not.toContain('DEPOSIT_SEARCH')
    expect(database.status).toBe(78)
    expect(database.stderr).toContain('DEPOSIT_SEARCH=postgres needs DEPOSIT_DATABASE_URL.')
    expect((await check({ DEPOSIT_SEARCH: 'minisearch' })).status).toBe(0)
  })

  it('names an unusable home, and deposits without an endpoint', async () => {
    await using home = await temporaryFolder()
    const theses = {
      list_route: '/theses/',
      item_route: '/theses/<pid(thesis):pid_value>',
      pid_type: 'thesis',
    }
    const endpoints = { DEPOSIT_REST_ENDPOINTS: JSON.stringify({ depid: {}, thesis: theses }) }
    {
      await using daemon = await testDaemon({ home: home.path, env: endpoints })
      expect((await daemon.as('ada').post('/theses/', { json: {} })).status).toBe(201)
    }
    const kept = await runDepositd(home.path, ['config', 'check'], endpoints)
    const removed = await runDepositd(home.path, ['config', 'check'])
    const file = join(home.path, 'stores.json')
    const unusable = await runDepositd(file, ['config', 'check'])

    expect(kept).toMatchObject({ status: 0 })
    expect(removed).toMatchObject({ status: 78 })
    expect(removed.stderr).toContain('identifiers of the type thesis, but no endpoint')
    expect(unusable.status).not.toBe(0)
    expect(unusable.stderr).toContain(`${file} cannot be the home`)
  })

  it('names each invalid file, in addition to the faults of the environment', async () => {
    await using home = await temporaryFolder({
      'deposit.config.json': '{',
      'schemas/a.json': '{',
      'schemas/deposits/b.json': '[]',
      'schemas/deposits/c.json': '{"type": "nothing"}',
    })
    const env = { DEPOSIT_QUOTA: '20 apples', DEPOSIT_PID_MINTER: 'mine' }

    const { status, stderr } = await runDepositd(home.path, ['config', 'check'], env)

    expect(status).toBe(78)
    for (const name of ['deposit.config.json:1', 'a.json:1', 'b.json: a JSON Schema', 'c.json'])
      expect(stderr).toContain(name)
    expect(stderr).toContain('DEPOSIT_QUOTA')
    // The minter may be defined in the file that could not be read.
    expect(stderr).not.toContain('DEPOSIT_PID_MINTER')
  })

  it('ends with 69 if the only fault is an unreachable server', async () => {
    await using home = await temporaryFolder()
    const env = { DEPOSIT_DATABASE_URL: 'postgres://127.0.0.1:1/none' }

    const { status, stderr } = await runDepositd(home.path, ['config', 'check'], env)

    expect(status).toBe(69)
    expect(stderr).toContain('DEPOSIT_DATABASE_URL cannot be reached')
  })

  it.for([
    [
      'deposit.config.json',
      '{\n  "DEPOSIT_QUOTA": 5,\n}',
      'deposit.config.json:3: this is not valid',
    ],
    [
      'deposit.config.ts',
      'export default {\n  a: 1,\n  b: }',
      'deposit.config.ts:3 cannot be read',
    ],
    ['schemas/a.json', '{\n"type": "object"\n"x": 1}', 'a.json:3: this is not valid JSON'],
  ] as const)('names the line of a fault in %s', async ([name, content, message]) => {
    await using home = await temporaryFolder({ [name]: content })

    const { status, stderr } = await runDepositd(home.path, ['config', 'check'])

    expect(status).toBe(78)
    expect(stderr).toContain(message)
  })
})
