import { chmod } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { isOlder } from '../../cli/local-daemon/start.ts'
import { readVersion } from '../../cli/version.ts'
import { startOther } from '../support/other-daemon.ts'
import { runCli } from '../support/run-cli.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('the local daemon of another version', () => {
  it('is replaced if older, with a note', async () => {
    await using folder = await temporaryFolder()
    await chmod(folder.path, 0o700)
    const environment = { DEPOSIT_HOME: folder.path }
    using other = await startOther(folder.path, '0.0.1')

    const { status, stderr } = await runCli(['list', '--json'], { environment })
    await other.ended
    await runCli(['daemon', 'stop'], { environment })

    expect(status).toBe(0)
    expect(stderr).toContain(`version ${readVersion()} in place of 0.0.1\n`)
  })

  it('is kept in a dry run, which notes that it would be replaced', async () => {
    await using folder = await temporaryFolder()
    using _ = await startOther(folder.path, '0.0.1')
    const environment = { DEPOSIT_HOME: folder.path }

    const { stderr } = await runCli(['daemon', 'start', '--dry-run'], { environment })
    const { stdout } = await runCli(['daemon', 'status', '--json', 'version'], { environment })

    expect(stderr).toContain('Would start the local daemon in place of version 0.0.1')
    expect(JSON.parse(stdout)).toEqual({ version: '0.0.1' })
  })

  it('is kept if newer', async () => {
    await using folder = await temporaryFolder()
    using _ = await startOther(folder.path, '99.0.0')
    const environment = { DEPOSIT_HOME: folder.path }

    const { status, stderr } = await runCli(['daemon', 'start'], { environment })

    expect(status).toBe(0)
    expect(stderr).toContain('runs already')
  })
})

describe('versions', () => {
  it.each([
    ['0.9.0', '0.10.0', true],
    ['1.0.0', '0.10.0', false],
    ['1.2.3', '1.2.3', false],
    ['unknown', '1.2.3', false],
  ])('%s is older than %s: %s', (one, other, expected) => {
    expect(isOlder(one, other)).toBe(expected)
  })
})

describe('a server with another version of the interface', () => {
  it('is refused, with advice what to update', async () => {
    await using server = await strangeServer((_request, response) => {
      response.setHeader('deposit-api-version', '2')
      answerJson(response, { hits: { hits: [], total: 0 }, links: {} })
    })
    const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'x' }

    const { status, stdout, stderr } = await runCli(['list'], { environment })

    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain('version 2 of the interface, not 1')
  })
})
