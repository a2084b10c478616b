import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { unless } from '../faults/obstacle.ts'
import { flipByte } from '../operator/damage.ts'
import { listeningUrl, runDepositd } from '../support/depositd.ts'
import { startDaemon } from '../support/daemon-process.ts'
import { send } from '../support/http.ts'
import { head, rawRequest } from '../support/raw-request.ts'
import { blobsIn } from '../support/stored-blobs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { User } from '../support/user.ts'

const program = fileURLToPath(new URL('../../daemon/bin.mjs', import.meta.url))
const onLinux = process.platform === 'linux' ? undefined : 'only Linux has /dev/full'
const canary = 'canary-that-nobody-may-read'

describe('a log', () => {
  it('is one JSON object a line, for any content of requests', async () => {
    await using daemon = await startDaemon({ DEPOSIT_LOG_LEVEL: 'trace' })
    const { host } = new URL(daemon.url)
    const hostile = ['%0d%0a{"level":60}', '%1b[31m', '%00', '"}', '\\', '%c2%9b31m', '%e2%80%a8']
    for (const text of hostile) {
      for (const path of [`/api/${text}`, `/health?${text}`, `/deposit/${text}`]) {
        const headers = { host, connection: 'close', 'user-agent': `"},{"level":60}` }
        await rawRequest(daemon.url, head(`GET ${path}`, headers))
      }
    }

    const linesSoFar = () => daemon.log().split('\n').slice(0, -1)
    await expect.poll(() => linesSoFar().length).toBeGreaterThan(hostile.length)
    const lines = linesSoFar()
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({
        level: expect.stringMatching(/^(?:trace|debug|info|warn)$/) as string,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
      })
      // Control characters are written as escapes.
      // oxlint-disable-next-line no-control-regex
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
    }
  })

  it('has a line for each request, with its user, under the id of its answer', async () => {
    await using daemon = await startDaemon()
    await daemon.operate(['user', 'add', 'ada@example.org'])
    const made = await daemon.operate([
      'token',
      'create',
      '--user',
      'ada@example.org',
      '--scope',
      '',
    ])
    const headers = { authorization: `Bearer ${made.trim()}`, 'x-request-id': 'from-the-proxy.1' }
    const url = `${daemon.url}/api/deposits/000000?secret=${canary}`

    const found = await send('GET', url, { headers })
    const own = await send('GET', url, { headers: { 'x-request-id': 'a b\u00e9' } })

    expect(found.headers.get('x-request-id')).toBe('from-the-proxy.1')
    expect(own.body).toMatchObject({ request_id: own.headers.get('x-request-id') })
    expect(own.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
    const lines = () =>
      daemon
        .log()
        .split('\n')
        .filter((line) => line.includes('from-the-proxy.1'))
    await expect.poll(() => lines().length).toBe(1)
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({
      request_id: 'from-the-proxy.1',
      method: 'GET',
      route: '/api/deposits/:pid_value',
      path: '/api/deposits/000000?secret',
      status: 404,
      user: expect.any(String) as string,
      from: '127.0.0.1',
      ms: expect.any(Number) as number,
      msg: 'request',
    })
    expect(daemon.log()).not.toContain(canary)
  })

  it('has the error that an answer of 500 does not show, under the id of the request', async () => {
    await using daemon = await startDaemon()
    await daemon.operate(['user', 'add', 'ada@example.org'])
    const scope = ['--scope', 'deposit:write']
    const made = await daemon.operate(['token', 'create', '--user', 'ada@example.org', ...scope])
    const ada = new User(`${daemon.url}/api`, async () => made.trim())
    const draft = await ada.createDraft()
    await ada.putObject(draft, 'a', Buffer.alloc(100_000, 'x'))
    await flipByte((await blobsIn(daemon.home))[0] ?? '')

    const { status, body, bytes } = await ada.get(`${draft.links['bucket']}/a`)

    expect(status).toBe(500)
    expect(bytes.toString()).not.toContain(daemon.home)
    const { request_id: id } = body as { readonly request_id: string }
    const logged = (): readonly string[] =>
      daemon
        .log()
        .split('\n')
        .filter((line) => line.includes(id))
    await expect.poll(() => logged().join('\n')).toMatch(/at requireSame .*"code":"damaged_file"/)
  })

  it.for([
    ['a database', { DEPOSIT_DATABASE_URL: `postgres://deposit:${canary}@127.0.0.1:9/deposit` }],
    [
      'a store',
      {
        DEPOSIT_STORAGE_URL: 's3://bucket/prefix?endpoint=http://127.0.0.1:9&region=x',
        AWS_ACCESS_KEY_ID: 'someone',
        AWS_SECRET_ACCESS_KEY: canary,
      },
    ],
  ] as const)('contains no secret of %s that does not answer', async ([, env]) => {
    await using folder = await temporaryFolder()
    const wordy = { ...env, DEPOSIT_LOG_LEVEL: 'trace' }

    const { status, stdout, stderr } = await runDepositd(
      folder.path,
      ['serve', '--port', '0'],
      wordy,
    )

    expect(status).not.toBe(0)
    expect(stderr).not.toBe('')
    expect(stdout + stderr).not.toContain(canary)
  })

  it.skipIf(unless('a full disk for a log', onLinux))(
    'on a full disk does not stop the service, nor its end',
    async () => {
      await using full = await open('/dev/full', 'w')

      await serveAndEnd(full.fd)
    },
  )

  it('that is no longer read does not stop the service, nor its end', async () => {
    await serveAndEnd('pipe')
  })
})

/** Serves more requests than fit into a pipe, with standard error as `log`, and ends. */
async function serveAndEnd(log: number | 'pipe'): Promise<void> {
  await using folder = await temporaryFolder()
  const child = spawn(process.execPath, [program, 'serve', '--port', '0'], {
    env: { ...process.env, DEPOSIT_HOME: folder.path, DEPOSIT_LOG_LEVEL: 'trace' },
    stdio: ['ignore', 'pipe', log],
  })
  try {
    const ended = once(child, 'exit')
    const url = await listeningUrl(child)
    for (let count = 0; count < 500; count += 1) {
      expect((await send('GET', `${url}/api/deposits/`)).status).toBe(401)
    }
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
  }
}
