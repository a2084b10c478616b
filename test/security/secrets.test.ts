import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { initiateDeviceAuthorization, refreshTokenGrant } from 'openid-client'
import { describe, expect, it } from 'vitest'
import { send } from '../support/http.ts'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import { approveAsOwner, cliClient, cliScope, collectTokens } from '../support/sign-in.ts'

describe('secrets', () => {
  it('are nowhere in the home, the logs or the audit trail once they were given out', async () => {
    await using daemon = await startDaemon({ DEPOSIT_LOG_LEVEL: 'trace' })
    const secrets = await useEverySecret(daemon)

    const kept = await contentOf(daemon.home)

    for (const [name, value] of Object.entries(secrets)) {
      expect([name, value.length > 7 && kept.includes(value)]).toEqual([name, false])
      expect([name, daemon.log().includes(value)]).toEqual([name, false])
    }
  })

  it('of the daemon itself are for the owner of the home alone', async () => {
    await using daemon = await startDaemon()
    await useEverySecret(daemon)

    for (const name of ['owner.key', 'issuer.keys', 'deposit.db', 'logs/audit.jsonl']) {
      const { mode } = await stat(join(daemon.home, name))
      expect([name, (mode & 0o777).toString(8)]).toEqual([name, '600'])
    }
  })
})

/** Does everything that has a secret in it, right and wrong. */
async function useEverySecret(daemon: DaemonProcess) {
  const place = { origin: daemon.url, home: daemon.home }
  const client = await cliClient(place)
  const waiting = await initiateDeviceAuthorization(client, { scope: cliScope })
  await fetch(waiting.verification_uri_complete ?? '')
  const device = await initiateDeviceAuthorization(client, { scope: cliScope })
  await approveAsOwner(place, device.user_code)
  const first = await collectTokens(client, device)
  const second = await refreshTokenGrant(client, first.refresh_token ?? '')
  const link = (await daemon.operate(['user', 'add', 'ada@example.org'])).trim().split('\n').at(-1)
  const passphrase = 'correct horse battery'
  const secret = new URL(link ?? '').searchParams.get('link') ?? ''
  await fetch(`${daemon.url}/oauth/passphrase?link=${secret}`)
  const body = new URLSearchParams({ link: secret, passphrase })
  await fetch(`${daemon.url}/oauth/passphrase`, { method: 'POST', body })
  const personal = await daemon.operate(['token', 'create', '--user', 'ada@example.org'])
  const robot = ['client', 'create', 'robot', '--owner', 'ada@example.org']
  const clientSecret = (await daemon.operate(robot)).trim().split('\n').at(-1) ?? ''
  const wrong = 'dep_at_wrong-token-that-was-never-made'
  for (const token of [first.access_token, second.access_token, personal.trim(), wrong]) {
    const headers = { authorization: `Bearer ${token}` }
    await send('GET', `${daemon.url}/api/me`, { headers })
    await send('GET', `${daemon.url}/api/me?access_token=${token}`)
    await send('PUT', `${daemon.url}/api/deposits/nope`, { headers, json: { x: 1 } })
  }
  return {
    'access token': first.access_token,
    'refresh token': first.refresh_token ?? '',
    'next access token': second.access_token,
    'next refresh token': second.refresh_token ?? '',
    'device code': device.device_code,
    'waiting device code': waiting.device_code,
    'user code': device.user_code,
    'waiting user code': waiting.user_code,
    'user code without its dash': waiting.user_code.replace('-', ''),
    'passphrase link': secret,
    passphrase,
    'personal token': personal.trim(),
    'client secret': clientSecret,
    'wrong token': wrong,
  }
}

/** Every byte below a folder, but for the keys that must lie there. */
async function contentOf(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !/\.keys?$/.test(entry.name))
  const contents = files.map(({ parentPath, name }) => readFile(join(parentPath, name)))
  return Buffer.concat(await Promise.all(contents))
}
