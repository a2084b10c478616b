import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, UploadListBody } from '../../core/contract/schemas.ts'
import { actionsScope } from '../../core/contract/scopes.ts'
import { createDeposits, createFiles, createUploads, toFileKey } from '../../core/index.ts'
import { coreParts, owner } from '../support/core-parts.ts'
import { bodyOf } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { append, begun, bytes, metadata, offsetOf, tus } from './tus-client.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await testDaemon()
})
afterAll(() => daemon[Symbol.asyncDispose]())

describe('an upload whose bytes are all there, and that is no file yet', () => {
  const alice = () => daemon.as('alice')

  /** As a crash after the last byte leaves one: its name was taken at the end, and is free now. */
  async function whole(
    draft: DepositBody,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const url = await taken(draft, fields)
    expect((await alice().delete(`/deposits/${draft.id}/files/a.bin`)).status).toBe(204)
    return url
  }

  /** One whose name another file has. */
  async function taken(
    draft: DepositBody,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const url = await begun(alice(), draft, { size: 3, fields })
    await alice().addFile(draft, 'a.bin', 'first')
    expectProblem(await append(alice(), url, 0, Buffer.from('abc')), 'file_already_exists')
    return url
  }

  const ask = (url: string) => alice().send('HEAD', url, { headers: tus })

  it('is a file before HEAD says that all of them are there', async () => {
    const draft = await alice().createDraft()
    const url = await whole(draft)
    const reply = await ask(url)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('upload-offset')).toBe('3')
    const [file] = await alice().files(draft)
    expect(file).toMatchObject({ filename: 'a.bin', filesize: 3 })
    expect(reply.headers.get('content-location')).toBe(file?.links.self)
    const stored = await alice().get(file?.links.download ?? '')
    expect(stored.bytes.toString()).toBe('abc')
    expect(await offsetOf(alice(), url)).toBe('3')
    expect(await alice().keys(draft)).toEqual(['a.bin'])
    await alice().publish(draft)
  })

  it('is a file as well if its length was only told with the last bytes', async () => {
    const draft = await alice().createDraft()
    const began = await alice().post(draft.links['uploads'] ?? '', {
      headers: {
        ...tus,
        'upload-defer-length': '1',
        'upload-metadata': metadata({ filename: 'a.bin' }),
      },
    })
    const url = began.headers.get('location') ?? ''
    expect((await append(alice(), url, 0, Buffer.from('abc'))).status).toBe(204)
    expect(await offsetOf(alice(), url)).toBe('3')
    expect(await alice().keys(draft)).toEqual([])
    await alice().addFile(draft, 'a.bin', 'first')
    const headers = { ...bytes, 'upload-offset': '3', 'upload-length': '3' }
    expectProblem(await alice().send('PATCH', url, { headers }), 'file_already_exists')
    await alice().delete(`/deposits/${draft.id}/files/a.bin`)
    expect(await offsetOf(alice(), url)).toBe('3')
    expect(await alice().keys(draft)).toEqual(['a.bin'])
  })

  it('is never said to be complete where it cannot become a file', async () => {
    const draft = await alice().createDraft()
    const url = await taken(draft)
    expect((await ask(url)).status).toBe(400)
    const [upload] = bodyOf<UploadListBody>(await alice().get(draft.links['uploads'] ?? ''), 200)
    expect(upload).toMatchObject({ filename: 'a.bin', offset: 3 })
    const refused = await alice().act(draft, 'publish')
    expectProblem(refused, 'invalid_action')
    expect(refused.body).toMatchObject({ errors: [{ upload: upload?.id, name_taken: true }] })
    const rehearsed = await alice().get(draft.links['publish'] ?? '')
    expect(rehearsed.body).toMatchObject({ errors: [{ upload: upload?.id, name_taken: true }] })
    expect((await alice().send('DELETE', url, { headers: tus })).status).toBe(204)
    await alice().publish(draft)
  })

  it('is gone where its bytes are not those announced', async () => {
    const draft = await alice().createDraft()
    const url = await whole(draft, { checksum: `sha256:${'0'.repeat(64)}` })
    expect((await ask(url)).status).toBe(400)
    expect((await ask(url)).status).toBe(404)
    expect(await alice().keys(draft)).toEqual([])
    await alice().publish(
      await alice()
        .addFile(draft, 'b.bin', 'b')
        .then(() => draft),
    )
  })

  it('is locked for those who may only read, and is made no file by them', async () => {
    const draft = await alice().createDraft()
    const url = await whole(draft)
    const reader = daemon.as('alice', { scopes: [actionsScope] })
    expect((await reader.send('HEAD', url, { headers: tus })).status).toBe(423)
    expect(await alice().keys(draft)).toEqual([])
    expect((await ask(url)).status).toBe(200)
    expect((await reader.send('HEAD', url, { headers: tus })).status).toBe(200)
  })

  it('stays a part if it is one', async () => {
    const draft = await alice().createDraft()
    const reply = await alice().post(draft.links['uploads'] ?? '', {
      headers: { ...tus, 'upload-length': '2', 'upload-concat': 'partial' },
    })
    const url = reply.headers.get('location') ?? ''
    expect((await append(alice(), url, 0, Buffer.from('ab'))).status).toBe(204)
    expect(await offsetOf(alice(), url)).toBe('2')
    expect(await alice().keys(draft)).toEqual([])
  })
})

it('is a file although a later request has asked for it while its last bytes were stored', async () => {
  await using stack = new AsyncDisposableStack()
  const parts = await coreParts(stack)
  const uploads = createUploads(parts, createFiles(parts))
  const { id } = await createDeposits(parts).create(owner, {})
  const asked = { caller: owner, id }
  const file = { key: toFileKey('a.bin'), replaces: false, metadata: {}, size: 3 }
  for (const [sent, isWhole] of [
    ['ab', false],
    ['abc', true],
  ] as const) {
    const upload = await uploads.begin(asked, file)
    const later = new AbortController()
    // Asked just before the bytes are written.
    const turn = { signal: later.signal, requireTurn: () => later.abort() }
    const piece = { ...turn, offset: 0, length: sent.length }
    const appended = uploads.append(asked, upload.id, Readable.from([Buffer.from(sent)]), piece)
    if (isWhole) expect(await appended).toMatchObject({ offset: 3, finished: {} })
    else await expect(appended).rejects.toMatchObject({ name: 'AbortError' })
    if (!isWhole) await uploads.abort(asked, upload.id)
  }
})

it('is a file although the process died after the bytes were moved among the files', async () => {
  await using stack = new AsyncDisposableStack()
  const parts = await coreParts(stack)
  const uploads = createUploads(parts, createFiles(parts))
  const { id } = await createDeposits(parts).create(owner, {})
  const asked = { caller: owner, id }
  const file = { key: toFileKey('a.bin'), replaces: false, metadata: {}, size: 3 }
  const upload = await uploads.begin(asked, file)
  const { uploads: store } = parts.blobs
  await store.append(upload.id, Readable.from([Buffer.from('abc')]), { offset: 0, limit: 3 })
  await store.finish(upload.id, [])
  expect(await uploads.find(asked, upload.id)).toMatchObject({ offset: 3, finished: {} })
  expect(await uploads.list(asked)).toEqual([])
})
