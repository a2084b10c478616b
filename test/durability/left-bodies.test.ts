import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { RequestBody } from '../../daemon/http/bodies.ts'

it.for([
  ['half', 2048],
  ['all', 4096],
] as const)(
  'the body of a client that has left before it is read has an end, with %s of it sent',
  async ([, sent]) => {
    await using stack = new AsyncDisposableStack()
    const arrived = Promise.withResolvers<IncomingMessage>()
    const server = createServer((request) => arrived.resolve(request))
    stack.defer(() => {
      server.closeAllConnections()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.write(`PUT / HTTP/1.1\r\nhost: here\r\ncontent-length: 4096\r\n\r\n${'x'.repeat(sent)}`)
    const request = await arrived.promise
    const closed = once(request, 'close').catch(() => {})
    request.on('error', () => {})
    socket.destroy()
    await closed

    await expect(buffer(new RequestBody(request))).rejects.toMatchObject({ code: 'broken_upload' })
    server.close()
  },
)
