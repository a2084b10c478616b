import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actionsScope } from '../../core/contract/scopes.ts'
import { head } from '../support/raw-request.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import { append, begun, bytes, metadata, tus } from './tus-client.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await testDaemon()
})
afterAll(() => daemon[Symbol.asyncDispose]())

describe('an upload under way', () => {
  const size = 1_000_000

  /** A PATCH that has sent all bytes but the last one. */
  async function patching(url: string): Promise<Socket> {
    const { host, port, pathname } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
    const token = await daemon.as('alice').authorization()
    const sent = {
      ...bytes,
      'upload-offset': '0',
      'content-length': String(size),
      connection: 'close',
    }
    socket.write(`${head(`PATCH ${pathname}`, { host, ...token, ...sent })}${'x'.repeat(size - 1)}`)
    await expect.poll(underWay).toBe('1')
    return socket
  }

  /** The daemon's count of requests that bring bytes: a store elsewhere shows none before the end. */
  async function underWay(): Promise<string | undefined> {
    const { bytes: text } = await daemon.visitor.get(`${daemon.origin}/metrics`)
    return /^deposit_uploads_under_way (\d+)$/m.exec(text.toString())?.[1]
  }

  it('is not stopped by callers who may not write to it', async () => {
    const [alice, bob] = [daemon.as('alice'), daemon.as('bob')]
    const draft = await alice.createDraft()
    const own = await bob.createDraft()
    const url = await begun(alice, draft, { size })
    const socket = await patching(url)
    const id = new URL(url).pathname.split('/').at(-1)
    const guessed = `${own.links['uploads']}/${id}`
    expect((await append(bob, guessed, 0, Buffer.from('x'))).status).toBe(404)
    for (const method of ['HEAD', 'DELETE']) {
      expect((await bob.send(method, guessed, { headers: tus })).status).toBe(404)
    }
    const final = { ...tus, 'upload-concat': `final;${guessed}` }
    const headers = { ...final, 'upload-metadata': metadata({ name: 'a' }) }
    expect((await bob.post(own.links['uploads'] ?? '', { headers })).status).toBe(404)
    const reader = daemon.as('alice', { scopes: [actionsScope] })
    const seen = await reader.send('HEAD', url, { headers: tus })
    expect(seen.status).toBe(200)
    const answer: Buffer[] = []
    socket.on('data', (data: Buffer) => answer.push(data)).write('d')
    await once(socket, 'close')
    expect(Buffer.concat(answer).toString()).toMatch(/^HTTP\/1\.1 204 /)
    expect(await alice.keys(draft)).toEqual(['a.bin'])
  })
})
