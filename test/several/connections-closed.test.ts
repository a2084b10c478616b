import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { hasS3, s3Credentials, startS3, storeAt } from '../support/s3.ts'
import { testDaemon } from '../support/test-daemon.ts'

describe.skipIf(!hasS3())('a daemon that has ended', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('has closed every connection to its store of files', async () => {
    await using server = await startS3()
    await using line = await watchedLine(Number(new URL(server.endpoint).port))
    for (const [name, value] of Object.entries(s3Credentials)) vi.stubEnv(name, value)
    const env = { DEPOSIT_STORAGE_URL: storeAt(line.endpoint, 'closed') }
    const daemon = await testDaemon({ env })
    const ada = daemon.as('ada')
    const draft = await ada.createDraftWith('a.txt')
    expect((await ada.act(draft, 'publish')).status).toBe(202)
    expect(line.open.size).toBeGreaterThan(0)

    await daemon[Symbol.asyncDispose]()

    await expect.poll(() => line.open.size).toBe(0)
  })
})

/** Passes connections on to a port of this machine, and knows those that clients have open. */
async function watchedLine(port: number) {
  const open = new Set<Socket>()
  const line = createServer((client) => {
    open.add(client)
    const server = connect(port, '127.0.0.1')
    client.pipe(server).pipe(client)
    client.on('close', () => open.delete(client)).on('error', () => server.destroy())
    server.on('error', () => client.destroy())
  })
  await once(line.listen(0, '127.0.0.1'), 'listening')
  const { port: own } = line.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${own}`,
    open,
    [Symbol.asyncDispose]: async () => {
      for (const client of open) client.destroy()
      await new Promise((done) => line.close(done))
    },
  }
}
