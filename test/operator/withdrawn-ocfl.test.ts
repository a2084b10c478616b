import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { doiDaemon, doiOf } from '../support/doi-daemon.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { operateHere } from '../support/depositd.ts'
import { bodyOf } from '../support/http.ts'
import { faultsOfRoot, filesOfRoot, logicalPaths, objectsOf, readLogical } from '../support/ocfl.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

/** Runs a command that must succeed. */
async function done(home: string, ...args: readonly string[]): Promise<string> {
  const { status, stderr } = await operateHere(home, args)
  expect({ status, stderr }).toEqual({ status: 0, stderr })
  return stderr
}

/** Publishes a deposit with one file, whose text nothing else has. */
async function publishSecret(daemon: TestDaemon): Promise<DepositBody> {
  const ada = daemon.as('ada')
  const draft = await ada.createDraft({ title: 'Levels' })
  await ada.addFile(draft, 'levels.csv', 'secret levels')
  return ada.publish(draft)
}

async function withdraw(daemon: TestDaemon, { id }: DepositBody, more = {}): Promise<void> {
  const json = { reason: 'personal-data', ...more }
  bodyOf(await daemon.as('ada').post(`/deposits/${id}/actions/withdraw`, { json }), 202)
}

/** The versions of the only object: why each was made, and its logical paths. */
async function versionsIn(root: string) {
  const [object] = await objectsOf(root)
  const { versions = {} } = object?.inventory ?? {}
  return Object.entries(versions).map(([name, { message }]) => [
    message,
    object && logicalPaths(object, name),
  ])
}

const whole = ['files/levels.csv', 'manifest.json', 'record.json']
const bare = ['manifest.json', 'record.json']

describe('the object of a record that was withdrawn', () => {
  it('gets a version with a tombstone and no file, and one when it is restored', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder()
    const deposit = await publishSecret(daemon)
    await done(daemon.home, 'export-ocfl', place.path)

    await withdraw(daemon, deposit)
    await done(daemon.home, 'export-ocfl', place.path)
    await done(daemon.home, 'export-ocfl', place.path)
    const [object] = await objectsOf(place.path)
    const told = object && String(await readLogical(object, 'v2', 'record.json'))
    const restore = `/deposits/${deposit.id}/actions/restore-record`
    bodyOf(await daemon.as('ada').post(restore), 201)
    await done(daemon.home, 'export-ocfl', place.path)

    expect(JSON.parse(told ?? '')).toMatchObject({ withdrawn: { reason: 'personal-data' } })
    expect(told).not.toContain('Levels')
    expect(await versionsIn(place.path)).toEqual([
      ['Published', whole],
      ['Withdrawn: personal-data', bare],
      ['Restored', whole],
    ])
    expect(await faultsOfRoot(place.path)).toEqual([])
  })

  it('is brought back as it was: withdrawn, and restorable with its files', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder({ 'new/.keep': '' })
    const deposit = await publishSecret(daemon)
    await withdraw(daemon, deposit)
    await done(daemon.home, 'export-ocfl', place.path + '/root')

    const home = place.path + '/home'
    await done(home, 'rebuild', '--from-ocfl', place.path + '/root')

    await using anew = await testDaemon({ home })
    const path = `/records/${String(deposit.metadata._deposit?.value)}`
    expect((await anew.visitor.get(path)).status).toBe(410)
    await done(home, 'record', 'restore', String(deposit.metadata._deposit?.value))
    bodyOf(await anew.visitor.get(path), 200)
  })

  it('keeps destroyed bytes in older versions until it is told to remove them', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder()
    const root = `${place.path}/root`
    const deposit = await publishSecret(daemon)
    const holds = async (): Promise<boolean> => {
      const texts = await Promise.all((await filesOfRoot(root)).map((path) => readFile(path)))
      return texts.some((text) => text.includes('secret levels'))
    }
    await done(daemon.home, 'export-ocfl', root)
    await withdraw(daemon, deposit, { destroy_bytes: true })

    const told = await done(daemon.home, 'export-ocfl', root)
    const before = await holds()
    await done(daemon.home, 'export-ocfl', root, '--remove-destroyed')

    expect(told).toContain('were destroyed; older versions in ')
    expect(before).toBe(true)
    expect(await holds()).toBe(false)
    expect((await versionsIn(root)).at(-1)).toEqual(['Withdrawn: personal-data', bare])
    expect(await faultsOfRoot(root)).toEqual([])
    expect(await done(daemon.home, 'export-ocfl', root)).not.toContain('were destroyed')
  })

  it('brings no destroyed bytes back, nor the names of their files', async () => {
    await using daemon = await testDaemon()
    await using place = await temporaryFolder()
    const root = `${place.path}/root`
    const deposit = await publishSecret(daemon)
    await done(daemon.home, 'export-ocfl', root)
    await withdraw(daemon, deposit, { destroy_bytes: true })
    await done(daemon.home, 'export-ocfl', root)

    const home = `${place.path}/home`
    await done(home, 'rebuild', '--from-ocfl', root)

    const texts = await Promise.all((await filesOfRoot(home)).map((path) => readFile(path)))
    expect(texts.some((text) => text.includes('secret levels'))).toBe(false)
    expect(texts.some((text) => text.includes('levels.csv'))).toBe(false)
    await using anew = await testDaemon({ home })
    const path = `/records/${String(deposit.metadata._deposit?.value)}`
    expect((await anew.visitor.get(path)).status).toBe(410)
  })
})

describe('the object of a record whose DOI was registered since', () => {
  it('gets a version of its own, and no other object waits for it', async () => {
    await using fixture = await doiDaemon()
    const { daemon } = fixture
    await using place = await temporaryFolder()
    fixture.datacite.fault = () => ({ status: 503, headers: { 'retry-after': '1' } })
    const deposit = await publishSecret(daemon)
    await done(daemon.home, 'export-ocfl', place.path)
    fixture.datacite.fault = () => undefined
    await doiOf(daemon.as('ada'), deposit, 'registered')

    await done(daemon.home, 'export-ocfl', place.path)

    expect((await versionsIn(place.path)).map(([message]) => message)).toEqual([
      'Published',
      'Identifier or owners changed',
    ])
  })
})
