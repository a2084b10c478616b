import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operateHere } from '../support/depositd.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

/** A daemon that runs, and a copy of its home, with its `daemon.json` and its key. */
async function copied() {
  const daemon = await testDaemon()
  const folder = await temporaryFolder()
  const copy = join(folder.path, 'copy')
  await cp(daemon.home, copy, { recursive: true, preserveTimestamps: true })
  return {
    daemon,
    copy,
    [Symbol.asyncDispose]: async () => {
      await daemon[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

describe('a copy of the home of a daemon that runs', () => {
  it('is not that home to the operator’s commands', async () => {
    await using world = await copied()
    const { daemon, copy } = world

    const added = await operateHere(copy, ['user', 'add', 'eve@example.org'])

    expect(added.status).toBe(0)
    expect((await operateHere(copy, ['user', 'list'])).stdout).toContain('eve@example.org')
    const there = await operateHere(daemon.home, ['user', 'list'])
    expect(there.status).toBe(0)
    expect(there.stdout).not.toContain('eve@example.org')
  })

  it('is not that home to the command line: its daemon does not run', async () => {
    await using world = await copied()
    const { daemon, copy } = world
    const inCopy = { environment: { DEPOSIT_HOME: copy } }

    expect((await runCli(['daemon', 'status'], inCopy)).stdout).not.toContain(daemon.origin)

    const own = { environment: { DEPOSIT_HOME: daemon.home } }
    expect((await runCli(['daemon', 'status'], own)).stdout).toContain(daemon.origin)
  })
})
