import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { announce } from '../../daemon/announcement.ts'
import { homeAt } from '../../daemon/home.ts'
import { lastingDaemon, type LastingDaemon } from '../support/lasting-daemon.ts'
import { expectProblem } from '../support/problem.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
const canLimit = spawnSync('prlimit', ['--version']).status === 0
if (!canTrace || !canLimit) {
  process.stderr.write('\nSKIPPED in failing-disk.test.ts: needs strace and prlimit\n')
}

/** Lets system calls of the daemon fail, as `inject` says, until it is disposed of. */
async function inject({ pid }: LastingDaemon, ...rules: readonly string[]) {
  const options = rules.flatMap((rule) => ['-e', `inject=${rule}`])
  const calls = rules.map((rule) => rule.split(':')[0]).join(',')
  const args = ['-f', '-o', '/dev/null', '-e', `trace=${calls}`, ...options, '-p', String(pid())]
  const tracer = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  for await (const line of createInterface(tracer.stderr)) if (/attached/.test(line)) break
  return {
    [Symbol.asyncDispose]: async () => {
      tracer.kill('SIGINT')
      await once(tracer, 'exit')
    },
  }
}

it.skipIf(!canTrace)('refuses changes after a failed sync, and goes on reading', async () => {
  await using daemon = await lastingDaemon()
  const { owner } = daemon
  const draft = await owner.createDraftWith('a')
  {
    await using _ = await inject(daemon, 'fsync:error=EIO', 'fdatasync:error=EIO')
    const failed = await owner.put(`/deposits/${draft.id}`, { title: 'New' })
    expectProblem(failed, 'storage_failed')
    // Nothing of the inside is told: no path, no error of the system or of SQLite, no code.
    expect(failed.bytes.toString()).not.toMatch(/\/|EIO|sync|sql|at .*:\d/i)
  }
  // The disk is said to be well again: nobody knows what it has lost.
  expectProblem(await owner.put(`/deposits/${draft.id}`, { title: 'New' }), 'storage_degraded')
  const refused = await owner.upload(draft, 'b')
  expectProblem(refused, 'storage_degraded')
  expect(refused.headers.get('retry-after')).not.toBeNull()
  expect((await owner.show(draft)).metadata).toMatchObject({ title: 'Sea level' })
  expect((await owner.get(`/deposits/${draft.id}/files/a?download`)).bytes.toString()).toBe('a')
  const health = await owner.get(`${daemon.origin}/health`)
  expect(health.body).toMatchObject({ status: 'degraded' })
  expectProblem(await owner.get(`${daemon.origin}/ready`), 'storage_degraded')

  await daemon.kill()
  await daemon.start()
  expect((await owner.put(`/deposits/${draft.id}`, { title: 'New' })).status).toBe(200)
})

it.skipIf(!canLimit)('answers 507 where no file may grow any more, and heals', async () => {
  await using daemon = await lastingDaemon()
  const { owner } = daemon
  const draft = await owner.createDraftWith('a')
  const limit = (bytes: string): unknown =>
    spawnSync('prlimit', ['--pid', String(daemon.pid()), `--fsize=${bytes}:unlimited`])
  limit('100000')
  expectProblem(await owner.upload(draft, 'b', 'x'.repeat(300_000)), 'storage_full')
  // The log of the database is longer than that already, or soon will be.
  const notes = 'x'.repeat(150_000)
  expectProblem(await owner.put(`/deposits/${draft.id}`, { notes }), 'storage_full')
  expect((await owner.get(`/deposits/${draft.id}/files/a?download`)).status).toBe(200)
  limit('unlimited')
  expect((await owner.put(`/deposits/${draft.id}`, { notes })).status).toBe(200)
  expect((await owner.upload(draft, 'b', 'x'.repeat(300_000))).status).toBe(201)
})

it('serves where the announcement cannot be written, and says what follows', async () => {
  await using folder = await temporaryFolder()
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  const home = homeAt(join(folder.path, 'full'))

  const announced = await announce(home, 'http://127.0.0.1:1', '1.0.0', logger)
  await announced[Symbol.asyncDispose]()

  expect(lines.join()).toMatch(/daemon\.json cannot be written: the daemon serves.* Make room/)
})
