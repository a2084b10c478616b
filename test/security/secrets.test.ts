import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { initiateDeviceAuthorization, refreshTokenGrant } from 'openid-client'
import { describe, expect, it } from 'vitest'
import { asOwner } from '../support/owner.ts'
import { send } from '../support/http.ts'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { approveAsOwner, cliClient, cliScope, collectTokens } from '../support/sign-in.ts'

describe('secrets', () => {
  it('are nowhere in the home, the logs, the audit trail or a backup once given out', async () => {
    await using daemon = await startDaemon({ DEPOSIT_LOG_LEVEL: 'trace' })
    await using folder = await temporaryFolder()
    const given = await useEverySecret(daemon)
    const secrets = { ...given, ...(await ownSecrets(daemon.home)) }
    await daemon.operate(['backup', join(folder.path, 'backup')])

    const places = {
      home: await contentOf(daemon.home),
      backup: await contentOf(folder.path),
      log: Buffer.from(daemon.log()),
    }

    expect(places.backup.includes('ada@example.org')).toBe(true)
    for (const [name, value] of Object.entries(secrets)) {
      expect([name, value.length > 7]).toEqual([name, true])
      const found = Object.entries(places).filter(([, content]) => content.includes(value))
      expect([name, found.map(([place]) => place)]).toEqual([name, []])
    }
  })

  it('of the machine’s owner are in no backup, not even as a file', async () => {
    await using daemon = await startDaemon()
    await using folder = await temporaryFolder()
    await daemon.operate(['backup', join(folder.path, 'backup')])

    const names = await readdir(folder.path, { recursive: true })

    expect(names.filter((name) => name.endsWith('owner.key'))).toEqual([])
  })

  it('of the daemon itself can be read only by the owner of the home', async () => {
    await using daemon = await startDaemon()
    await useEverySecret(daemon)

    for (const name of ['owner.key', 'issuer.keys', 'deposit.db']) {
      const { mode } = await stat(join(daemon.home, name))
      expect([name, (mode & 0o777).toString(8)]).toEqual([name, '600'])
    }
  })
})

/** Uses secrets of every kind, valid and invalid. */
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
  const secret = new URL(link ?? '').hash.slice(1)
  expect(secret).toMatch(/^dep_/)
  const opened = new URLSearchParams({ link: link ?? '' })
  await fetch(`${daemon.url}/oauth/passphrase`, { method: 'POST', body: opened })
  const body = new URLSearchParams({ link: secret, passphrase })
  await fetch(`${daemon.url}/oauth/passphrase`, { method: 'POST', body })
  const personal = await daemon.operate(['token', 'create', '--user', 'ada@example.org'])
  const robot = ['client', 'create', 'robot', '--owner', 'ada@example.org']
  const clientSecret = (await daemon.operate(robot)).trim().split('\n').at(-1) ?? ''
  const path = '/local/ticket'
  const proof = { headers: await asOwner(place.origin, place.home, path) }
  const ticket = ((await send('POST', daemon.url + path, proof)).body as { ticket: string }).ticket
  const arrived = await send('POST', `${daemon.url}/oauth/ticket`, { json: { ticket } })
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
    ticket,
    'proof of the owner': proof.headers['authorization'] ?? '',
    'token of a ticket': (arrived.body as { readonly access_token: string }).access_token,
    'wrong token': wrong,
  }
}

/** Secrets that the daemon made for itself; they are in key files and nowhere else. */
async function ownSecrets(home: string): Promise<Readonly<Record<string, string>>> {
  const keys = JSON.parse(await readFile(join(home, 'issuer.keys'), 'utf8')) as {
    readonly jwks: { readonly keys: readonly { readonly d: string }[] }
    readonly cookies: readonly string[]
  }
  return {
    'key of the owner': (await readFile(join(home, 'owner.key'), 'utf8')).trim(),
    'key that signs tokens': keys.jwks.keys[0]?.d ?? '',
    'key that signs cookies': keys.cookies[0] ?? '',
  }
}

/** The bytes of all files below a folder, except the key files. */
async function contentOf(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !/\.keys?$/.test(entry.name))
  const contents = files.map(({ parentPath, name }) => readFile(join(parentPath, name)))
  return Buffer.concat(await Promise.all(contents))
}
