import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { lastingDaemon } from '../support/lasting-daemon.ts'

/** Writes a request on a connection of its own. */
async function ask(origin: string, lines: readonly string[]): Promise<Socket> {
  const { host, hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write([...lines, `Host: ${host}`, 'Connection: close', '\r\n'].join('\r\n'))
  return socket
}

async function statusOf(socket: Socket): Promise<number> {
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return Number(answer.toString('latin1').split(' ')[1])
}

describe('hundreds of new connections of one user, for a large draft', () => {
  it('do not keep a visitor waiting for all of them', async () => {
    await using daemon = await lastingDaemon()
    const { owner, origin } = daemon
    const draft = await owner.createDraft({ title: 'Large', notes: 'x'.repeat(1_000_000) })
    const { authorization } = await owner.authorization()
    // It is refused once the draft was read.
    const refused = [
      `DELETE /api/deposits/${draft.id} HTTP/1.1`,
      `Authorization: ${authorization}`,
      'If-Match: "999"',
    ]
    const all = await Promise.all(Array.from({ length: 300 }, () => ask(origin, refused)))
    const visit = ask(origin, ['GET /api/records/ HTTP/1.1'])

    const statuses: number[] = []
    const answered = all.map(async (socket) => void statuses.push(await statusOf(socket)))
    expect(await statusOf(await visit)).toBe(200)
    const before = statuses.length
    await Promise.all(answered)

    expect(new Set(statuses)).toEqual(new Set([412]))
    expect(before).toBeLessThan(100)
  })
})
