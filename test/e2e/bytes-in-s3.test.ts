import { randomUUID } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBucket } from '../../core/adapters/blobs/s3/open-bucket.ts'
import { newBlobId } from '../../core/files/file.ts'
import { operateHere, runDepositd } from '../support/depositd.ts'
import { send } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { hasS3, s3Credentials, startS3, type S3Server } from '../support/s3.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

describe.skipIf(!hasS3())('A daemon whose bytes are in S3', () => {
  let server: S3Server
  beforeAll(async () => {
    Object.assign(process.env, s3Credentials)
    server = await startS3()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const env = (url = server.store(randomUUID())) => ({ DEPOSIT_STORAGE_URL: url })

  /** Sends a request like a program outside a browser. */
  async function ask(url: string, headers: Readonly<Record<string, string>> = {}) {
    const request = get(url, { headers, agent: false })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return { response, body: await text(response) }
  }

  it('redirects downloads to the store, if that is configured', async () => {
    await using daemon = await testDaemon({ env: { ...env(), DEPOSIT_STORAGE_REDIRECT: 'true' } })
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    await ada.putObject(draft, 'a.csv', 'one,two')
    await ada.publish(draft)
    const url = `${draft.links['bucket']}/a.csv`

    const { response } = await ask(url)
    expect(response.statusCode).toBe(302)
    expect(response.headers['cache-control']).toBe('no-store')
    const there = await ask(response.headers.location ?? '', { range: 'bytes=4-6' })
    expect(there.response.statusCode).toBe(206)
    expect(there.body).toBe('two')
    expect(there.response.headers['content-disposition']).toMatch(/^attachment; filename="a.csv"/)
    expect(there.response.headers['content-type']).toMatch(/^text\/csv/)

    const script = await ask(url, { 'sec-fetch-mode': 'cors' })
    expect([script.response.statusCode, script.body]).toEqual([200, 'one,two'])
    const etag = script.response.headers.etag ?? ''
    expect((await ask(url, { 'if-none-match': etag })).response.statusCode).toBe(304)
    expect((await send('HEAD', url)).headers.get('content-length')).toBe('7')
    const item = await ada.get(`/deposits/${draft.id}/files/a.csv`)
    expect(item.body).toMatchObject({ filename: 'a.csv' })
  })

  it('sends the bytes itself without that setting', async () => {
    await using daemon = await testDaemon({ env: env() })
    const ada = daemon.as('ada')
    const draft = await ada.publish(await ada.createDraftWith('a'))
    const { response } = await ask(`${draft.links['bucket']}/a`)
    expect(response.statusCode).toBe(200)
  })

  it('notices an outage of the store before a file is requested', async () => {
    await using daemon = await testDaemon({ env: env() })
    await daemon.as('ada').createDraftWith('a')
    const health = async () => (await send('GET', `${daemon.origin}/health`)).body
    expect(await health()).toMatchObject({ status: 'ok' })
    await server.kill()
    try {
      await expect.poll(health).toMatchObject({ status: 'degraded', faults: ['storage'] })
      const metrics = await send('GET', `${daemon.origin}/metrics`)
      expect(metrics.bytes.toString()).toContain('deposit_fault{part="storage"} 1')
    } finally {
      await server.start()
    }
    await expect.poll(health).toMatchObject({ status: 'ok' })
  })

  it('answers 503 and is not ready during an outage of the store, and recovers by itself', async () => {
    await using daemon = await testDaemon({ env: env() })
    const ada = daemon.as('ada')
    const draft = await ada.createDraftWith('a')
    const before = await ada.state(draft)
    await server.kill()
    try {
      expectProblem(await ada.upload(draft, 'b'), 'storage_unavailable', /files cannot be reached/)
      const read = await ada.get(`/deposits/${draft.id}/files/a?download`)
      expectProblem(read, 'storage_unavailable', /files cannot be reached/)
      expect((await send('GET', `${daemon.origin}/ready`)).status).toBe(503)
      expect((await ada.put(`/deposits/${draft.id}`, { title: 'Rows go on' })).status).toBe(200)
      const { status, stderr } = await operateHere(daemon.home, ['check'])
      expect(stderr).toMatch(/^depositd: The files in s3:\/\/\S+ cannot be reached now/)
      expect(status).toBe(69)
    } finally {
      await server.start()
    }
    const isReady = async () => (await send('GET', `${daemon.origin}/ready`)).status
    await expect.poll(isReady).toBe(200)
    expect((await ada.state(draft)).files).toEqual(before.files)
    expect((await ada.upload(draft, 'b')).status).toBe(201)
  })

  it('removes garbage of a crash a day later', async () => {
    await using home = await temporaryFolder()
    const url = server.store(randomUUID())
    const [left, fresh] = [newBlobId(), newBlobId()]
    {
      await using _ = await testDaemon({ home: home.path, env: env(url) })
    }
    using bucket = await openBucket(url, () => {})
    for (const id of [left, fresh]) await bucket.put(`blobs/${id}`, 'left by a crash')
    const sqlite = new Sqlite(join(home.path, 'deposit.db'))
    const insert = sqlite.prepare('INSERT INTO intents VALUES (?, ?, 0)')
    insert.run(left, new Date(Date.now() - 25 * 3_600_000).toISOString())
    insert.run(fresh, new Date(Date.now() - 23 * 3_600_000).toISOString())
    sqlite.close()

    await using _ = await testDaemon({ home: home.path, env: env(url) })

    await expect.poll(() => bucket.head(`blobs/${left}`)).toBeUndefined()
    expect(await bucket.head(`blobs/${fresh}`)).toBeDefined()
  })

  it.for([
    ['s3://nowhere?endpoint=http://127.0.0.1:1', 69, /DEPOSIT_STORAGE_URL cannot be reached/],
    ['s3://bucket?acl=public', 78, /"acl" is no parameter of the storage/],
    ['file:///blobs', 78, /DEPOSIT_STORAGE_URL/],
  ] as const)('does not start on %s', async ([url, status, message]) => {
    await using home = await temporaryFolder()
    const ended = await runDepositd(home.path, ['serve', '--port', '0'], env(url))
    expect(ended.status).toBe(status)
    expect(ended.stderr).toMatch(message)
  })
})
