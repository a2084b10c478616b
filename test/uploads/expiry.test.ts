import { readdir, utimes, writeFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it as test } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { bytesLieElsewhere } from '../support/test-storage.ts'

const it = test.skipIf(bytesLieElsewhere())
const tus = { 'tus-resumable': '1.0.0' }

/** Backdates the start of every upload. */
function makeBegunEarlier(home: string): void {
  const sqlite = new Sqlite(join(home, 'deposit.db'))
  sqlite.exec("UPDATE uploads SET created = '1970-01-01T00:00:00.000Z'")
  sqlite.close()
}

async function beginWithBytes(daemon: TestDaemon, draft: DepositBody): Promise<string> {
  const reply = await daemon.as('owner').post(draft.links['uploads'] ?? '', {
    headers: {
      ...tus,
      'upload-length': '10',
      'upload-metadata': `filename ${Buffer.from('a').toString('base64')}`,
      'content-type': 'application/offset+octet-stream',
    },
    body: 'hello',
  })
  expect(reply.status).toBe(201)
  return reply.headers.get('location') ?? ''
}

it('expires an upload when its last byte is older than the limit', async () => {
  await using home = await temporaryFolder()
  await using daemon = await testDaemon({ home: home.path, env: { DEPOSIT_UPLOAD_DAYS: '3' } })
  const draft = await daemon.as('owner').createDraft()
  const url = await beginWithBytes(daemon, draft)
  const [id = ''] = await daemon.storedUploads()
  const daysAgo = (days: number): Date => new Date(Date.now() - days * 24 * 60 * 60 * 1000)
  const path = join(home.path, 'uploads', id)

  await utimes(path, daysAgo(2), daysAgo(2))
  expect((await daemon.as('owner').send('HEAD', url, { headers: tus })).status).toBe(200)

  await utimes(path, daysAgo(4), daysAgo(4))
  expect((await daemon.as('owner').send('HEAD', url, { headers: tus })).status).toBe(410)
  const listed = await daemon.as('owner').get(draft.links['uploads'] ?? '')
  expect(listed.body).toEqual([])
})

it('removes the bytes of expired uploads when it starts', async () => {
  await using home = await temporaryFolder()
  {
    await using daemon = await testDaemon({ home: home.path })
    const draft = await daemon.as('owner').createDraft()
    for (const _ of ['given up', 'kept']) await beginWithBytes(daemon, draft)
  }
  const folder = join(home.path, 'uploads')
  const [givenUp = '', ...kept] = await readdir(folder)
  const then = new Date(0)
  await utimes(join(folder, givenUp), then, then)
  makeBegunEarlier(home.path)

  await using daemon = await testDaemon({ home: home.path })

  await expect.poll(() => daemon.storedUploads()).toEqual(kept)
})

it('removes bytes that belong to no upload when it starts', async () => {
  await using home = await temporaryFolder()
  {
    await using daemon = await testDaemon({ home: home.path })
    await beginWithBytes(daemon, await daemon.as('owner').createDraft())
  }
  const folder = join(home.path, 'uploads')
  const known = await readdir(folder)
  await writeFile(join(folder, randomUUID()), 'left by a crash')
  {
    await using daemon = await testDaemon({ home: home.path })
    await expect.poll(() => daemon.storedUploads()).toEqual(known)
  }
})
