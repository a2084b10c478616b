import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { daemonUrl, deposit, expectFailure, newDraft, useDaemon } from '../support/cli-at-daemon.ts'
import { runCli } from '../support/run-cli.ts'
import { silentProxy } from '../support/silent-proxy.ts'
import { strangeServer } from '../support/strange-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

describe('a server that is silent', () => {
  it('is reported, and abandoned after --timeout', async () => {
    await using server = await strangeServer(() => {})
    const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'secret' }
    const outcome = await runCli(['list', '--timeout', '1'], { environment })
    expectFailure(outcome, 6, 'the server sent nothing for 1 s')
    expect(outcome.stderr).toContain('giving up after 1 s')
  })

  it('is reported once for all files, and asked once more for each', async () => {
    const names = ['a', 'b', 'c', 'd']
    const bytes = 2 * 1024 * 1024
    const files = names.map((name) => [`set/${name}.bin`, 'x'.repeat(bytes)] as const)
    await using folder = await temporaryFolder(Object.fromEntries(files))
    const id = await newDraft('--title', 'Silence')
    await using proxy = await silentProxy(daemonUrl(), bytes)
    const { stdout } = await deposit(['token', 'create', '--scope', 'deposit:write'])
    const environment = { DEPOSIT_URL: proxy.url, DEPOSIT_TOKEN: stdout.trim() }
    const args = ['upload', id, join(folder.path, 'set'), '--timeout', '2s', '--jobs', '4']

    const outcome = await runCli(args, { environment })

    expectFailure(outcome, 6, 'the server sent nothing for 2 s')
    expect(outcome.stderr.match(/No answer from .*giving up/g)).toHaveLength(1)
    // Each file, a question before its retry, and that question again.
    expect(proxy.later).toBeLessThanOrEqual(3 * names.length)
  })
})
