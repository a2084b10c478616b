import { generate } from 'openapi-typescript-codegen'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, FileBody, RecordBody } from '../../core/contract/schemas.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

/** The methods that the test calls of a client generated from the API document. */
interface Client {
  readonly deposits: {
    readonly createDeposit: (asked: { requestBody: object }) => Promise<DepositBody>
  }
  readonly files: {
    readonly writeObject: (asked: Place & { requestBody: Blob }) => Promise<FileBody>
    readonly readObject: (asked: Place) => Promise<unknown>
    readonly listObjects: (asked: { bucket: string }) => Promise<readonly FileBody[]>
  }
  readonly uploads: {
    /** Resolves to the `Location` header. */
    readonly beginUpload: (asked: {
      pidValue: string
      uploadLength: number
      uploadMetadata: string
    }) => Promise<string>
    readonly readUpload: (asked: Upload) => Promise<string>
    readonly continueUpload: (
      asked: Upload & { uploadOffset: number; requestBody: Blob },
    ) => Promise<unknown>
  }
  readonly actions: {
    readonly rehearsePublish: (asked: { pidValue: string }) => Promise<{ publishable: boolean }>
    readonly publishDeposit: (asked: { pidValue: string }) => Promise<DepositBody>
  }
  readonly records: { readonly readRecord: (asked: { pidValue: string }) => Promise<RecordBody> }
}

interface Place {
  readonly bucket: string
  readonly key: string
}

interface Upload {
  readonly pidValue: string
  readonly id: string
}

interface Generated {
  readonly Api: new (options: { BASE: string; TOKEN?: string }) => Client
}

let daemon: TestDaemon
let api: Client
let visitor: Client
const stack = new AsyncDisposableStack()

beforeAll(async () => {
  daemon = stack.use(await testDaemon())
  const { path } = stack.use(await temporaryFolder())
  const { body } = await daemon.visitor.get(`${daemon.origin}/openapi.json`)
  const input = body as Record<string, unknown>
  await generate({ input, output: path, clientName: 'Api', useOptions: true })
  const { Api } = (await import(`${path}/index.ts`)) as Generated
  const { authorization = '' } = await daemon.as('ada').authorization()
  api = new Api({ BASE: daemon.origin, TOKEN: authorization.replace('Bearer ', '') })
  visitor = new Api({ BASE: daemon.origin })
})
afterAll(() => stack.disposeAsync())

describe('A client generated from the API document', () => {
  it('sends raw bytes, resumes an upload, publishes and reads', async () => {
    const { id: pidValue, links } = await api.deposits.createDeposit({
      requestBody: { title: 'Generated' },
    })
    const bucket = lastOf(links['bucket'])
    const bytes = new Blob([new Uint8Array(1000)])
    const file = await api.files.writeObject({ bucket, key: 'raw/ä b.bin', requestBody: bytes })
    expect(file).toMatchObject({ filename: 'raw/ä b.bin', filesize: 1000 })

    const uploadMetadata = `filename ${Buffer.from('t.txt').toString('base64')}`
    const location = await api.uploads.beginUpload({ pidValue, uploadLength: 5, uploadMetadata })
    const upload = { pidValue, id: lastOf(location) }
    const send = (uploadOffset: number, text: string) =>
      api.uploads.continueUpload({ ...upload, uploadOffset, requestBody: new Blob([text]) })
    await send(0, 'ab')
    const offset = Number(await api.uploads.readUpload(upload))
    expect(offset).toBe(2)
    expect(await api.actions.rehearsePublish({ pidValue })).toMatchObject({ publishable: false })
    await send(offset, 'cde')
    expect(await api.files.readObject({ bucket, key: 't.txt' })).toBe('abcde')

    const published = await api.actions.publishDeposit({ pidValue })
    const value = lastOf(published.links['record'])
    const record = await visitor.records.readRecord({ pidValue: value })
    expect(record.metadata).toMatchObject({ title: 'Generated' })
    const files = await visitor.files.listObjects({ bucket })
    expect(files.map(({ filename, filesize }) => [filename, filesize])).toEqual([
      ['raw/ä b.bin', 1000],
      ['t.txt', 5],
    ])
    expect(await visitor.files.readObject({ bucket, key: 't.txt' })).toBe('abcde')
  })

  it('gets the errors of the API', async () => {
    const missing = api.records.readRecord({ pidValue: 'none' })
    await expect(missing).rejects.toMatchObject({
      status: 404,
      body: { code: 'record_not_found' },
    })
  })
})

function lastOf(url = ''): string {
  return url.split('/').at(-1) ?? ''
}
