import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { openBucket } from '../../core/adapters/blobs/s3/open-bucket.ts'
import { s3Credentials } from '../support/s3.ts'

/** A store that answers at first, and then no more. */
async function startStore() {
  const asked: string[] = []
  let isSilent = false
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    if (!isSilent) response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    address: `s3://bucket?endpoint=http://127.0.0.1:${port}`,
    /** Of a request for this object. */
    times: (key: string) => asked.filter((url) => url.startsWith(`/bucket/${key}`)).length,
    fallSilent: () => (isSilent = true),
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

Object.assign(process.env, s3Credentials)

it('asks a store that fell silent no more for what others wait for, once it is known to be away', async () => {
  using store = await startStore()
  const notices: string[] = []
  using bucket = await openBucket(store.address, (text) => notices.push(text), false)
  store.fallSilent()

  await expect(bucket.get('key')).rejects.toMatchObject({ code: 'storage_unavailable' })
  expect(notices).toEqual([expect.stringMatching(/^The store of files is away/)])
  expect(store.times('key')).toBeLessThanOrEqual(2)
})
