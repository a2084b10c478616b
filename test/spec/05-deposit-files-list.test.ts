import { createHash } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import type { FileBody } from '../../core/contract/schemas.ts'
import { form, formType, type Part } from '../support/form.ts'
import { bodyOf } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('Endpoints: files list, GET', () => {
  it('answers a JSON list of the files of the deposit', async () => {
    const draft = await ada.createDraft()
    expect(await ada.files(draft)).toEqual([])

    const file = await ada.addFile(draft, 'a.txt', 'content')
    expect(await ada.files(draft)).toEqual([file])
  })
})

describe('Endpoints: files list, POST', () => {
  it('answers 201 with the JSON of the created file, and commits the deposit', async () => {
    const draft = await ada.createDraft()
    const reply = await ada.upload(draft, 'a.txt', 'content')
    const file = bodyOf<FileBody>(reply, 201)

    expect(file).toMatchObject({
      filename: 'a.txt',
      filesize: 7,
      checksum: `sha256:${sha256('content')}`,
    })
    expect(reply.headers.get('location')).toBe(file.links.self)
    expect(reply.headers.get('deposit-revision')).toBe('1')
    expect((await ada.show(draft)).files).toEqual({ count: 1, size: 7 })
  })

  const edges = [4096, 65_536, 2 ** 20].flatMap((size) => [size - 1, size, size + 1])
  it.for([0, 1, ...edges, 3_000_001])('stores %i bytes unchanged', async (size) => {
    const draft = await ada.createDraft()
    const bytes = Uint8Array.from({ length: size }, (_, index) => (index * 7919) % 251)
    const file = bodyOf<FileBody>(await ada.upload(draft, 'a.bin', bytes), 201)
    const download = await ada.get(file.links.download)

    expect(file).toMatchObject({ filesize: size, checksum: `sha256:${sha256(bytes)}` })
    expect(download.bytes.equals(bytes)).toBe(true)
  })

  it('the field name overrides the uploaded file name and may have folders', async () => {
    const draft = await ada.createDraft()
    const reply = await ada.upload(draft, 'a.txt', 'x', { name: 'stations/b.txt' })

    expect(bodyOf<FileBody>(reply, 201).filename).toBe('stations/b.txt')
  })

  it.for(['before', 'after'])(
    'a file part without a filename takes the field name %s it',
    async (where) => {
      const draft = await ada.createDraft()
      const bytes = Buffer.from([0xff, 0x00, 0x31])
      const name = '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\na.bin\r\n'
      const file = ['--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n', bytes, '\r\n']
      const parts = where === 'before' ? [name, ...file] : [...file, name]
      const body = Buffer.concat([...parts, '--b--\r\n'].map((part) => Buffer.from(part)))
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      const reply = await ada.post(`/deposits/${draft.id}/files`, { body, headers })
      const stored = bodyOf<FileBody>(reply, 201)

      expect(stored).toMatchObject({ filename: 'a.bin', checksum: `sha256:${sha256(bytes)}` })
    },
  )

  it('a file part without any name is a wrong file', async () => {
    const draft = await ada.createDraft()
    const body = '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nx\r\n--b--\r\n'
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    const reply = await ada.post(`/deposits/${draft.id}/files`, { body, headers })

    expectProblem(reply, 'wrong_file')
    expect(reply.body).toMatchObject({ errors: [{ field: 'name' }] })
  })

  it('a form with two names is a wrong file, and nothing is kept of it', async () => {
    const draft = await ada.createDraft()
    const names: readonly Part[] = [
      { name: 'name', content: 'a.txt' },
      { name: 'name', content: 'b.txt' },
    ]
    for (const at of [0, 1, 2]) {
      const file = { name: 'file', filename: 'c.txt', content: 'x' }
      const body = form(...names.toSpliced(at, 0, file))
      const headers = { 'content-type': formType }
      const reply = await ada.post(`/deposits/${draft.id}/files`, { body, headers })

      expectProblem(reply, 'wrong_file')
      expect(reply.body).toMatchObject({ errors: [{ field: 'name' }] })
    }
    expect(await ada.files(draft)).toEqual([])
  })

  it('the field name may come after the file', async () => {
    const draft = await ada.createDraft()
    const file = { name: 'file', filename: 'a.txt', content: 'x' }
    const body = form(file, { name: 'name', content: 'dir/b.txt' })
    const headers = { 'content-type': formType }
    const reply = await ada.post(`/deposits/${draft.id}/files`, { body, headers })

    expect(bodyOf<FileBody>(reply, 201).filename).toBe('dir/b.txt')
  })

  it('the key is the name made safe; the file name of the part loses its folders', async () => {
    const draft = await ada.createDraft()
    const body = form({ name: 'file', filename: '/etc/../../passwd. ', content: 'x' })
    const headers = { 'content-type': formType }
    const reply = await ada.post(`/deposits/${draft.id}/files`, { body, headers })

    expect(bodyOf<FileBody>(reply, 201).filename).toBe('passwd')
  })

  it('a key that exists is refused, and the existing file is unchanged', async () => {
    const draft = await ada.createDraftWith('a.txt')
    const before = await ada.state(draft)
    const stored = await daemon.storedBytes()

    const reply = await ada.upload(draft, 'a.txt', 'other content')
    expectProblem(reply, 'file_already_exists', 'Filename already exists.')
    const unsafe = await ada.upload(draft, 'x', 'other content', { name: '../a.txt.' })
    expectProblem(unsafe, 'file_already_exists')
    expect(await ada.state(draft)).toEqual(before)
    expect(await daemon.storedBytes()).toEqual(stored)
  })

  it('names that differ only in Unicode form are the same key', async () => {
    const draft = await ada.createDraft()
    await ada.addFile(draft, 'café.txt'.normalize('NFD'))

    expect(await ada.keys(draft)).toEqual(['café.txt'.normalize('NFC')])
    const again = await ada.upload(draft, 'x', 'y', { name: 'café.txt'.normalize('NFC') })
    expectProblem(again, 'file_already_exists')
    const decomposed = encodeURIComponent('café.txt'.normalize('NFD'))
    expect((await ada.get(`/deposits/${draft.id}/files/${decomposed}`)).status).toBe(200)
  })

  it('a checksum that does not match is refused, and nothing of the file is kept', async () => {
    const draft = await ada.createDraft()
    const before = await ada.state(draft)
    const stored = await daemon.storedBytes()
    const wrong = { checksum: `sha256:${sha256('other')}` }
    const right = { checksum: `sha256:${sha256('content')}` }

    expectProblem(await ada.upload(draft, 'a', 'content', wrong), 'checksum_mismatch', /sha256:/)
    expect(await ada.state(draft)).toEqual(before)
    expect(await daemon.storedBytes()).toEqual(stored)
    expect((await ada.upload(draft, 'a', 'content', right)).status).toBe(201)
  })
})

describe('Endpoints: files list, PUT', () => {
  it('answers a JSON list of the files in the new order', async () => {
    const draft = await ada.createDraftWith('a', 'b', 'c')
    const [a, b, c] = await ada.files(draft)
    const order = [c, a, b].map((file) => ({ id: file?.id }))
    const reply = await ada.put(`/deposits/${draft.id}/files`, order)

    expect(bodyOf<readonly FileBody[]>(reply, 200)).toEqual([c, a, b])
    expect(await ada.files(draft)).toEqual([c, a, b])
  })

  it('an element may have further fields, so that a list from GET can be sent back', async () => {
    const draft = await ada.createDraftWith('a', 'b')
    const reversed = (await ada.files(draft)).toReversed()

    expect((await ada.put(`/deposits/${draft.id}/files`, reversed)).body).toEqual(reversed)
  })

  it('an element without id fails with a wrong-file error', async () => {
    const draft = await ada.createDraftWith('a', 'b')
    const before = await ada.state(draft)
    const [a] = await ada.files(draft)

    for (const element of [{}, { id: 7 }, { key: 'b' }, null, 'b', []]) {
      const reply = await ada.put(`/deposits/${draft.id}/files`, [{ id: a?.id }, element])
      expectProblem(reply, 'wrong_file', 'Wrong file on input.')
      expect(reply.body).toMatchObject({ errors: [{ field: '/1/id' }] })
    }
    expect(await ada.state(draft)).toEqual(before)
  })

  it('a list that is no permutation fails with a wrong-file error and changes nothing', async () => {
    const draft = await ada.createDraftWith('a', 'b')
    const [foreign] = await ada.files(await ada.createDraftWith('c'))
    const before = await ada.state(draft)
    const [a, b] = (await ada.files(draft)).map(({ id }) => ({ id }))
    const unknown = { id: '00000000-0000-4000-8000-000000000000' }

    const orders = [[], [a], [a, a], [a, b, a], [a, b, unknown], [a, { id: foreign?.id }], { a }]
    for (const order of [...orders, null, 'a', Array.from({ length: 10_001 }, () => a)]) {
      const reply = await ada.put(`/deposits/${draft.id}/files`, order)
      expectProblem(reply, 'wrong_file', 'Wrong file on input.')
    }
    expect(await ada.state(draft)).toEqual(before)
  })

  it('works while an edited deposit is a draft; the record keeps its order until published', async () => {
    const published = await ada.publish(await ada.createDraftWith('a', 'b'))
    const edited = await ada.edit(published)
    const order = (await ada.files(edited)).map(({ id }) => ({ id })).toReversed()
    expect((await ada.put(`/deposits/${edited.id}/files`, order)).status).toBe(200)
    const recordKeys = async () => {
      const { body } = await daemon.visitor.get(published.links['bucket'] ?? '')
      return (body as readonly FileBody[]).map(({ filename }) => filename)
    }

    expect(await ada.keys(edited)).toEqual(['b', 'a'])
    expect(await recordKeys()).toEqual(['a', 'b'])
    await ada.publish(edited)
    expect(await recordKeys()).toEqual(['b', 'a'])
  })
})

describe('Files of a deposit that was published', () => {
  it('upload, rename and delete answer 403 and name a way to change the files', async () => {
    const edited = await ada.edit(await ada.publish(await ada.createDraftWith('a')))
    const before = await ada.state(edited)
    const stored = await daemon.storedBytes()
    const file = `/deposits/${edited.id}/files/a`

    for (const reply of [
      await ada.upload(edited, 'b'),
      await ada.put(file, { filename: 'b' }),
      await ada.delete(file),
      await ada.putObject(edited, 'a', 'bytes'),
      await ada.putObject(edited, 'b', 'bytes'),
      await ada.delete(`${edited.links['bucket']}/a`),
    ]) {
      expectProblem(reply, 'files_frozen', /newversion/)
    }
    expect(await ada.state(edited)).toEqual(before)
    expect(await daemon.storedBytes()).toEqual(stored)
  })
})
