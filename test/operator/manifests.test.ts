import { copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import type { DepositBody, RecordBody } from '../../core/contract/schemas.ts'
import { parseDepositId } from '../../core/pid/deposit-pid.ts'
import { conceptOfOld } from '../../core/pid/record-minters.ts'
import { writeManifests } from '../../core/service/write-manifests.ts'
import {
  parseManifest,
  type ManifestStore,
  toManifestText,
  type RecordManifest,
} from '../../core/ports/manifest-store.ts'
import { bodyOf } from '../support/http.ts'
import { operateHere } from '../support/depositd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { dumpOf } from './api-dump.ts'
import { removeFile } from './damage.ts'
import { homeWithData, type HomeWithData } from './home-with-data.ts'

describe('the manifest of a record', () => {
  it('is written after each publish', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const published = await ada.publish(await ada.createDraftWith('a.csv'))
    const value = String(published.metadata._deposit?.value)
    const folder = join(daemon.home, 'records', value)
    await expect.poll(() => readdir(folder).catch(() => [])).toEqual(['0.json'])

    await ada.publish(await ada.edit(published))

    await expect.poll(() => readdir(folder)).toEqual(['0.json', '1.json'])
  })

  it('keeps the status of the record for a rebuild', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const deposits = [await ada.createPublished(), await ada.createPublished()]
    const [sealed = '', moved = ''] = deposits.map(({ metadata }) =>
      String(metadata._deposit?.value),
    )
    const pidOf = async (value: string) => {
      const text = await readFile(join(daemon.home, 'records', value, '0.json'), 'utf8')
      return (JSON.parse(text) as { readonly pid: object }).pid
    }
    for (const value of [sealed, moved]) {
      await expect.poll(() => pidOf(value).catch(() => ({}))).toMatchObject({ status: 'K' })
    }

    const [first] = deposits
    if (first) await ada.act(first, 'register')
    await daemon.operate('pid redirect', { type: 'recid', value: moved, target: sealed })

    await expect.poll(() => pidOf(sealed)).toMatchObject({ status: 'R' })
    await expect.poll(() => pidOf(moved)).toMatchObject({ redirect: { value: sealed } })
  })

  it('lists the published files and the places of their bytes', async () => {
    await using home = await homeWithData()

    const manifest = await manifestOf(home)

    expect(manifest).toMatchObject({
      format: 1,
      revision: 0,
      metadata: { title: 'Sea level' },
      deposit: { owners: [{ email: 'ada@example.org' }] },
    })
    const keys = (manifest['files'] as readonly { readonly key: string }[]).map(({ key }) => key)
    expect(keys).toEqual(['levels/a.csv', 'b.csv'])
  })

  it('is written before the daemon ends', async () => {
    await using folder = await temporaryFolder()
    const daemon = await testDaemon({ home: folder.path })
    const value = String((await daemon.as('ada').createPublished()).metadata._deposit?.value)

    await daemon[Symbol.asyncDispose]()

    expect(await readdir(join(folder.path, 'records', value))).toEqual(['0.json'])
  })

  it('is written at the next start after a crash', async () => {
    await using home = await homeWithData()
    await rm(join(home.path, 'records'), { recursive: true })
    home.edit('UPDATE record_revisions SET manifested = 0')

    await using daemon = await testDaemon({ home: home.path })

    await expect.poll(() => readdir(join(daemon.home, 'records')).catch(() => [])).toHaveLength(1)
  })

  it('tells also what changed while it was being written', async () => {
    await using home = await homeWithData()
    home.edit('UPDATE record_revisions SET manifested = 0')
    await using database = await openSqliteDatabase(join(home.path, 'deposit.db'), () => {})
    const statuses: string[] = []
    const write = async ({ pid }: RecordManifest) => {
      statuses.push(pid.status)
      if (statuses.length === 1) await database.write(({ pids }) => pids.setStatus(pid, 'R'))
    }
    await using store = storeThat(write)

    await writeManifests(database, store, new AbortController().signal)

    expect(statuses).toEqual(['K', 'R'])
    expect(await database.upkeep.unmanifested(1)).toEqual([])
  })

  it('names no owner who left while it was being written', async () => {
    await using home = await homeWithData()
    home.edit('UPDATE record_revisions SET manifested = 0')
    await using database = await openSqliteDatabase(join(home.path, 'deposit.db'), () => {})
    const emails: (string | null | undefined)[] = []
    const write = async ({ deposit }: RecordManifest) => {
      emails.push(deposit.owners[0]?.email)
      if (emails.length === 1) home.edit("UPDATE accounts SET email = 'gone@example.org'")
    }
    await using store = storeThat(write)

    await writeManifests(database, store, new AbortController().signal)

    expect(emails).toEqual(['ada@example.org', 'gone@example.org'])
  })

  it('is written once, however often its draft is changed meanwhile', async () => {
    await using home = await homeWithData()
    home.edit('UPDATE record_revisions SET manifested = 0')
    await using database = await openSqliteDatabase(join(home.path, 'deposit.db'), () => {})
    let written = 0
    const write = async () => {
      written += 1
      if (written < 5) home.edit('UPDATE deposits SET revision = revision + 1')
    }
    await using store = storeThat(write)

    await writeManifests(database, store, new AbortController().signal)

    expect(written).toBe(1)
  })

  it('is reported by check if it is missing, and then written again', async () => {
    await using home = await homeWithData()
    await rm(join(home.path, 'records'), { recursive: true })

    const { status, stdout } = await operateHere(home.path, ['check'])
    await using daemon = await testDaemon({ home: home.path })

    expect(status).toBe(1)
    expect(stdout).toMatch(/^damage\tmanifest\t.*@0\tis missing/)
    await expect.poll(() => readdir(join(daemon.home, 'records')).catch(() => [])).toHaveLength(1)
  })

  it('is reported by check if it was changed', async () => {
    await using home = await homeWithData()
    const path = await pathOf(home)
    await writeFile(path, (await readFile(path, 'utf8')).replace('Sea level', 'See level'))

    const { status, stdout } = await operateHere(home.path, ['check'])

    expect(status).toBe(1)
    expect(stdout).toMatch(/^damage\tmanifest\t.*@0\tis damaged/)
  })
})

describe('depositd rebuild', () => {
  it('brings back records, revisions, files and their deposits', async () => {
    await using folder = await temporaryFolder()
    const before = await publishSeveral(folder.path)
    await loseDatabase(folder.path)

    const { status } = await operateHere(folder.path, ['rebuild'])

    expect(status).toBe(0)
    expect(await readAll(folder.path)).toEqual(before)
    const check = await operateHere(folder.path, ['check'])
    expect({ status: check.status, stdout: check.stdout }).toEqual({ status: 0, stdout: '' })
  })

  it('gives the versions of manifests from before there were concepts one concept', async () => {
    await using folder = await temporaryFolder()
    await publishSeveral(folder.path)
    const records = join(folder.path, 'records')
    const first: string[] = []
    for (const value of await readdir(records)) {
      for (const name of await readdir(join(records, value))) {
        const path = join(records, value, name)
        const { concept: _, ...old } = parseManifest(await readFile(path, 'utf8'))
        await writeFile(path, toManifestText(old))
        if (old.predecessor === null) first.push(value, old.deposit.pid.value)
      }
    }
    await loseDatabase(folder.path)

    expect((await operateHere(folder.path, ['rebuild'])).status).toBe(0)

    const check = await operateHere(folder.path, ['check'])
    expect({ status: check.status, stdout: check.stdout }).toEqual({ status: 0, stdout: '' })
    await using daemon = await testDaemon({ home: folder.path })
    const [value = '', deposit = ''] = first
    const versions = await daemon.visitor.get(`/records/${value}/versions`)
    const [newest, oldest, ...others] = bodyOf<readonly RecordBody[]>(versions, 200)
    expect([oldest?.id, others]).toEqual([value, []])
    expect(newest?.links['previous_version']).toBe(oldest?.links['self'])
    const concept = conceptOfOld(parseDepositId(deposit))
    expect([newest, oldest].map((version) => version?.pids.concept.value)).toEqual([
      concept,
      concept,
    ])
  })

  it('brings deposits back to the endpoint they were made at', async () => {
    const config = { DEPOSIT_REST_ENDPOINTS: { lab: {} } }
    await using folder = await temporaryFolder({ 'deposit.config.json': JSON.stringify(config) })
    let at = ''
    {
      await using daemon = await testDaemon({ home: folder.path })
      const made = bodyOf<DepositBody>(await daemon.as('ada').post('/lab', { json: {} }), 201)
      at = `/lab/${made.id}`
      bodyOf(await daemon.as('ada').post(`${at}/actions/publish`), 202)
      await expect.poll(() => readdir(join(folder.path, 'records')).catch(() => [])).toHaveLength(1)
    }
    expect((await operateHere(folder.path, ['check'])).stdout).toBe('')
    await loseDatabase(folder.path)

    expect((await operateHere(folder.path, ['rebuild'])).status).toBe(0)

    expect((await operateHere(folder.path, ['check'])).stdout).toBe('')
    await using daemon = await testDaemon({ home: folder.path })
    const found = await daemon.as('root', { admin: true }).get(at)
    expect(bodyOf<DepositBody>(found, 200).links['self']).toBe(daemon.url + at)
  })

  it('moves the bytes of drafts to quarantine', async () => {
    await using home = await homeWithData()
    await loseDatabase(home.path)

    const { stderr } = await operateHere(home.path, ['rebuild'])

    expect(stderr).toContain('Set 3 files without a manifest aside')
    expect(await readdir(join(home.path, 'quarantine'))).toHaveLength(3)
  })

  it('can be undone: check names the bytes in quarantine, and takes them back', async () => {
    await using home = await homeWithData()
    await using folder = await temporaryFolder()
    const copy = join(folder.path, 'copy')
    await cp(home.path, copy, { recursive: true })
    await loseDatabase(home.path)
    expect(await operateHere(home.path, ['rebuild'])).toMatchObject({ status: 0 })

    await loseDatabase(home.path)
    for (const name of await readdir(copy))
      if (name.startsWith('deposit.db')) await cp(join(copy, name), join(home.path, name))
    await writeFile(join(home.path, 'stores.json'), '{"mark":{"service":"any"}}')
    await (await testDaemon({ home: home.path }))[Symbol.asyncDispose]()
    const { status, stdout } = await operateHere(home.path, ['check'])

    expect(status).toBe(1)
    const places = stdout.matchAll(/is missing; bytes of it are in (quarantine\/(\S+)\.\d+)/g)
    for (const [, aside = '', id = ''] of places) {
      const shard = join(home.path, 'blobs', id.slice(0, 2), id.slice(2, 4))
      await mkdir(shard, { recursive: true, mode: 0o700 })
      await copyFile(join(home.path, aside), join(shard, id))
    }
    expect(await operateHere(home.path, ['check'])).toMatchObject({ status: 0, stdout: '' })
  })

  it('names the lost files, and ends with 1', async () => {
    await using home = await homeWithData()
    await loseDatabase(home.path)
    for (const blob of home.blobs) await removeFile(blob)

    const { status, stdout } = await operateHere(home.path, ['rebuild'])

    expect(status).toBe(1)
    expect(stdout).toContain('The bytes of levels/a.csv')
  })

  it('ends with 66 without manifests, and creates nothing', async () => {
    await using folder = await temporaryFolder()
    const home = join(folder.path, 'typo')

    const { status, stderr } = await operateHere(home, ['rebuild'])

    expect(status).toBe(66)
    expect(stderr).toContain(`There are no manifests of records in ${home}.`)
    expect(await readdir(folder.path)).toEqual([])
  })

  it('does not touch an existing database', async () => {
    await using home = await homeWithData()

    const { status, stderr } = await operateHere(home.path, ['rebuild'])

    expect(status).toBe(1)
    expect(stderr).toContain('Move it away first')
  })
})

async function pathOf({ path, published }: HomeWithData): Promise<string> {
  return join(path, 'records', String(published.metadata._deposit?.value), '0.json')
}

async function manifestOf(home: HomeWithData): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await readFile(await pathOf(home), 'utf8')) as Record<string, unknown>
}

/** A record with two revisions, and a new version of it that shares its bytes. */
async function publishSeveral(home: string): Promise<unknown> {
  await using daemon = await testDaemon({ home })
  const ada = daemon.as('ada')
  // Its number is lost with it, and no other deposit gets it.
  await ada.delete(`/deposits/${(await ada.createDraft()).id}`)
  const first = await ada.publish(await ada.createDraftWith('x/a.csv', 'b.csv'))
  const edited = await ada.edit(first)
  await ada.put(`/deposits/${first.id}`, { title: 'Sea level, corrected' })
  const second = await ada.publish(edited)
  const next = (await ada.act(second, 'newversion')).body as { readonly id: string }
  await ada.addFile(next, 'c.csv')
  await ada.publish(next)
  return await dumpOf(daemon)
}

async function readAll(home: string): Promise<unknown> {
  await using daemon = await testDaemon({ home })
  return await dumpOf(daemon)
}

async function loseDatabase(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith('deposit.db')) await rename(join(home, name), join(home, `lost.${name}`))
  }
}

/** A store of manifests that forgets what is written. */
function storeThat(write: ManifestStore['write']): ManifestStore {
  return {
    write,
    read: async () => undefined,
    list: async function* () {},
    [Symbol.asyncDispose]: async () => {},
  }
}
