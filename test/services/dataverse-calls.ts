import { expect } from 'vitest'
import { demoKey } from '../support/services/dataverse/store.ts'
import { asJson, asText, type Json } from '../support/services/exchange.ts'
import type { FakeService } from '../support/services/service.ts'

const key = { 'x-dataverse-key': demoKey }

interface Reply {
  readonly status: number
  readonly body: unknown
}

export async function call(
  { url }: FakeService,
  method: string,
  path: string,
  json?: unknown,
): Promise<Reply> {
  const body = json !== undefined && { body: JSON.stringify(json) }
  const reply = await fetch(new URL(path, url), { method, headers: key, ...body })
  return { status: reply.status, body: await reply.json() }
}

export const primitive = (typeName: string, value: unknown): Json => ({
  typeName,
  typeClass: 'primitive',
  multiple: false,
  value,
})

const compound = (typeName: string, part: string, value: string): Json => ({
  typeName,
  typeClass: 'compound',
  multiple: true,
  value: [{ [part]: primitive(part, value) }],
})

export function document(changes: Json = {}): Json {
  const { subject = 'subject' in changes ? undefined : ['Other'], ...others } = changes
  const fields = [
    primitive('title', 'Tides'),
    compound('author', 'authorName', 'Lovelace, Ada'),
    compound('datasetContact', 'datasetContactEmail', 'ada@example.org'),
    compound('dsDescription', 'dsDescriptionValue', 'Every tide.'),
    ...(subject === undefined
      ? []
      : [
          {
            typeName: 'subject',
            typeClass: 'controlledVocabulary',
            multiple: true,
            value: subject,
          },
        ]),
  ]
  const more = Object.values(others)
  const license = { name: 'CC0 1.0', uri: 'http://creativecommons.org/publicdomain/zero/1.0' }
  return {
    datasetVersion: { license, metadataBlocks: { citation: { fields: [...fields, ...more] } } },
  }
}

export async function created(dataverse: FakeService): Promise<string> {
  const { status, body } = await call(
    dataverse,
    'POST',
    '/api/dataverses/root/datasets',
    document(),
  )
  expect(status).toBe(201)
  return asText(asJson(asJson(body)['data'])['persistentId'])
}

export async function form(
  { url }: FakeService,
  pid: string,
  action: string,
  details: unknown,
  file?: File,
): Promise<Reply> {
  const body = new FormData()
  body.append('jsonData', JSON.stringify(details))
  if (file) body.append('file', file)
  const path = `${url}/api/datasets/:persistentId/${action}?persistentId=${pid}`
  const reply = await fetch(path, { method: 'POST', headers: key, body })
  return { status: reply.status, body: await reply.json() }
}

export const add = (
  dataverse: FakeService,
  pid: string,
  name: string,
  bytes: string,
  details: Json = {},
) => form(dataverse, pid, 'add', details, new File([bytes], name))

export const publish = (dataverse: FakeService, pid: string, type = 'major') =>
  call(
    dataverse,
    'POST',
    `/api/datasets/:persistentId/actions/:publish?persistentId=${pid}&type=${type}`,
  )

export const version = (dataverse: FakeService, pid: string, name: string) =>
  call(dataverse, 'GET', `/api/datasets/:persistentId/versions/${name}?persistentId=${pid}`)

async function data(dataverse: FakeService, path: string): Promise<unknown> {
  return asJson((await call(dataverse, 'GET', path)).body)['data']
}

export const locks = (dataverse: FakeService, pid: string) =>
  data(dataverse, `/api/datasets/:persistentId/locks?persistentId=${pid}`)

export const ticket = (dataverse: FakeService, pid: string, size: number) =>
  data(dataverse, `/api/datasets/:persistentId/uploadurls?persistentId=${pid}&size=${size}`)

export async function labels(dataverse: FakeService, pid: string): Promise<unknown> {
  const path = `/api/datasets/:persistentId/versions/:latest/files?persistentId=${pid}`
  return ((await data(dataverse, path)) as Json[]).map(({ label }) => label)
}
