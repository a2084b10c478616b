import { chmod, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operateHere } from '../support/depositd.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** An empty service in a folder of its own, with the names in it. */
async function newHome(folder: string) {
  const path = join(folder, 'home')
  expect(await operateHere(path, ['init'])).toMatchObject({ status: 0 })
  const move = (to: string) => operateHere(path, ['move', '--to', to])
  return { path, move, names: await readdir(path) }
}

describe('a move to a folder', () => {
  it('is refused where removing the home would remove the target as well', async () => {
    await using folder = await temporaryFolder()
    const { path, move, names } = await newHome(folder.path)
    const link = join(folder.path, 'link')
    await symlink(path, link)
    const beside = `Name a folder beside it: ${path}-moved`

    for (const to of [join(path, 'new'), join(path, 'a', 'b'), join(link, 'new')]) {
      const said = `${to} lies in ${path}, which can be removed after a move. ${beside}`
      const { status, stderr } = await move(to)
      expect([to, status, stderr]).toEqual([to, 1, expect.stringContaining(said)])
    }
    const here = await move(link)
    expect([here.status, here.stderr]).toEqual([
      1,
      expect.stringContaining(`${link} is the home itself, ${path}. ${beside}`),
    ])
    const left = await readdir(path)
    expect(left.filter((name) => !/-(?:shm|wal)$/.test(name))).toEqual(names)
    expect(await readdir(folder.path)).toEqual(['home', 'link'])
  })

  it('is refused where the home lies in the target, which is a home too', async () => {
    await using folder = await temporaryFolder({ 'stores.json': '{}' })
    const { path, move } = await newHome(folder.path)
    await chmod(folder.path, 0o755)

    const { status, stderr } = await move(folder.path)

    expect([status, stderr]).toEqual([1, expect.stringContaining(`${path} lies in ${folder.path}`)])
    expect((await stat(folder.path)).mode & 0o777).toBe(0o755)
    expect((await readdir(folder.path)).toSorted()).toEqual(['home', 'stores.json'])
  })

  it('is refused where the folder has anything else, and leaves that as it is', async () => {
    await using folder = await temporaryFolder()
    const { move } = await newHome(folder.path)
    const data = join(folder.path, 'data')
    await mkdir(join(data, '2024'), { recursive: true })
    await chmod(data, 0o755)

    const { status, stderr } = await move(data)

    const said = `${data} is not empty (2024), and is not a deposit home. Name a new one.`
    expect([status, stderr]).toEqual([1, expect.stringContaining(said)])
    expect(await readdir(data)).toEqual(['2024'])
    expect((await stat(data)).mode & 0o777).toBe(0o755)
  })

  it('is refused where it is a file, or below one', async () => {
    await using folder = await temporaryFolder({ file: 'mine' })
    const { move } = await newHome(folder.path)

    for (const to of [join(folder.path, 'file'), join(folder.path, 'file', 'home')]) {
      const { status, stderr } = await move(to)
      expect([status, stderr]).toEqual([
        1,
        `depositd: ${to} cannot be a home: it, or a folder above it, is a file. Name a new one.\n`,
      ])
    }
  })

  it('takes one that is missing, empty or the top of a new disk, and the same one again', async () => {
    await using folder = await temporaryFolder()
    const { move } = await newHome(folder.path)
    const [empty, disk] = [join(folder.path, 'empty'), join(folder.path, 'disk')]
    await mkdir(empty)
    await mkdir(join(disk, 'lost+found'), { recursive: true, mode: 0o700 })
    // Of a move that was stopped at its start.
    await writeFile(join(empty, 'daemon.lock'), '', { mode: 0o600 })
    await chmod(empty, 0o700)

    for (const to of [join(folder.path, 'missing', 'new'), empty, disk]) {
      expect(await move(to)).toMatchObject({ status: 0 })
      const again = await move(to)
      expect([again.status, again.stderr]).toEqual([0, expect.stringContaining('is complete')])
      expect(await operateHere(to, ['check'])).toMatchObject({ status: 0, stdout: '' })
    }
  })
})

describe.skipIf(!hasPostgres())('a move to PostgreSQL', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres[Symbol.asyncDispose]())

  async function query(url: string, ...statements: readonly string[]) {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
      const tables = 'SELECT tablename FROM pg_tables WHERE schemaname = current_schema()'
      const { rows } = await client.query<{ readonly tablename: string }>(tables)
      return rows.map(({ tablename }) => tablename)
    } finally {
      await client.end()
    }
  }

  it('is refused where the database has a table of something else, and leaves that alone', async () => {
    await using folder = await temporaryFolder()
    const { move } = await newHome(folder.path)
    const foreign = [
      ['measurements', 'CREATE TABLE measurements (id int)'],
      // Named as one of ours.
      ['accounts', 'CREATE TABLE accounts (id int) PARTITION BY LIST (id)'],
      ['schema_version', 'CREATE TABLE schema_version (version varchar(50), script text)'],
    ] as const
    for (const [table, statement] of foreign) {
      const url = await postgres.database(`foreign_${table}`)
      await query(url, statement)

      const { status, stderr } = await move(url)

      const said = `is not empty: it has the table ${table}, which is not ours. Make an empty database for it.`
      expect([status, stderr]).toEqual([1, expect.stringContaining(said)])
      expect(await query(url)).toEqual([table])
    }
  })

  it('goes beside the tables of another schema, and ends beside those that came since', async () => {
    await using folder = await temporaryFolder()
    const { move } = await newHome(folder.path)
    const url = await postgres.database('beside')
    await query(url, 'CREATE SCHEMA lab', 'CREATE TABLE lab.measurements (id int)')
    expect(await move(url)).toMatchObject({ status: 0 })
    await query(url, 'CREATE TABLE counted (id int)')

    const again = await move(url)

    expect([again.status, again.stderr]).toEqual([0, expect.stringContaining('is complete')])
    await rm(join(folder.path, 'home', 'deposit.db'))
    const env = { DEPOSIT_DATABASE_URL: url }
    expect(await operateHere(join(folder.path, 'home'), ['check'], env)).toMatchObject({
      status: 0,
    })
  })
})
