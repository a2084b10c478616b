import { describe, expect, it } from 'vitest'
import { demoKey, type DataverseOptions } from '../support/services/dataverse/store.ts'
import { startDataverse } from '../support/services/dataverse/dataverse.ts'
import { asJson, asList, asText, type Json } from '../support/services/exchange.ts'
import type { FakeService } from '../support/services/service.ts'
import {
  add,
  call,
  created,
  form,
  labels,
  locks,
  publish,
  ticket,
  version,
} from './dataverse-calls.ts'

/** A dataset with the file `a.txt`. */
async function begin(options: DataverseOptions = {}) {
  const dataverse = await startDataverse(options)
  const pid = await created(dataverse)
  await add(dataverse, pid, 'a.txt', 'a')
  return { dataverse, pid, id: await idOf(dataverse, pid) }
}

async function idOf(dataverse: FakeService, pid: string): Promise<number> {
  const { data } = asJson((await version(dataverse, pid, ':latest')).body)
  const [file] = asList(asJson(data)['files']).map(asJson)
  return Number(asJson(file?.['dataFile'])['id'])
}

const replaced = async (dataverse: FakeService, id: number, bytes: string, details: Json = {}) => {
  const body = new FormData()
  body.append('jsonData', JSON.stringify(details))
  body.append('file', new File([bytes], 'b.txt', { type: 'text/plain' }))
  const url = `${dataverse.url}/api/files/${id}/replace`
  const reply = await fetch(url, { method: 'POST', headers: { 'x-dataverse-key': demoKey }, body })
  return { status: reply.status, body: asJson(await reply.json()) }
}

/** @see https://guides.dataverse.org/en/latest/api/native-api.html#replacing-files */
describe('a file that is replaced', () => {
  it('has other bytes, and the type of the first unless that is forced', async () => {
    const { dataverse, pid, id } = await begin()
    await using _ = dataverse
    expect((await replaced(dataverse, id, 'a', { forceReplace: true })).status).toBe(400)
    expect((await replaced(dataverse, id, 'b')).body['message']).toContain('different file types')
    expect((await replaced(dataverse, id, 'b', { forceReplace: true })).status).toBe(200)
    expect(await labels(dataverse, pid)).toEqual(['b.txt'])
    expect((await replaced(dataverse, id, 'c', { forceReplace: true })).status).toBe(404)
  })

  it('was published before, in early versions', async () => {
    const { dataverse, pid, id } = await begin({ replacesUnpublished: false })
    await using _ = dataverse
    const refused = await replaced(dataverse, id, 'b', { forceReplace: true })
    expect([refused.status, refused.body['message']]).toEqual([
      400,
      'You cannot replace an unpublished file. Please delete it instead of replacing it.',
    ])
    await publish(dataverse, pid)
    expect((await replaced(dataverse, id, 'b', { forceReplace: true })).status).toBe(200)
  })

  it('is one of several that were sent to S3, each with its own outcome', async () => {
    const { dataverse, pid, id } = await begin({ direct: true })
    await using _ = dataverse
    const { url, storageIdentifier } = asJson(await ticket(dataverse, pid, 1))
    const headers = { 'x-amz-tagging': 'dv-state=temp' }
    await fetch(asText(url), { method: 'PUT', body: 'b', headers })
    const checksum = { '@type': 'MD5', '@value': 'f00' }
    const details = { storageIdentifier, fileName: 'b.txt', mimeType: 'text/plain', checksum }
    const list = [
      { ...details, fileToReplaceId: 1 },
      { ...details, fileToReplaceId: id, forceReplace: true },
    ]
    expect(await form(dataverse, pid, 'replaceFiles', list)).toMatchObject({
      status: 200,
      body: {
        data: {
          Files: [
            { errorMessage: 'Bad Request:The file to replace does not belong to this dataset.' },
            { successMessage: 'Replaced successfully in the dataset' },
          ],
        },
      },
    })
    expect(await labels(dataverse, pid)).toEqual(['b.txt'])
  })
})

/** @see https://guides.dataverse.org/en/latest/api/native-api.html#restrict-files */
describe('a file that is restricted', () => {
  const restrict = (dataverse: FakeService, id: number, restricted: boolean) =>
    call(dataverse, 'PUT', `/api/files/${id}/restrict`, restricted)

  it('needs a way to ask for it', async () => {
    const { dataverse, pid, id } = await begin()
    await using _ = dataverse
    expect((await restrict(dataverse, id, true)).status).toBe(409)
    const { data } = asJson((await version(dataverse, pid, ':draft')).body)
    const path = `/api/datasets/:persistentId/versions/:draft?persistentId=${pid}`
    await call(dataverse, 'PUT', path, { ...asJson(data), fileAccessRequest: true })
    expect((await restrict(dataverse, id, true)).status).toBe(200)
    expect(await restrict(dataverse, id, true)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('File a.txt is already restricted') as string },
    })
    expect((await call(dataverse, 'PUT', path, asJson(data))).status).toBe(409)
    expect((await restrict(dataverse, id, false)).status).toBe(200)
  })

  it('is none on an installation whose files are all public', async () => {
    const { dataverse, id } = await begin({ isPublic: true })
    await using _ = dataverse
    expect((await restrict(dataverse, id, true)).status).toBe(400)
  })
})

/** @see https://github.com/GlobalDataverseCommunityConsortium/dataverse-uploader/issues/9 */
it('refuses bytes that are there already, in early versions', async () => {
  const { dataverse, pid } = await begin({ takesDuplicates: false })
  await using _ = dataverse
  expect(await add(dataverse, pid, 'b.txt', 'a')).toMatchObject({
    status: 400,
    body: { message: 'This file already exists in the dataset.  b.txt' },
  })
})

/** @see https://guides.dataverse.org/en/latest/api/native-api.html#dataset-locks */
it.each([
  ['late', [[], ['finalizePublication'], []], 'RELEASED'],
  ['fails', [['finalizePublication'], [], []], 'DRAFT'],
  [
    'invalid',
    [['finalizePublication'], ['FileValidationFailed'], ['FileValidationFailed']],
    'DRAFT',
  ],
] as const)('publishes by a workflow that is %s', async (workflow, looks, state) => {
  const { dataverse, pid } = await begin({ workflow, lockLasts: 1 })
  await using _ = dataverse
  expect((await publish(dataverse, pid)).status).toBe(202)
  for (const kinds of looks) {
    const shown = asList(await locks(dataverse, pid)).map((lock) => asJson(lock)['lockType'])
    expect(shown).toEqual(kinds)
  }
  const { data } = asJson((await version(dataverse, pid, ':latest')).body)
  expect(asJson(data)['versionState']).toBe(state)
})
