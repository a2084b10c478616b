import { createHash } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { maxBundledBytes, maxBundleFiles } from '../../core/contract/uploads.ts'
import { problems, type ProblemCode } from '../../core/contract/problems.ts'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { form, formType, type Part } from '../support/form.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')

type Headers = Readonly<Record<string, string>>

const file = (filename: string, content: Part['content'] = filename): Part => ({
  name: 'file',
  filename,
  content,
})

function send(
  { links }: Pick<DepositBody, 'links'>,
  parts: readonly Part[],
  headers: Headers = {},
  user = ada,
): Promise<Reply> {
  const body = form(...parts)
  return user.post(links['bundles'] ?? '', {
    body,
    headers: { 'content-type': formType, ...headers },
  })
}

/** @param words that the message has to contain */
function expectRefusal({ body, status }: Reply, code: ProblemCode, words = /./): void {
  expect(body).toMatchObject({ code, status })
  expect(status).toBe(problems[code].status)
  expect(JSON.stringify(body)).toMatch(words)
}

const namesIn = (files: readonly FileBody[]) => files.map(({ filename }) => filename)

describe('POST /deposits/{pid_value}/bundles', () => {
  it('adds the files in their order, under their safe names, with their digests', async () => {
    const draft = await ada.createDraftWith('first')
    const sent = [file('z/deep.txt'), file('Île.csv', ''), file('a.bin', Buffer.alloc(60_000, 7))]
    const reply = await send(draft, sent)

    const files = bodyOf<FileBody[]>(reply, 201)
    expect(namesIn(files)).toEqual(['z/deep.txt', 'Île.csv', 'a.bin'])
    expect(files.map(({ checksum }) => checksum)).toEqual(
      sent.map(({ content }) => `sha256:${createHash('sha256').update(content).digest('hex')}`),
    )
    expect(reply.headers.get('deposit-revision')).toBe(String(draft.revision + 1))
    const listed = bodyOf<FileBody[]>(await ada.get(`/deposits/${draft.id}/files`), 200)
    expect(namesIn(listed)).toEqual(['first', 'z/deep.txt', 'Île.csv', 'a.bin'])
    const bytes = await ada.get(files[2]?.links.download ?? '')
    expect(bytes.bytes).toEqual(Buffer.alloc(60_000, 7))
  })

  it('accepts as many files as a bundle may have, and a name with quotes', async () => {
    const draft = await ada.createDraft()
    const names = Array.from({ length: maxBundleFiles - 1 }, (_, at) => `f${at}`)
    const reply = await send(draft, [...names.map((name) => file(name)), file(String.raw`\"q\"`)])

    expect(namesIn(bodyOf<FileBody[]>(reply, 201))).toEqual([...names, '"q"'])
  })

  it('makes a new version of a key that is taken, unless If-None-Match: * forbids it', async () => {
    const draft = await ada.createDraftWith('a')
    const before = await ada.state(draft)
    const stored = await daemon.storedBytes()
    const bundle = [file('b'), file('a', 'other')]

    expectRefusal(await send(draft, bundle, { 'if-none-match': '*' }), 'precondition_failed', /a/)
    expect(await ada.state(draft)).toEqual(before)
    expect(await daemon.storedBytes()).toEqual(stored)
    const files = bodyOf<FileBody[]>(await send(draft, bundle), 200)
    expect(namesIn(files)).toEqual(['b', 'a'])
    const versions = await ada.get(`${draft.links['bucket']}?versions`)
    expect(bodyOf<FileBody[]>(versions, 200)).toHaveLength(3)
  })

  it.for<[string, readonly Part[], ProblemCode, RegExp]>([
    ['no file', [], 'wrong_file', /no part named file/],
    [
      'more files than a bundle has',
      Array.from({ length: maxBundleFiles + 1 }, (_, at) => file(`${at}`)),
      'wrong_file',
      /at most 100/,
    ],
    [
      'a file that is not small',
      [file('a'), file('b', Buffer.alloc(maxBundledBytes + 1))],
      'file_too_large',
      /./,
    ],
    ['two files of one key', [file('a'), file('b'), file('a')], 'wrong_file', /\\"a\\"/],
    ['a field', [file('a'), { name: 'name', content: 'b' }], 'wrong_file', /files alone/],
    ['a part of another name', [{ ...file('a'), name: 'data' }], 'wrong_file', /named file/],
    ['a name that is not safe', [file('a'), file('..')], 'wrong_file', /./],
    ['a name that is no UTF-8', [file('a'), file('\uFFFD')], 'wrong_file', /UTF-8/],
  ])('refuses %s, and keeps nothing of it', async ([_, parts, code, words]) => {
    const draft = await ada.createDraft()
    const before = await ada.state(draft)
    const stored = await daemon.storedBytes()

    expectRefusal(await send(draft, parts), code, words)
    expect(await ada.state(draft)).toEqual(before)
    expect(await daemon.storedBytes()).toEqual(stored)
  })

  it('refuses a form that ends too soon, and another media type', async () => {
    const draft = await ada.createDraft()
    const whole = form(file('a'), file('b'))
    const post = (body: Buffer<ArrayBuffer>, type: string) =>
      ada.post(draft.links['bundles'] ?? '', { body, headers: { 'content-type': type } })

    expectRefusal(await post(whole.subarray(0, -20), formType), 'broken_upload')
    expectRefusal(await post(whole, 'application/zip'), 'unsupported_media_type')
    expect(await ada.get(`/deposits/${draft.id}/files`)).toMatchObject({ body: [] })
  })

  it('is refused when files are frozen, and when the revision has changed', async () => {
    const draft = await ada.createDraftWith('a')
    expectRefusal(await send(draft, [file('b')], { 'if-match': '"0"' }), 'stale_revision')
    await ada.act(draft, 'publish')

    expectRefusal(await send(draft, [file('b')]), 'invalid_action')
    await ada.act(draft, 'edit')
    expectRefusal(await send(draft, [file('b')]), 'files_frozen')
  })

  it('with an Idempotency-Key is stored once, and gets the same answer again', async () => {
    const draft = await ada.createDraft()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const bundle = [file('a'), file('b')]
    const first = bodyOf<FileBody[]>(await send(draft, bundle, headers), 201)
    const again = await send(draft, bundle, headers)

    expect(bodyOf<FileBody[]>(again, 201)).toEqual(first)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    const other = await send(draft, [file('a'), file('c')], headers)
    expectRefusal(other, 'idempotency_key_reused')
  })
})

describe('the limits of a bundle', () => {
  it('are those of the files in it: number and quota', async () => {
    await using small = await testDaemon({
      env: { DEPOSIT_MAX_FILES: '3', DEPOSIT_QUOTA: '2700' },
    })
    const owner = small.as('ada')
    const draft = await owner.createDraftWith('a')
    const refused = (parts: readonly Part[]) => send(draft, parts, {}, owner)

    const news = { 'if-none-match': '*' }
    const many = [file('b'), file('c'), file('d')]
    expectRefusal(await send(draft, many, news, owner), 'quota_exceeded', /no more/)
    expectRefusal(await refused(many), 'quota_exceeded', /no more/)
    const large = [file('b', 'x'.repeat(600)), file('c', 'x'.repeat(600))]
    expectRefusal(await refused(large), 'quota_exceeded')
    expect(await owner.get(`/deposits/${draft.id}/files`)).toMatchObject({ body: [{}] })
    const fitting = large.map((part) => ({ ...part, content: 'x' }))
    expect((await refused(fitting)).status).toBe(201)
  })
})
