import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DepositBody, ProblemBody } from '../../core/contract/schemas.ts'
import { doiDaemon, doiOf } from '../support/doi-daemon.ts'
import { operateHere } from '../support/depositd.ts'
import { bodyOf } from '../support/http.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { flipByte } from './damage.ts'
import { homeWithData } from './home-with-data.ts'

describe('depositd record', () => {
  it('withdraws and restores a record, without a daemon and with one', async () => {
    await using home = await homeWithData()
    const value = home.published.metadata._deposit?.value ?? ''
    const asked = ['record', 'withdraw', value, '--reason', 'copyright', '--note', 'A claim.']

    const withdrawn = await operateHere(home.path, asked)

    expect(withdrawn).toMatchObject({ status: 0, stdout: `${value}\n` })
    await using daemon = await testDaemon({ home: home.path })
    const told = bodyOf<ProblemBody>(await daemon.visitor.get(`/records/${value}`), 410)
    expect(told.tombstone).toMatchObject({ by: 'operator', reason: 'copyright', note: 'A claim.' })
    expect((await daemon.visitor.get(`/records/?q=${value}`)).body).toMatchObject({
      hits: { total: 0 },
    })

    expect((await operateHere(home.path, ['record', 'restore', value])).status).toBe(0)
    bodyOf(await daemon.visitor.get(`/records/${value}`), 200)
    expect((await daemon.visitor.get(`/records/?q=${value}`)).body).toMatchObject({
      hits: { total: 1 },
    })
  })

  it('refuses an unknown record or reason, and what was done before', async () => {
    await using home = await homeWithData()
    const value = home.published.metadata._deposit?.value ?? ''
    const withdraw = (name: string, reason: string) =>
      operateHere(home.path, ['record', 'withdraw', name, '--reason', reason])

    expect((await withdraw('abcde-fgh12', 'test')).stderr).toContain('There is no record')
    expect((await withdraw(value, 'bored')).stderr).toContain('use personal-data, copyright')
    const early = await operateHere(home.path, ['record', 'restore', value])
    expect(early.status).toBe(1)
    expect(early.stderr).toContain('not withdrawn')
    expect((await withdraw(value, 'test')).status).toBe(0)
    expect((await withdraw(value, 'test')).stderr).toContain('withdrawn already')
  })
})

describe('a record with a file that was damaged and set aside', () => {
  it('leaves no bytes of it where it is withdrawn and they are destroyed', async () => {
    await using folder = await temporaryFolder()
    await using daemon = await testDaemon({ home: folder.path })
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    await ada.addFile(draft, 'names.csv', 'a secret '.repeat(10_000))
    const { id } = await ada.publish(draft)
    for (const path of await daemon.storedBytes()) await flipByte(path)
    const check = await operateHere(folder.path, ['check'])
    expect(check.stdout).toContain('set aside in quarantine')
    expect(await readdir(join(folder.path, 'quarantine'))).toHaveLength(1)

    const body = { reason: 'personal-data', destroy_bytes: true }
    bodyOf(await ada.post(`/deposits/${id}/actions/withdraw`, { json: body }), 202)

    await expect.poll(() => readdir(join(folder.path, 'quarantine'))).toEqual([])
  })
})

describe('a rebuild', () => {
  it('has withdrawn records as they were: hidden, and their versions in order', async () => {
    await using folder = await temporaryFolder()
    let first = ''
    let second = ''
    {
      await using daemon = await testDaemon({ home: folder.path })
      const ada = daemon.as('ada')
      const published = await ada.createPublished({ title: 'Levels' })
      const draft = bodyOf<DepositBody>(await ada.act(published, 'newversion'), 201)
      const next = await ada.publish(draft)
      const body = { reason: 'retracted', destroy_bytes: true }
      bodyOf(await ada.post(`/deposits/${next.id}/actions/withdraw`, { json: body }), 202)
      first = published.metadata._deposit?.value ?? ''
      second = next.metadata._deposit?.value ?? ''
    }
    for (const name of ['deposit.db', 'deposit.db-wal', 'deposit.db-shm'])
      await rm(join(folder.path, name), { force: true })

    expect((await operateHere(folder.path, ['rebuild'])).status).toBe(0)

    const check = await operateHere(folder.path, ['check'])
    expect({ status: check.status, stdout: check.stdout }).toEqual({ status: 0, stdout: '' })
    await using daemon = await testDaemon({ home: folder.path })
    const told = bodyOf<ProblemBody>(await daemon.visitor.get(`/records/${second}`), 410)
    expect(told.tombstone).toMatchObject({ reason: 'retracted', by: 'owner' })
    const found = await daemon.visitor.get('/records/?q=Levels')
    expect(found.body).toMatchObject({ hits: { hits: [{ id: first }] } })
  })
})

describe('the DOI of a record that is withdrawn', () => {
  it('is hidden, leads on to the tombstone, and is registered again with the record', async () => {
    await using served = await doiDaemon()
    const { daemon, datacite } = served
    const ada = daemon.as('ada')
    const published = await ada.createPublished()
    const { value } = await doiOf(ada, published, 'registered')
    const page = `${daemon.origin}/records/${published.metadata._deposit?.value}`
    expect(datacite.dois()[value]).toMatchObject({ state: 'findable', url: page })

    const body = { reason: 'retracted' }
    bodyOf(await ada.post(`/deposits/${published.id}/actions/withdraw`, { json: body }), 202)
    await doiOf(ada, published, 'hidden')
    expect(datacite.dois()[value]).toMatchObject({ state: 'registered', url: page })
    const record = page.slice(page.lastIndexOf('/'))
    const told = bodyOf<ProblemBody>(await daemon.visitor.get(`/records${record}`), 410)
    expect(told.tombstone?.doi).toBe(value)

    bodyOf(await ada.act(published, 'restore-record'), 201)
    await doiOf(ada, published, 'registered')
    expect(datacite.dois()[value]).toMatchObject({ state: 'findable', url: page })
  })

  it('of a concept follows the newest version that is there', async () => {
    await using served = await doiDaemon()
    const { daemon, datacite } = served
    const ada = daemon.as('ada')
    const first = await ada.createPublished({ title: 'First levels' })
    const draft = bodyOf<DepositBody>(await ada.act(first, 'newversion'), 201)
    await ada.put(`/deposits/${draft.id}`, { title: 'Second levels' })
    const second = await ada.publish(draft)
    const conceptDoi = async () => (await ada.show(first)).pids.concept.doi?.value ?? ''
    const said = async () => JSON.stringify(datacite.dois()[await conceptDoi()])
    await expect.poll(said).toContain('Second levels')

    const body = { reason: 'retracted' }
    bodyOf(await ada.post(`/deposits/${second.id}/actions/withdraw`, { json: body }), 202)
    await expect.poll(said).toContain('First levels')
    bodyOf(await ada.post(`/deposits/${first.id}/actions/withdraw`, { json: body }), 202)
    await expect.poll(async () => datacite.dois()[await conceptDoi()]?.state).toBe('registered')
  })
})
