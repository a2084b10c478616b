import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { startDaemon } from '../support/daemon-process.ts'
import { User } from '../support/user.ts'

const example = fileURLToPath(
  new URL('../../examples/identifiers/deposit.config.ts', import.meta.url),
)

/** Handles by name, as a server of Handle.Net keeps them for those who know the word. */
async function handleServer() {
  const handles: Record<string, unknown> = {}
  const server = createServer((request, response) => {
    const name = (request.url ?? '').replace('/api/handles/', '').replace(/\?.*/, '')
    const isAllowed = request.headers.authorization === 'right'
    const keep = async (): Promise<void> => {
      if (request.method === 'PUT' && isAllowed) handles[name] = await json(request)
      response.writeHead(isAllowed ? 200 : 401).end(JSON.stringify(handles[name] ?? {}))
    }
    keep().catch(() => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    handles,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

describe('the example of a provider', () => {
  it('registers a handle for each record, which leads to its page', async () => {
    await using server = await handleServer()
    await using daemon = await startDaemon({
      DEPOSIT_CONFIG: example,
      HANDLE_URL: server.url,
      HANDLE_AUTHORIZATION: 'right',
    })
    await daemon.operate(['user', 'add', 'ada@example.org'])
    const made = ['token', 'create', '--user', 'ada@example.org']
    const token = await daemon.operate([...made, '--scope', 'deposit:write deposit:actions'])
    const ada = new User(`${daemon.url}/api`, async () => token.trim())
    const published = await ada.createPublished()
    const linkOf = async () => (await ada.show(published)).links['handle'] ?? ''
    await expect.poll(linkOf).toMatch(/^https:\/\/hdl\.handle\.net\/21\.T11148\/[0-9A-Z-]+$/)

    const handle = (await linkOf()).replace('https://hdl.handle.net/', '')
    const { links } = await ada.show(published)
    expect(server.handles[handle]).toMatchObject({
      values: [{ type: 'URL', data: { value: links['record_html'] } }],
    })
    expect(await daemon.operate(['doi', 'check'])).toBe('')
  })
})
