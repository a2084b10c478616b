import { createHash } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import type { Reply } from '../support/http.ts'
import { expectProblem } from '../support/problem.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { bytes, metadata, tus } from './tus-client.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const owner = daemon.as('owner')

const sumOf = (text: string): string =>
  `sha256 ${createHash('sha256').update(text).digest('base64')}`

it.each([
  ['without', tus],
  ['with', bytes],
])('an empty file has the checksum that is sent along, %s a type of its bytes', async (_, type) => {
  const draft = await owner.createDraft()
  const begin = (sum: string): Promise<Reply> =>
    owner.post(draft.links['uploads'] ?? '', {
      headers: {
        ...type,
        'upload-length': '0',
        'upload-metadata': metadata({ name: 'empty' }),
        'upload-checksum': sum,
      },
    })

  expectProblem(await begin(sumOf('a')), 'upload_checksum_mismatch', /none of them was kept/)
  expectProblem(await begin('sha256 none'), 'malformed_request')
  expect(await owner.keys(draft)).toEqual([])
  expect(await owner.get(draft.links['uploads'] ?? '')).toMatchObject({ body: [] })

  const made = await begin(sumOf(''))
  expect(made.status).toBe(201)
  expect(made.headers.get('upload-offset')).toBe('0')
  expect(made.headers.get('content-location')).toMatch(/\/empty$/)
  expect(await owner.keys(draft)).toEqual(['empty'])
})
