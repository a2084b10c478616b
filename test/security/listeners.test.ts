import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { listeningUrl, runDepositd, spawnDepositd } from '../support/depositd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

describe('the daemon listens', () => {
  it('on 127.0.0.1 alone by default', async () => {
    await using daemon = await testDaemon()
    const { hostname, port } = new URL(daemon.origin)

    expect(hostname).toBe('127.0.0.1')
    expect(await answers('127.0.0.1', port)).toBe(true)
    // The other addresses of the machine represent the network here.
    expect(await answers('127.0.0.2', port)).toBe(false)
    expect(await answers('::1', port)).toBe(false)
  })

  it('on the loopback addresses of localhost with --host localhost', async () => {
    await using folder = await temporaryFolder()
    const args = ['serve', '--host', 'localhost', '--port', '0']
    const daemon = spawnDepositd(folder.path, args)
    const url = new URL((await listeningUrl(daemon)) ?? '')

    const answered = [await answers('127.0.0.1', url.port), await answers('127.0.0.2', url.port)]

    expect(url.hostname).toBe('localhost')
    expect(answered).toEqual([true, false])
    const health = await fetch(`${url.origin}/health`)
    expect(health.status).toBe(200)
    daemon.kill()
    await daemon.ended
  })

  it('on no other address without a public https address', async () => {
    await using folder = await temporaryFolder()
    const args = ['serve', '--host', '0.0.0.0', '--port', '0']

    const bare = await runDepositd(folder.path, args)
    const plain = { DEPOSIT_PUBLIC_URL: 'http://deposit.example.org' }
    const open = await runDepositd(folder.path, args, plain)

    expect([bare.status, open.status]).toEqual([78, 78])
    expect(bare.stderr).toContain('DEPOSIT_PUBLIC_URL')
    expect(open.stderr).toContain('https://')
  })
})

async function answers(host: string, port: string): Promise<boolean> {
  const socket = connect({ host, port: Number(port) })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
