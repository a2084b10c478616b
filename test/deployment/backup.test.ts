import { execFile } from 'node:child_process'
import { chmod, cp, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startDaemon } from '../support/daemon-process.ts'
import { runDepositd } from '../support/depositd.ts'
import { bodyOf, send } from '../support/http.ts'
import { hasPostgres, startPostgres } from '../support/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const script = fileURLToPath(new URL('../../examples/deployment/backup/backup.sh', import.meta.url))
const run = promisify(execFile)

describe.skipIf(!hasPostgres())('the backup of the examples', () => {
  it('restores the rows into another database, with every file', async () => {
    await using server = await startPostgres()
    await using place = await temporaryFolder()
    const credentials = await withPassfile(server.url, place.path)
    const first = await server.database('live')
    await using live = await testDaemon({ env: { DEPOSIT_DATABASE_URL: first } })
    const record = await publish(live, 'Kept')
    const dump = (await run(script, [place.path], { env: { ...credentials, PGDATABASE: 'live' } }))
      .stdout
    const later = await publish(live, 'Too late')

    const second = await server.database('back')
    const restore = ['--exit-on-error', '--no-owner', '--dbname=back', dump.trim()]
    await run('pg_restore', restore, { env: credentials })
    await using home = await temporaryFolder()
    // No writes during the copy, so that it shows one moment, like a snapshot of the disk.
    for (const name of ['blobs', 'records', 'small-blobs.db', 'small-blobs.db-wal']) {
      await cp(join(live.home, name), join(home.path, name), { recursive: true })
    }
    await using back = await testDaemon({ home: home.path, env: { DEPOSIT_DATABASE_URL: second } })

    const found = await send('GET', `${back.url}/records/${record.value}`)
    expect(bodyOf<object>(found, 200)).toMatchObject({ metadata: { title: 'Kept' } })
    const path = new URL(record.file).pathname
    expect((await send('GET', back.origin + path)).bytes.toString()).toBe('bytes of Kept')
    expect((await send('GET', `${back.url}/records/${later.value}`)).status).toBe(404)
    // Nothing is missing. The manifests in the store name the records that were published after the
    // dump, and their bytes are no garbage.
    const check = await runDepositd(home.path, ['check'], { DEPOSIT_DATABASE_URL: second })
    expect(check.stdout.split('\n').map((line) => line.split('\t').slice(0, 2).join(' '))).toEqual([
      'strange blob',
      'strange manifest',
      '',
    ])
    expect(check.stdout).toContain(`${later.value}@0`)
  })

  it('needs only the password in the file, as the daemon does', async () => {
    await using server = await startPostgres()
    await using folder = await temporaryFolder()
    const { PGPASSFILE } = await withPassfile(server.url, folder.path)
    const url = new URL(await server.database('secretless'))
    url.password = ''
    await using daemon = await startDaemon({ DEPOSIT_DATABASE_URL: url.href, PGPASSFILE })

    expect((await send('GET', `${daemon.url}/ready`)).status).toBe(200)
    expect(daemon.log()).not.toContain('Warning')
  })

  it('leaves nothing that looks like a backup when it fails', async () => {
    await using server = await startPostgres()
    await using folder = await temporaryFolder()
    const credentials = await withPassfile(server.url, folder.path)
    const backup = run(script, [folder.path], { env: { ...credentials, PGDATABASE: 'none' } })

    await expect(backup).rejects.toMatchObject({ code: 1 })
    expect((await readdir(folder.path)).filter((name) => name.includes('dump'))).toEqual([])
  })
})

/** The variables of PostgreSQL's programs, with the password in a file as in the example. */
async function withPassfile(server: string, folder: string) {
  const { hostname, port, username, password } = new URL(server)
  const file = join(folder, 'pgpass')
  await writeFile(file, `${hostname}:${port}:*:${username}:${password}\n`)
  await chmod(file, 0o600)
  const { PATH } = process.env
  return { PATH, PGPASSFILE: file, PGHOST: hostname, PGPORT: port, PGUSER: username }
}

async function publish(daemon: TestDaemon, title: string) {
  const ada = daemon.as('ada')
  const { id, links } = await ada.createDraft({ title })
  const file = `${links['bucket']}/a.txt`
  await ada.send('PUT', file, { body: `bytes of ${title}` })
  const published = await ada.post(`/deposits/${id}/actions/publish`)
  const { metadata } = bodyOf<{ metadata: { _deposit: { value: string } } }>(published, 202)
  return { value: metadata._deposit.value, file }
}
