import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startDeposit } from '../support/deposit-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createDraft, freshDaemon } from './running-daemon.ts'

const MiB = 1024 * 1024

/** Limits of memory for the daemon and a command, and a file larger than both. Bytes. */
const memory = { daemon: 250 * MiB, command: 120_000_000 }
const fileSize = 300 * MiB

/** Peak memory of a process in bytes; 0 if it has ended. */
async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024
}

/** Runs the command line to its end; returns its status and peak memory. */
async function run(args: readonly string[], environment: Readonly<Record<string, string>>) {
  using running = startDeposit(args, environment)
  let peak = 0
  let isRunning = true
  const watching = (async () => {
    while (isRunning) {
      peak = Math.max(peak, await peakMemory(running.pid))
      await wait(50)
    }
  })()
  const { status, stderr } = await running.ended
  isRunning = false
  await watching
  return { status, stderr, peak }
}

/** A sparse file with random pieces, which reveal a piece at a wrong place. */
async function makeLargeFile(path: string): Promise<void> {
  await using file = await open(path, 'w')
  await file.truncate(fileSize)
  for (let at = 0; at < fileSize; at += 7 * MiB) await file.write(randomBytes(100), 0, 100, at)
}

describe.skipIf(process.platform !== 'linux')('a file larger than memory', () => {
  it('is uploaded and downloaded byte for byte, with little memory on both sides', async () => {
    await using folder = await temporaryFolder()
    await using daemon = await freshDaemon()
    const token = await daemon.token()
    const { id } = await createDraft(daemon, token)
    const environment = { HOME: folder.path, DEPOSIT_URL: daemon.url, DEPOSIT_TOKEN: token }
    const [file, copy] = [join(folder.path, 'large.bin'), join(folder.path, 'copy')]
    await makeLargeFile(file)

    const up = await run(['upload', id, file], environment)
    const down = await run(['download', id, '--output', copy], environment)

    expect([up, down]).toMatchObject([{ status: 0 }, { status: 0 }])
    execFileSync('cmp', [file, join(copy, 'large.bin')])
    expect(up.peak).toBeLessThan(memory.command)
    expect(down.peak).toBeLessThan(memory.command)
    expect(await peakMemory(daemon.child.pid ?? 0)).toBeLessThan(memory.daemon)
  })
})
