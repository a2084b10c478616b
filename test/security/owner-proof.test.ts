import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isDaemonProof, isOwnerProof, proveOwner } from '../../core/contract/owner-proof.ts'
import { homeAt } from '../../daemon/home/home.ts'
import { askDaemon } from '../../daemon/operator/command/ask.ts'
import { credentialsFile } from '../support/house.ts'
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
  it('refuse the key itself, and requests without a proof', async () => {
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

describe('the proof of a daemon', () => {
  interface Answer {
    readonly pid: number
    readonly version: string
    readonly proof: string
  }

  it('holds for the challenge, the address and the process it was made for', async () => {
    await using daemon = await testDaemon()
    const key = (await readFile(homeAt(daemon.home).ownerKey, 'utf8')).trim()
    const challenge = randomBytes(32).toString('base64url')

    const reply = await send('GET', `${daemon.origin}/local/proof?challenge=${challenge}`)

    const { pid, version, proof } = reply.body as Answer
    const claim = { challenge, host: new URL(daemon.origin).host, pid, version }
    expect(isDaemonProof(key, claim, proof)).toBe(true)
    expect(isDaemonProof('other', claim, proof)).toBe(false)
    expect(isDaemonProof(key, claim, 'ü'.repeat(proof.length))).toBe(false)
    expect(isDaemonProof(key, { ...claim, host: '127.0.0.1:8' }, proof)).toBe(false)
    expect(isDaemonProof(key, { ...claim, pid: 1 }, proof)).toBe(false)
    const another = randomBytes(32).toString('base64url')
    expect(isDaemonProof(key, { ...claim, challenge: another }, proof)).toBe(false)
  })

  it('needs a challenge of 32 bytes, and is not given to pages of other origins', async () => {
    await using daemon = await testDaemon()
    const url = `${daemon.origin}/local/proof`

    expect((await send('GET', url)).status).toBe(400)
    expect((await send('GET', `${url}?challenge=x`)).status).toBe(400)
    const challenge = randomBytes(32).toString('base64url')
    const headers = { origin: 'https://evil.example' }
    expect((await send('GET', `${url}?challenge=${challenge}`, { headers })).status).toBe(403)
  })
})

describe('a stranger on the port of the daemon', () => {
  const secrets = ['the-key-of-the-owner', 'a-token', 'a-refresh-token', 'given-token']

  /** A home whose daemon died, with its sign-in, and a stranger that took over its port. */
  async function takenOver() {
    const said: string[] = []
    const stranger = await strangeServer((asked, response) => {
      asked.on('data', (body: Buffer) => said.push(body.toString()))
      said.push(asked.url ?? '', JSON.stringify(asked.headers))
      answerJson(response, answers(stranger.url)[asked.url?.split('?')[0] ?? ''] ?? {})
    })
    const announced = { pid: process.pid, url: stranger.url, version: '1', started: '' }
    const home = await temporaryFolder({ 'daemon.json': JSON.stringify(announced) })
    await writeFile(join(home.path, 'owner.key'), 'the-key-of-the-owner\n', { mode: 0o600 })
    await writeFile(join(home.path, 'daemon.lock'), '')
    const sign = (expires: string, of?: string): Promise<void> => {
      const tokens = { token: 'a-token', refresh: 'a-refresh-token', issuer: `${stranger.url}/` }
      const stored = { [stranger.url]: { ...tokens, expires, ...(of && { home: of }) } }
      return writeFile(credentialsFile, JSON.stringify(stored), { mode: 0o600 })
    }
    await mkdir(dirname(credentialsFile), { recursive: true })
    return {
      stranger,
      said,
      home: home.path,
      sign,
      [Symbol.asyncDispose]: async () => {
        await stranger[Symbol.asyncDispose]()
        await home[Symbol.asyncDispose]()
      },
    }
  }

  const lasting = '2099-01-01T00:00:00Z'
  const over = '2001-01-01T00:00:00Z'

  it.each([
    ['a stored token', lasting, {}, ['whoami']],
    ['an expired token and its refresh token', over, {}, ['whoami']],
    ['a token in DEPOSIT_TOKEN', over, { DEPOSIT_TOKEN: 'given-token' }, ['list']],
    ['a token at logout', lasting, {}, ['logout']],
  ])('gets no secret if DEPOSIT_URL names it: %s', async (_what, expires, env, args) => {
    await using world = await takenOver()
    await world.sign(expires, world.home)
    const environment = { DEPOSIT_HOME: world.home, DEPOSIT_URL: world.stranger.url, ...env }

    const { stderr } = await runCli(args, { environment })

    expect(stderr).toContain('another program may answer there, and no token was sent')
    for (const secret of secrets) expect(world.said.join('\n')).not.toContain(secret)
    expect(world.stranger.requests.map(({ path }) => path.split('?')[0])).toContain('/local/proof')
  })

  it.each([
    ['the stored one', {}, ['whoami']],
    ['one in DEPOSIT_TOKEN', { DEPOSIT_TOKEN: 'given-token' }, ['whoami']],
    ['one for login --with-token', {}, ['login', '--with-token']],
  ])('gets no token after a normal end of the daemon, either: %s', async (_what, env, args) => {
    await using world = await takenOver()
    await world.sign(lasting, '/somewhere/else')
    const environment = { DEPOSIT_HOME: '/nonexistent', DEPOSIT_URL: world.stranger.url, ...env }

    const { status, stderr } = await runCli(args, { environment, stdin: 'given-token\n' })

    expect(stderr).toContain('talk to the daemon of /somewhere/else')
    expect(status).toBe(6)
    for (const secret of secrets) expect(world.said.join('\n')).not.toContain(secret)
    expect((await runCli(['logout'], { environment })).status).toBe(0)
    await runCli(['whoami'], { environment })
    expect(world.stranger.requests).not.toEqual([])
  })

  it.each(['localhost', '127.0.0.2'])('gets no token under the name %s either', async (host) => {
    await using world = await takenOver()
    await world.sign(lasting, '/somewhere/else')
    const named = world.stranger.url.replace('127.0.0.1', host)
    const given = { DEPOSIT_URL: named, DEPOSIT_TOKEN: 'given-token' }

    const { status, stderr } = await runCli(['list'], {
      environment: { DEPOSIT_HOME: '/nonexistent', ...given },
    })

    expect(stderr).toContain('talk to the daemon of /somewhere/else')
    expect(status).toBe(6)
    for (const secret of secrets) expect(world.said.join('\n')).not.toContain(secret)
  })

  it('is not sent an operator’s command', async () => {
    await using world = await takenOver()

    await expect(askDaemon(homeAt(world.home), 'user list', {})).resolves.toBeUndefined()

    expect(world.stranger.requests.map(({ method }) => method)).toEqual(['GET'])
  })
})

/** The answers of a daemon, for a client that does not ask for its proof. */
function answers(url: string): Readonly<Record<string, unknown>> {
  return {
    '/health': { status: 'ok', version: '1' },
    '/local/proof': { pid: process.pid, version: '1', proof: 'x'.repeat(43) },
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
