import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { openBucket } from '../../core/adapters/blobs/s3/open-bucket.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { listeningUrl } from '../support/depositd.ts'
import { lastingDaemon, type LastingDaemon } from '../support/lasting-daemon.ts'
import { operateAsOwner } from '../support/owner.ts'
import { hasS3, s3Credentials, startS3 } from '../support/s3.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { User } from '../support/user.ts'

const program = fileURLToPath(new URL('../../daemon/bin.mjs', import.meta.url))

describe('a daemon that is stopped right after a publish', () => {
  it('has written the manifest to the folder', async () => {
    await using daemon = await lastingDaemon()
    const value = await publish(daemon.owner)

    await stop(daemon)

    expect(existsSync(join(daemon.home, 'records', value, '0.json'))).toBe(true)
  })

  it.skipIf(!hasS3())('has written the manifest to S3', async () => {
    await using server = await startS3()
    const url = server.store(randomUUID())
    await using daemon = await lastingDaemon({ env: onS3(url) })
    const value = await publish(daemon.owner)

    await stop(daemon)

    using bucket = await openBucket(url, () => {})
    expect(await bucket.head(`records/${value}/0.json`)).toBeDefined()
  })

  it('has written it where the signal is for its launcher as well, and comes twice', async () => {
    await using folder = await temporaryFolder()
    const home = await mkdtemp(join(folder.path, 'home-'))
    const child = spawn(process.execPath, [program, 'serve', '--port', '0'], {
      env: { ...process.env, DEPOSIT_HOME: home, DEPOSIT_LAUNCHER_PID: String(process.pid) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const ended = once(child, 'exit')
    const url = (await listeningUrl(child)) ?? ''
    const value = await publish(await ownerAt(url, home))

    child.kill('SIGTERM')
    await untilSaid(child.stderr, '"leaving"')
    child.kill('SIGTERM')

    expect(await ended).toEqual([0, null])
    expect(existsSync(join(home, 'records', value, '0.json'))).toBe(true)
  })

  it.skipIf(!hasS3())(
    'tells which manifests a silent store did not take, and the next start writes them',
    async () => {
      await using server = await startS3()
      const url = server.store(randomUUID())
      await using daemon = await lastingDaemon({
        env: { ...onS3(url), DEPOSIT_DRAIN_SECONDS: '0' },
      })
      const draft = await daemon.owner.createDraftWith('a.csv')
      server.signal('SIGSTOP')
      const value = valueOf(await daemon.owner.publish(draft))

      process.kill(daemon.pid(), 'SIGTERM')

      await expect.poll(daemon.log, { timeout: 20_000 }).toContain(`"revisions":["${value}@0"]`)
      expect(daemon.log()).toContain('the next start writes them')
      server.signal('SIGCONT')
      await daemon.kill()
      await daemon.start()
      using bucket = await openBucket(url, () => {})
      await expect.poll(() => bucket.head(`records/${value}/0.json`)).toBeDefined()
    },
  )
})

function onS3(url: string): NodeJS.ProcessEnv {
  vi.stubEnv('AWS_ACCESS_KEY_ID', s3Credentials.AWS_ACCESS_KEY_ID)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', s3Credentials.AWS_SECRET_ACCESS_KEY)
  return { ...s3Credentials, DEPOSIT_STORAGE_URL: url }
}

async function ownerAt(url: string, home: string): Promise<User> {
  const user = 'owner@example.org'
  await operateAsOwner(url, home, 'user add', { email: user, admin: 'false' })
  const rights = { scope: 'deposit:write deposit:actions', expires: 'never' }
  const made = await operateAsOwner(url, home, 'token create', { user, ...rights })
  return new User(`${url}/api`, async () => made.at(-1) ?? '', { connection: 'close' })
}

/** The identifier of a record with a file, as soon as it is published. */
async function publish(user: User): Promise<string> {
  return valueOf(await user.publish(await user.createDraftWith('a.csv')))
}

function valueOf({ metadata }: DepositBody): string {
  return String(metadata._deposit?.value)
}

async function stop(daemon: LastingDaemon): Promise<void> {
  const pid = daemon.pid()
  process.kill(pid, 'SIGTERM')
  await expect.poll(() => isThere(pid)).toBe(false)
}

async function untilSaid(output: Readable | null, text: string): Promise<void> {
  let said = ''
  for await (const chunk of output?.iterator({ destroyOnReturn: false }) ?? []) {
    said += String(chunk)
    if (said.includes(text)) break
  }
  output?.resume()
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
