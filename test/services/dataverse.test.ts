import { describe, expect, it } from 'vitest'
import { zipOfFiles } from '../support/zip.ts'
import { startDataverse } from '../support/services/dataverse/dataverse.ts'
import { asJson, asText, type Json } from '../support/services/exchange.ts'
import {
  add,
  call,
  created,
  document,
  form,
  labels,
  locks,
  primitive,
  publish,
  ticket,
  version,
} from './dataverse-calls.ts'

/** @see https://guides.dataverse.org/en/latest/api/native-api.html#create-a-dataset-in-a-dataverse-collection */
describe('a dataset', () => {
  it('is made, filled and published', async () => {
    await using dataverse = await startDataverse()
    const pid = await created(dataverse)
    const file = await add(dataverse, pid, 'tide.txt', 'a,b', { directoryLabel: 'data/sub' })
    expect(file).toMatchObject({
      status: 200,
      body: {
        data: {
          files: [
            {
              label: 'tide.txt',
              directoryLabel: 'data/sub',
              dataFile: { filesize: 3, checksum: { type: 'MD5' } },
            },
          ],
        },
      },
    })
    expect(await publish(dataverse, pid)).toMatchObject({
      status: 200,
      body: {
        data: {
          latestVersion: { versionState: 'RELEASED', versionNumber: 1, versionMinorNumber: 0 },
        },
      },
    })
    expect(await publish(dataverse, pid)).toMatchObject({
      status: 403,
      body: {
        message: `Latest version of dataset ${pid} is already released. Only draft versions can be released.`,
      },
    })
  })

  it('gets a draft of its next version with the first change', async () => {
    await using dataverse = await startDataverse()
    const pid = await created(dataverse)
    await publish(dataverse, pid)
    expect((await version(dataverse, pid, ':draft')).status).toBe(404)
    await add(dataverse, pid, 'b.txt', 'b')
    expect(await version(dataverse, pid, ':draft')).toMatchObject({
      body: { data: { versionState: 'DRAFT' } },
    })
    expect(await version(dataverse, pid, ':latest-published')).toMatchObject({
      body: { data: { files: [] } },
    })
    expect(await publish(dataverse, pid, 'minor')).toMatchObject({
      body: { data: { latestVersion: { versionNumber: 1, versionMinorNumber: 1 } } },
    })
  })

  it.for<[string, Json, number, string]>([
    [
      'lacks what is mandatory',
      { subject: undefined },
      403,
      'Validation Failed: Subject is required.',
    ],
    [
      'has a subject that is none',
      { subject: ['Tides'] },
      400,
      "Value 'Tides' does not exist in type 'subject'",
    ],
    ['has a field that is none', { tide: primitive('tide', 'x') }, 400, "Can't find type 'tide'"],
    [
      'says that a field holds one value, which holds many',
      { kind: primitive('kindOfData', 'x') },
      400,
      'incorrect multiple',
    ],
  ])('is refused that %s', async ([, changes, status, message]) => {
    await using dataverse = await startDataverse()
    const reply = await call(dataverse, 'POST', '/api/dataverses/root/datasets', document(changes))
    expect(reply.status).toBe(status)
    expect(reply.body).toMatchObject({
      status: 'ERROR',
      message: expect.stringContaining(message) as string,
    })
  })

  it('is changed field by field, and not by adding to what holds one value', async () => {
    await using dataverse = await startDataverse()
    const pid = await created(dataverse)
    const fields = [primitive('title', 'Other')]
    const path = `/api/datasets/:persistentId/editMetadata?persistentId=${pid}`
    expect((await call(dataverse, 'PUT', path, { fields })).status).toBe(400)
    expect((await call(dataverse, 'PUT', `${path}&replace=true`, { fields })).status).toBe(200)
    expect(JSON.stringify((await version(dataverse, pid, ':draft')).body)).toContain('Other')
  })

  it('is unknown to guests before it is published, and to wrong keys at all', async () => {
    await using dataverse = await startDataverse()
    const pid = await created(dataverse)
    const url = `${dataverse.url}/api/datasets/:persistentId?persistentId=${pid}`
    expect((await fetch(url)).status).toBe(401)
    const wrong = await fetch(url, { headers: { 'x-dataverse-key': 'guess' } })
    expect([wrong.status, await wrong.json()]).toEqual([
      401,
      { status: 'ERROR', message: 'Bad API key' },
    ])
    await publish(dataverse, pid)
    expect((await fetch(url)).status).toBe(200)
  })
})

/** @see https://guides.dataverse.org/en/latest/api/native-api.html#add-a-file-to-a-dataset */
describe('a file', () => {
  it('that is a table locks the dataset until it is ingested, unless told otherwise', async () => {
    await using dataverse = await startDataverse({ lockLasts: 2 })
    const pid = await created(dataverse)
    await add(dataverse, pid, 'a.csv', 'a,b', { tabIngest: 'false' })
    expect(await locks(dataverse, pid)).toEqual([])
    await add(dataverse, pid, 'b.csv', 'c,d')
    expect((await add(dataverse, pid, 'c.txt', 'c')).status).toBe(403)
    expect(await publish(dataverse, pid)).toMatchObject({
      status: 403,
      body: { message: 'This dataset is locked. Reason: Ingest. Please try publishing later.' },
    })
    expect(await locks(dataverse, pid)).toMatchObject([{ lockType: 'Ingest' }])
    expect(await locks(dataverse, pid)).toHaveLength(1)
    expect(await locks(dataverse, pid)).toEqual([])
    expect(await labels(dataverse, pid)).toEqual(['a.csv', 'b.tab'])
  })

  it('that comes twice is kept twice, under another name, with a warning', async () => {
    await using dataverse = await startDataverse()
    const pid = await created(dataverse)
    await add(dataverse, pid, 'a.txt', 'a')
    const again = await add(dataverse, pid, 'a.txt', 'a')
    expect(again).toMatchObject({
      status: 200,
      body: {
        message: { message: 'This file has the same content as a.txt that is in the dataset. ' },
      },
    })
    expect(await labels(dataverse, pid)).toEqual(['a.txt', 'a-1.txt'])
  })

  it('that is a ZIP archive is unpacked with its folders', async () => {
    await using dataverse = await startDataverse()
    const pid = await created(dataverse)
    const zip = zipOfFiles({ 'a.txt': 'a', 'data/sub/b.txt': 'b' })
    expect(
      await form(dataverse, pid, 'add', {}, new File([new Uint8Array(zip)], 'all.zip')),
    ).toMatchObject({
      status: 200,
      body: {
        data: { files: [{ label: 'a.txt' }, { label: 'b.txt', directoryLabel: 'data/sub' }] },
      },
    })
  })

  it('with a name that is not allowed is refused', async () => {
    await using dataverse = await startDataverse()
    const pid = await created(dataverse)
    expect((await add(dataverse, pid, 'a:b.txt', 'a')).status).toBe(400)
    expect((await add(dataverse, pid, 'a.txt', 'a', { directoryLabel: 'ü' })).status).toBe(400)
  })
})

/** @see https://guides.dataverse.org/en/latest/developers/s3-direct-upload-api.html */
describe('a direct upload', () => {
  it('is a tagged PUT and a registration, whose checksum is believed', async () => {
    await using dataverse = await startDataverse({ direct: true })
    const pid = await created(dataverse)
    const { url, storageIdentifier } = asJson(await ticket(dataverse, pid, 3))
    const put = (headers: Record<string, string>) =>
      fetch(asText(url), { method: 'PUT', body: 'abc', headers })
    expect((await put({})).status).toBe(403)
    expect((await put({ 'x-amz-tagging': 'dv-state=temp' })).status).toBe(200)
    const details = {
      storageIdentifier,
      fileName: 'a.txt',
      mimeType: 'text/plain',
      checksum: { '@type': 'MD5', '@value': 'f00' },
    }
    expect(
      await form(dataverse, pid, 'addFiles', [
        details,
        { ...details, storageIdentifier: 's3://none' },
      ]),
    ).toMatchObject({
      status: 200,
      body: {
        data: { Result: { 'Total number of files': 2, 'Number of files successfully added': 1 } },
      },
    })
    expect(await labels(dataverse, pid)).toEqual(['a.txt'])
  })

  it('in parts is completed by their tags, without which it cannot be registered', async () => {
    await using dataverse = await startDataverse({ direct: true, partSize: 4 })
    const pid = await created(dataverse)
    const { urls, complete, storageIdentifier } = asJson(await ticket(dataverse, pid, 6))
    const [one, two] = Object.values(asJson(urls)) as string[]
    const tags = [
      await fetch(one ?? '', { method: 'PUT', body: 'abcd' }),
      await fetch(two ?? '', { method: 'PUT', body: 'ef' }),
    ].map(({ headers }) => headers.get('etag'))
    const details = {
      storageIdentifier,
      fileName: 'a.txt',
      mimeType: 'text/plain',
      checksum: { '@type': 'MD5', '@value': 'f00' },
    }
    expect(await form(dataverse, pid, 'addFiles', [details])).toMatchObject({
      body: { data: { Files: [{ errorMessage: /./ }] } },
    })
    expect((await call(dataverse, 'PUT', complete as string, { 1: tags[0] })).status).toBe(500)
    expect(
      (await call(dataverse, 'PUT', complete as string, { 1: tags[0], 2: tags[1] })).status,
    ).toBe(200)
    expect(await form(dataverse, pid, 'addFiles', [details])).toMatchObject({
      body: { data: { Files: [{ fileDetails: { dataFile: { filesize: 6 } } }] } },
    })
  })

  it('is not there where the store has none', async () => {
    await using dataverse = await startDataverse()
    const pid = await created(dataverse)
    const reply = await call(
      dataverse,
      'GET',
      `/api/datasets/:persistentId/uploadurls?persistentId=${pid}&size=1`,
    )
    expect(reply.status).toBe(404)
  })
})

/** @see https://guides.dataverse.org/en/latest/api/native-api.html#publish-a-dataset */
describe('publishing', () => {
  it('in the background answers 202, and is done when the lock is gone', async () => {
    await using dataverse = await startDataverse({ workflow: true, lockLasts: 1 })
    const pid = await created(dataverse)
    expect((await publish(dataverse, pid)).status).toBe(202)
    expect(await version(dataverse, pid, ':latest')).toMatchObject({
      body: { data: { versionState: 'DRAFT' } },
    })
    expect(await locks(dataverse, pid)).toMatchObject([{ lockType: 'finalizePublication' }])
    expect(await version(dataverse, pid, ':latest')).toMatchObject({
      body: { data: { versionState: 'RELEASED' } },
    })
  })

  it('waits for the index if asked to', async () => {
    await using dataverse = await startDataverse({ lag: 1 })
    const pid = await created(dataverse)
    expect(await publish(dataverse, pid, 'major&assureIsIndexed=true')).toMatchObject({
      status: 409,
      body: { message: 'Dataset is awaiting indexing' },
    })
    expect((await publish(dataverse, pid, 'major&assureIsIndexed=true')).status).toBe(200)
  })
})
