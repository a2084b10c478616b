import { chmod, readFile, rm, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { startDaemon } from '../support/daemon-process.ts'
import { operateHere, runDepositd } from '../support/depositd.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

describe('an operator’s command without a home', () => {
  it.for([
    ['check'],
    ['user', 'list'],
    ['user', 'add', 'ada@example.org'],
    ['backup', 'b'],
    ['gc'],
  ])('makes no home, names its path, and ends with 66 (%s)', async (command) => {
    await using folder = await temporaryFolder()
    const home = join(folder.path, 'typo')

    const { status, stdout, stderr } = await runDepositd(home, command)

    expect({ status, stdout }).toEqual({ status: 66, stdout: '' })
    expect(stderr).toContain(`${home} is not there.`)
    expect(await readdir(folder.path)).toEqual([])
  })

  it('does not touch a folder that is not a home', async () => {
    await using folder = await temporaryFolder({ '8420/notes': 'mine' })

    const { status, stderr } = await runDepositd(folder.path, ['check'])
    expect(status).toBe(66)
    expect(stderr).toContain('is not a deposit home.')
    expect(await readdir(folder.path)).toEqual(['8420'])
  })

  it('names the command that makes a home, which works', async () => {
    await using folder = await temporaryFolder()
    const home = join(folder.path, 'home')
    const refused = await runDepositd(home, ['user', 'add', 'ada@example.org'])
    expect(refused.stderr).toContain('depositd init')

    expect((await runDepositd(home, ['init'])).status).toBe(0)
    expect((await runDepositd(home, ['user', 'add', 'ada@example.org'])).status).toBe(0)
    const again = await runDepositd(home, ['init'])
    expect(again).toMatchObject({ status: 1 })
    expect(again.stderr).toContain(`There is a service in ${home} already`)
  })
})

describe('a command that makes a home', () => {
  it('makes none without a backup to restore', async () => {
    await using folder = await temporaryFolder()
    const home = join(folder.path, 'home')

    const { status, stderr } = await runDepositd(home, ['restore', join(folder.path, 'nosuch')])

    expect(status).toBe(1)
    expect(stderr).toContain('nosuch is not a backup')
    expect(await readdir(folder.path)).toEqual([])
  })

  it('reports that a file cannot be a home', async () => {
    await using folder = await temporaryFolder({ file: 'mine' })

    for (const home of [join(folder.path, 'file'), join(folder.path, 'file', 'home')]) {
      const { status, stderr } = await runDepositd(home, ['init'])
      expect(status).toBe(73)
      expect(stderr).toBe(
        `depositd: ${home} cannot be the home: it, or a folder above it, is a file. ` +
          'Set DEPOSIT_HOME to a folder.\n',
      )
    }
  })
})

describe('depositd --environment-file', () => {
  it.for([
    ['a missing file', undefined, 0o600, 66, 'cannot be read'],
    ['a line without an assignment', '# settings\n\nDEPOSIT_QUOTA 5\n', 0o600, 78, 'line 3'],
    ['a quote that is never closed', 'A="1\n2"\nB="3\n', 0o600, 78, 'line 3'],
    ['options of Node.js', 'NODE_OPTIONS=--require=/tmp/x.js\n', 0o600, 78, 'NODE_OPTIONS'],
    ['options of the loader', 'A=1\nexport LD_PRELOAD=x.so\n', 0o600, 78, 'line 2: LD_PRELOAD'],
    ['a file that others can write to', 'A=1\n', 0o666, 77, 'Others can write to'],
  ] as const)('refuses %s', async ([, content, mode, status, message]) => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'deposit.env')
    if (content !== undefined) {
      await writeFile(file, content)
      await chmod(file, mode)
    }

    const ended = await runDepositd(folder.path, ['--environment-file', file, 'config', 'check'])

    expect(ended).toMatchObject({ status, stdout: '' })
    expect(ended.stderr).toMatch(/^depositd: [^\n]*\n$/)
    expect(ended.stderr).toContain(message)
  })

  it('names every invalid line', async () => {
    const content = 'DEPOSIT_QUOTA 5\nA=1\nLD_PRELOAD=x.so\nB="3\n'
    await using folder = await temporaryFolder({ 'deposit.env': content })
    const file = join(folder.path, 'deposit.env')
    await chmod(file, 0o600)

    const { stderr } = await runDepositd(folder.path, ['--environment-file', file, 'init'])

    expect(stderr.match(/line \d/g)).toEqual(['line 1', 'line 3', 'line 4'])
  })

  it('reads settings in quotes, beside comments', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'deposit.env')
    const content = '; mine\nDEPOSIT_QUOTA="x"\n# theirs\nexport OTHER=\'a\nb\'\n'
    await writeFile(file, content, { mode: 0o600 })

    const ended = await runDepositd(folder.path, ['--environment-file', file, 'config', 'check'])

    expect(ended.status).toBe(78)
    expect(ended.stderr).toContain('DEPOSIT_QUOTA must be a size')
  })
})

describe('the result of an operator’s command', () => {
  it('names the home, with the daemon and without it, also as JSON', async () => {
    await using daemon = await startDaemon()
    const there = await runDepositd(daemon.home, ['check', '--quick'])
    const list = await runDepositd(daemon.home, ['user', 'list', '--json'])
    const json = await runDepositd(daemon.home, ['check', '--quick', '--json'])

    expect(there.stderr).toContain(`All is well: 0 blobs, and all rows (quick) in ${daemon.home}.`)
    expect(list.stderr).toContain(`(in ${daemon.home})`)
    expect(JSON.parse(list.stdout)).toEqual([])
    expect(JSON.parse(json.stdout)).toMatchObject({
      findings: [],
      home: daemon.home,
      database: join(daemon.home, 'deposit.db'),
    })
  })

  it('is JSON also on failure', async () => {
    await using folder = await temporaryFolder()

    const { status, stdout } = await runDepositd(join(folder.path, 'typo'), ['check', '--json'])

    expect(status).toBe(66)
    expect(JSON.parse(stdout)).toMatchObject({ error: { status: 66 } })
  })
})

describe('a home whose stores are named, and are not set', () => {
  const commands = [
    ['check', '--quick'],
    ['gc'],
    ['user', 'list'],
    ['migrate'],
    ['init'],
    ['backup', '/nowhere/copy'],
    ['move', '--to', '/nowhere/home'],
    ['move', '--storage', 's3://new?endpoint=http://127.0.0.1:1'],
    ['rebuild'],
    ['config', 'check'],
  ] as const

  it.for([
    ['database', 'postgres://db.example.org/deposit', 'DEPOSIT_DATABASE_URL is not set'],
    ['storage', 's3://bucket/lab', 'DEPOSIT_STORAGE_URL is not set'],
  ] as const)(
    'is refused by every command in the same words (%s)',
    async ([store, name, missing]) => {
      await using folder = await temporaryFolder({
        'stores.json': JSON.stringify({ [store]: name }),
      })
      const said = `The ${store} of ${folder.path} is ${name}, and ${missing}.`

      for (const command of commands) {
        const { status, stderr } = await operateHere(folder.path, command)
        expect({ command, status }).toEqual({ command, status: 78 })
        expect(stderr).toContain(said)
      }
      expect(await readdir(folder.path)).not.toContain('deposit.db')
    },
  )
})

describe.skipIf(!hasPostgres())('a home whose rows are in PostgreSQL', () => {
  it('refuses commands without its settings, and reads them from a file', async () => {
    await using server = await startPostgres()
    await using folder = await temporaryFolder()
    const home = join(folder.path, 'home')
    const url = await server.database('deposit')
    const lab = { list_route: '/labs/', item_route: '/labs/<pid(lab):pid_value>', pid_type: 'lab' }
    const env = {
      DEPOSIT_DATABASE_URL: url,
      DEPOSIT_REST_ENDPOINTS: JSON.stringify({ depid: {}, lab }),
    }
    {
      await using daemon = await testDaemon({ home, env })
      expect((await daemon.as('ada').post('/labs/', { json: {} })).status).toBe(201)
    }
    expect((await runDepositd(home, ['config', 'check'], env)).status).toBe(0)
    const unreachable = await runDepositd(home, ['config', 'check'], { DEPOSIT_DATABASE_URL: url })
    expect(unreachable.status).toBe(78)
    expect(unreachable.stderr).toContain('identifiers of the type lab, but no endpoint')
    const name = `postgres://${new URL(url).host}/deposit`

    const refused = await runDepositd(home, ['check', '--quick'])
    const restarted = await runDepositd(home, ['serve', '--port', '0'])
    expect([refused.status, restarted.status]).toEqual([78, 78])
    expect(refused.stderr).toContain(`The database of ${home} is ${name}`)
    expect(refused.stderr).toContain('DEPOSIT_DATABASE_URL is not set')
    expect(await readdir(home)).not.toContain('deposit.db')

    const file = join(folder.path, 'deposit.env')
    await writeFile(file, `# settings\nDEPOSIT_DATABASE_URL=${url}\n`, { mode: 0o600 })
    const found = await runDepositd(home, ['--environment-file', file, 'check', '--quick'])
    expect(found.stderr).toContain(`in ${name}, ${home}.`)
    expect(found).toMatchObject({ status: 0 })
    expect(found.stderr).not.toContain(new URL(url).password)
  })

  it('refuses the stores of another service', async () => {
    await using server = await startPostgres()
    await using folder = await temporaryFolder()
    const own = join(folder.path, 'own')
    {
      await using _ = await testDaemon({ home: own })
    }
    const other = { DEPOSIT_DATABASE_URL: await server.database('other') }
    expect((await runDepositd(join(folder.path, 'other'), ['init'], other)).status).toBe(0)
    const before = await readFile(join(own, 'stores.json'), 'utf8')

    for (const command of [['gc'], ['check', '--quick'], ['serve', '--port', '0']]) {
      const { status, stderr } = await runDepositd(own, command, other)
      expect(status).toBe(78)
      expect(stderr).toContain('DEPOSIT_DATABASE_URL names postgres://')
    }
    expect(await readFile(join(own, 'stores.json'), 'utf8')).toBe(before)
    // As the message advises for a database that was moved.
    const moved = { DEPOSIT_DATABASE_URL: await server.database('moved') }
    const move = ['move', '--to', moved.DEPOSIT_DATABASE_URL]
    expect((await runDepositd(own, move)).status).toBe(0)
    await rm(join(own, 'stores.json'))
    expect((await runDepositd(own, ['check', '--quick'], moved)).status).toBe(0)
  })

  it('creates no tables for a command that expects them', async () => {
    await using server = await startPostgres()
    await using folder = await temporaryFolder()
    const env = { DEPOSIT_DATABASE_URL: await server.database('empty') }

    const refused = await runDepositd(folder.path, ['user', 'list'], env)

    expect(refused).toMatchObject({ status: 66, stdout: '' })
    expect((await runDepositd(folder.path, ['init'], env)).status).toBe(0)
    expect((await runDepositd(folder.path, ['user', 'list'], env)).status).toBe(0)
  })
})

describe('the database of an older program', () => {
  it('is migrated only by migrate, which other commands name', async () => {
    await using folder = await temporaryFolder()
    const home = join(folder.path, 'home')
    await runDepositd(home, ['init'])
    const current = setSchema(home, 1)

    const refused = await runDepositd(home, ['check', '--quick'])

    expect(refused.status).toBe(65)
    expect(refused.stderr).toContain('Run depositd migrate')
    expect(setSchema(home, current)).toBe(1)
    const migrated = await runDepositd(home, ['migrate'])
    expect(migrated.stderr).toContain(`has schema version ${current} already`)
  })
})

/** Sets the version of the schema; returns the previous one. */
function setSchema(home: string, version: number): number {
  const sqlite = new Sqlite(join(home, 'deposit.db'))
  const before = Number(sqlite.pragma('user_version', { simple: true }))
  sqlite.pragma(`user_version = ${version}`)
  sqlite.close()
  return before
}
