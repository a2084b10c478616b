import { chmod, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { operateHere, spawnDepositd } from '../support/depositd.ts'
import { bodyOf } from '../support/http.ts'
import { filesOfRoot, foreignObject } from '../support/ocfl.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { dumpOf } from './api-dump.ts'

const valueOf = ({ metadata }: DepositBody): string => String(metadata._deposit?.value)

/** Everything that anybody can read of records. */
async function readRecords(daemon: TestDaemon, values: readonly string[]): Promise<unknown> {
  const answers = []
  for (const value of values) {
    for (const path of ['', '/revisions', '/export/datacite-json', '/packages/zip']) {
      const reply = await daemon.visitor.get(`/records/${value}${path}`)
      // Entity tags of exports and the sizes of packages depend on the port.
      const etag = path === '' ? reply.headers.get('etag') : undefined
      const body = path.startsWith('/packages') ? undefined : reply.body
      answers.push({ value, path, status: reply.status, etag, body })
    }
  }
  const text = JSON.stringify(answers).replaceAll(daemon.origin, '')
  return JSON.parse(text.replaceAll(/"request_id":"[^"]*"/g, '"request_id":""'))
}

/** All versions of the files of a record, and the bytes of each. */
async function readVersions(daemon: TestDaemon, bucket: string): Promise<unknown> {
  const admin = daemon.as('reader', { admin: true })
  const list = await admin.get(`${bucket}?versions`)
  const contents = bodyOf<readonly Readonly<Record<string, string>>[]>(list, 200)
  const bytes = await Promise.all(
    contents.map(async ({ filename: key = '', version_id = '' }) => {
      const reply = await admin.get(`${bucket}/${key}?versionId=${version_id}`)
      return [key, version_id, reply.status, reply.bytes.toString()]
    }),
  )
  return JSON.parse(JSON.stringify([list.body, bytes]).replaceAll(daemon.origin, ''))
}

/** Records of several kinds, exported. */
async function exported(root: string, home: string) {
  await using daemon = await testDaemon({ home })
  const ada = daemon.as('ada')
  const draft = await ada.createDraftWith('x/a.csv', 'b.csv')
  await ada.addFile(draft, 'empty', '')
  await ada.putObject(draft, 'large.csv', 'old'.repeat(50_000))
  await ada.putObject(draft, 'large.csv', 'new'.repeat(50_000))
  const first = await ada.publish(draft)
  const edited = await ada.edit(first)
  await ada.put(`/deposits/${first.id}`, { title: 'Sea level, corrected' })
  const second = await ada.publish(edited)
  const next = (await ada.act(second, 'newversion')).body as { readonly id: string }
  await ada.addFile(next, 'c.csv')
  const third = await ada.publish(next)
  const sealed = await daemon.as('bob').createPublished({ title: 'Sealed' })
  await daemon.as('bob').act(sealed, 'register')
  const moved = await ada.createPublished({ title: 'Moved' })
  const target = valueOf(sealed)
  await daemon.operate('pid redirect', { type: 'recid', value: valueOf(moved), target })
  const done = await operateHere(home, ['export-ocfl', root])
  expect({ status: done.status, stderr: done.stderr }).toMatchObject({ status: 0 })
  const values = [first, third, sealed, moved].map(valueOf)
  const bucket = new URL(first.links['bucket'] ?? '').pathname.replace('/api', '')
  return {
    values,
    bucket,
    dump: await dumpOf(daemon),
    records: await readRecords(daemon, values),
    versions: await readVersions(daemon, bucket),
  }
}

describe('depositd rebuild --from-ocfl', () => {
  it('makes a service that gives the same answers', async () => {
    await using place = await temporaryFolder()
    const [root, home] = [join(place.path, 'root'), join(place.path, 'new')]
    const before = await exported(root, join(place.path, 'old'))

    const { status, stdout } = await operateHere(home, ['rebuild', '--from-ocfl', root])

    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    const check = await operateHere(home, ['check'])
    expect({ status: check.status, stdout: check.stdout }).toEqual({ status: 0, stdout: '' })
    await using daemon = await testDaemon({ home })
    expect(await readRecords(daemon, before.values)).toEqual(before.records)
    expect(await readVersions(daemon, before.bucket)).toEqual(before.versions)
    expect(await dumpOf(daemon)).toEqual(before.dump)
  })

  it('is a service whose records are level with the root', async () => {
    await using place = await temporaryFolder()
    const [root, home] = [join(place.path, 'root'), join(place.path, 'new')]
    await exported(root, join(place.path, 'old'))
    await operateHere(home, ['rebuild', '--from-ocfl', root])

    const { status, stdout } = await operateHere(home, ['export-ocfl', root, '--json'])

    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ versions: 0, faults: [] })
  })

  it('names a damaged object, builds the others, and ends with 1', async () => {
    await using place = await temporaryFolder()
    const [root, home] = [join(place.path, 'root'), join(place.path, 'new')]
    const { values } = await exported(root, join(place.path, 'old'))
    const file = (await filesOfRoot(root)).find((path) => path.endsWith('/files/c.csv')) ?? ''
    await chmod(file, 0o600)
    await writeFile(file, 'c.csw')

    const { status, stdout } = await operateHere(home, ['rebuild', '--from-ocfl', root])

    expect(status).toBe(1)
    expect(stdout).toMatch(/v1\/content\/files\/c\.csv: its sha256 is .* \(E092\)/)
    await using daemon = await testDaemon({ home })
    const [first = '', third = ''] = values
    bodyOf(await daemon.visitor.get(`/records/${first}`), 200)
    bodyOf(await daemon.visitor.get(`/records/${third}`), 404)
  })

  it('names objects of others, and passes them over', async () => {
    await using place = await temporaryFolder()
    const [root, home] = [join(place.path, 'root'), join(place.path, 'new')]
    await exported(root, join(place.path, 'old'))
    await foreignObject(root, 'urn:example:theirs')

    const { status, stdout } = await operateHere(home, ['rebuild', '--from-ocfl', root])

    expect(status).toBe(0)
    expect(stdout).toMatch(/^urn:example:theirs in .* was not written by depositd, /)
  })

  it('can be repeated after it was killed', async () => {
    await using place = await temporaryFolder()
    const [root, home] = [join(place.path, 'root'), join(place.path, 'new')]
    const before = await exported(root, join(place.path, 'old'))
    const args = ['rebuild', '--from-ocfl', root]

    let isDone = false
    for (const ms of [300, 500, 600, 700, 800, 900]) {
      const child = spawnDepositd(home, args)
      await sleep(ms)
      child.kill('SIGKILL')
      isDone = (await child.ended).status === 0
      if (isDone) break
    }

    if (!isDone) expect(await operateHere(home, args)).toMatchObject({ status: 0, stdout: '' })
    expect(await operateHere(home, ['check'])).toMatchObject({ status: 0, stdout: '' })
    await using daemon = await testDaemon({ home })
    expect(await dumpOf(daemon)).toEqual(before.dump)
  })

  it('makes no home of a folder that is no storage root', async () => {
    await using place = await temporaryFolder()

    const home = join(place.path, 'new')
    const { status, stderr } = await operateHere(home, ['rebuild', '--from-ocfl', place.path])

    expect(status).toBe(66)
    expect(stderr).toContain('is not a storage root of OCFL')
    expect(await readdir(place.path)).toEqual([])
  })

  it('does not touch rows that are there', async () => {
    await using place = await temporaryFolder()
    const [root, home] = [join(place.path, 'root'), join(place.path, 'old')]
    await exported(root, home)

    const { status, stderr } = await operateHere(home, ['rebuild', '--from-ocfl', root])

    expect(status).toBe(1)
    expect(stderr).toContain('The database has rows already.')
  })
})
