import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operateHere, spawnDepositd } from '../support/depositd.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { blobsIn } from '../support/stored-blobs.ts'

describe.skipIf(!hasPostgres())(
  'a rebuild into PostgreSQL that was killed after two records',
  () => {
    let postgres: PostgresServer
    beforeAll(async () => {
      postgres = await startPostgres()
    })
    afterAll(() => postgres[Symbol.asyncDispose]())

    /** The home of four published records and a draft, whose database is lost. */
    async function withoutRows(home: string): Promise<void> {
      const env = { DEPOSIT_DATABASE_URL: await postgres.database(randomUUID()) }
      await using daemon = await testDaemon({ home, env })
      const ada = daemon.as('ada')
      for (const name of ['a', 'b', 'c', 'd']) {
        await ada.publish(await ada.createDraftWith(`${name}.csv`))
      }
      await ada.createDraftWith('draft.csv')
    }

    /** Kills a rebuild when it is about to make the rows of the third record. */
    async function killedRebuild(
      home: string,
      url: string,
      args: readonly string[],
    ): Promise<void> {
      const client = new Client({ connectionString: url })
      await client.connect()
      try {
        await client.query(`SELECT pg_advisory_lock(1);
        CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF (SELECT count(*) FROM record_revisions) >= 2 THEN PERFORM pg_advisory_lock(1); END IF;
          RETURN NEW; END $$;
        CREATE TRIGGER stop BEFORE INSERT ON record_revisions FOR EACH ROW EXECUTE FUNCTION stop()`)
        const child = spawnDepositd(home, args, { DEPOSIT_DATABASE_URL: url })
        await expect.poll(() => isStopped(client)).toBe(true)
        child.kill('SIGKILL')
        await child.ended
        // The server ends its transaction when it meets the closed connection.
        await client.query('SELECT pg_advisory_unlock(1)')
        await client.query('DROP TRIGGER stop ON record_revisions')
      } finally {
        await client.end()
      }
    }

    async function isStopped(client: Client): Promise<boolean> {
      const { rowCount } = await client.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
      )
      return rowCount === 1
    }

    it('is refused by daemon and commands, which tell to run it again, and then has all', async () => {
      await using place = await temporaryFolder()
      const home = join(place.path, 'home')
      await withoutRows(home)
      await rm(join(home, 'stores.json'))
      const env = { DEPOSIT_DATABASE_URL: await postgres.migrated() }
      const before = await blobsIn(home)
      await killedRebuild(home, env.DEPOSIT_DATABASE_URL, ['rebuild'])

      const next = 'Unless it runs now, run it again, and it resumes: depositd rebuild'
      await expect(testDaemon({ home, env })).rejects.toThrow(next)
      const there = join(place.path, 'there')
      const root = join(place.path, 'root')
      for (const args of [
        ['config', 'check'],
        ['check'],
        ['gc'],
        ['reindex'],
        ['user', 'list'],
        ['user', 'add', 'eve@example.org'],
        ['export-ocfl', root],
        ['migrate'],
        ['move', '--to', there],
      ]) {
        const { status, stderr } = await operateHere(home, args, env)
        expect([args, status, stderr]).toEqual([args, 78, expect.stringContaining(next)])
      }
      expect(await blobsIn(home)).toEqual(before)
      expect(existsSync(there)).toBe(false)

      const { status, stderr } = await operateHere(home, ['rebuild'], env)
      expect([status, stderr]).toEqual([0, expect.stringContaining('Rebuilt 4 records')])
      expect(stderr).toContain('Set 1 file without a manifest aside')
      const check = await operateHere(home, ['check'], env)
      expect(check).toMatchObject({ status: 0, stdout: '' })
      await using daemon = await testDaemon({ home, env })
      const records = await fetch(`${daemon.origin}/api/records/`)
      expect(await records.json()).toMatchObject({ hits: { total: 4 } })
    })

    it('is resumed from the storage root it came from, and from nowhere else', async () => {
      await using place = await temporaryFolder()
      const [first, home, root] = ['first', 'home', 'root'].map((name) => join(place.path, name))
      if (first === undefined || home === undefined || root === undefined) return
      const old = { DEPOSIT_DATABASE_URL: await postgres.database(randomUUID()) }
      {
        await using daemon = await testDaemon({ home: first, env: old })
        const ada = daemon.as('ada')
        for (const name of ['a', 'b', 'c']) {
          await ada.publish(await ada.createDraftWith(`${name}.csv`))
        }
      }
      expect(await operateHere(first, ['export-ocfl', root], old)).toMatchObject({ status: 0 })
      const env = { DEPOSIT_DATABASE_URL: await postgres.migrated() }
      const again = ['rebuild', '--from-ocfl', root]
      await killedRebuild(home, env.DEPOSIT_DATABASE_URL, again)

      const refused = await operateHere(home, ['rebuild'], env)
      expect(refused.status).toBe(78)
      expect(refused.stderr).toContain(`depositd ${again.join(' ')}`)
      const { status, stderr } = await operateHere(home, again, env)
      expect([status, stderr]).toEqual([0, expect.stringContaining('Rebuilt 3 records')])
      expect(await operateHere(home, ['check'], env)).toMatchObject({ status: 0, stdout: '' })
    })
  },
)
