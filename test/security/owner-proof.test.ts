import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { isOwnerProof, proveOwner } from '../../core/contract/owner-proof.ts'
import { homeAt } from '../../daemon/home.ts'
import { runCli } from '../support/run-cli.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'
import { send } from '../support/http.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

const request = { method: 'POST', path: '/local/approve', host: '127.0.0.1:8420' }
const now = Date.parse('2026-11-20T12:00:00Z')

describe('the proof of an owner', () => {
  it('holds for the request it was made for, and for a minute', () => {
    const proof = proveOwner('key', request, now)

    expect(isOwnerProof('key', request, proof, now + 59_000)).toBe(true)
    expect(isOwnerProof('key', request, proof, now + 61_000)).toBe(false)
    expect(isOwnerProof('key', request, proof, now - 61_000)).toBe(false)
  })

  it.each([
    ['another key', 'other', request],
    ['another path', 'key', { ...request, path: '/local/operator' }],
    ['another method', 'key', { ...request, method: 'GET' }],
    ['another port', 'key', { ...request, host: '127.0.0.1:8421' }],
  ])('does not hold for %s', (_what, key, other) => {
    expect(isOwnerProof(key, other, proveOwner('key', request, now), now)).toBe(false)
  })

  it('does not contain the key', () => {
    expect(proveOwner('the key', request, now)).not.toContain('the key')
  })
})

describe('routes of the owner', () => {
  it('refuse the key itself, and who has no proof', async () => {
    await using daemon = await testDaemon()
    const key = (await readFile(homeAt(daemon.home).ownerKey, 'utf8')).trim()

    for (const authorization of [`Bearer ${key}`, 'Owner 1 x', '']) {
      const headers = { authorization }
      const url = `${daemon.origin}/local/operator`

      const reply = await send('POST', url, { headers, json: { command: 'user list' } })

      expect(reply.status).toBe(401)
    }
  })
})

describe('a stranger on the port of the daemon', () => {
  it('never learns the key', async () => {
    const said: string[] = []
    await using stranger = await strangeServer((asked, response) => {
      said.push(JSON.stringify(asked.headers))
      answerJson(response, answers(stranger.url)[asked.url ?? ''] ?? {})
    })
    await using home = await temporaryFolder({
      'owner.key': 'the-key-of-the-owner\n',
      'daemon.json': JSON.stringify({ pid: process.pid, url: stranger.url, version: '1' }),
    })
    const { chmod } = await import('node:fs/promises')
    await chmod(`${home.path}/owner.key`, 0o600)

    await runCli(['list'], { environment: { DEPOSIT_HOME: home.path } })

    expect(stranger.requests.map(({ path }) => path)).toContain('/local/approve')
    expect(said.join('\n')).not.toContain('the-key-of-the-owner')
  })
})

/** As much as it takes to be taken for the daemon. */
function answers(url: string): Readonly<Record<string, unknown>> {
  return {
    '/health': { status: 'ok', version: '1' },
    '/.well-known/oauth-protected-resource/api': {
      resource: `${url}/api`,
      authorization_servers: [url],
    },
    '/.well-known/openid-configuration': {
      issuer: url,
      device_authorization_endpoint: `${url}/oauth/device`,
      token_endpoint: `${url}/oauth/token`,
    },
    '/oauth/device': {
      device_code: 'd',
      user_code: 'BBBB-BBBB',
      verification_uri: `${url}/device`,
      expires_in: 1,
    },
  }
}
