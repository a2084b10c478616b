import { chmod } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { advice } from '../../cli/advice.ts'
import { daemonUrl, deposit, useDaemon } from '../support/cli-at-daemon.ts'
import { runCli } from '../support/run-cli.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

describe('deposit doctor', () => {
  it('finds everything in order', async () => {
    const { status, stdout, stderr } = await deposit(['doctor'])

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.match(/^ok {2}\S+/gm)?.map((line) => line.slice(4))).toEqual([
      'versions',
      'home',
      'sign-ins',
      'disk',
      'daemon',
      'server',
      'clock',
      'sign-in',
    ])
    expect(stdout).toContain(daemonUrl())
  })

  it('advises how to fix a home that others can read, and starts no daemon', async () => {
    await using home = await temporaryFolder()
    await chmod(home.path, 0o755)
    const environment = { DEPOSIT_HOME: home.path }

    const { status, stdout, stderr } = await runCli(['doctor'], { environment })

    expect(status).toBe(1)
    expect(stdout).toContain(`BAD home      ${home.path} is open to others\n`)
    expect(stdout).toContain(`    fix:      run \`chmod 700 ${home.path}\`\n`)
    expect(stdout).toContain('ok  daemon    not running')
    expect(stderr).toContain('found 1 thing to fix')
  })

  it.each([
    ['1', ['clock', 'sign-in']],
    ['9', ['server']],
  ])('advises how to fix the faults of a server of version %s', async (version, wrong) => {
    await using server = await strangeServer((_request, response) => {
      response.setHeader('date', 'Thu, 01 Jan 2015 00:00:00 GMT')
      response.setHeader('deposit-api-version', version)
      answerJson(response, { status: 401, message: 'No.', code: 'unauthenticated' }, 200)
    })
    const environment = { DEPOSIT_HOME: '/nonexistent', DEPOSIT_URL: server.url }

    const { status, stdout } = await runCli(['doctor', '--json'], { environment })

    expect(status).toBe(1)
    const found = JSON.parse(stdout) as readonly { what: string; fix?: string }[]
    expect(found.filter(({ fix }) => fix !== undefined).map(({ what }) => what)).toEqual(wrong)
  })

  it('shows no token to a server of another kind', async () => {
    const asked: (string | undefined)[] = []
    await using server = await strangeServer((request, response) => {
      asked.push(request.headers.authorization)
      answerJson(response, { message: 'Not found' }, 404)
    })
    const environment = {
      DEPOSIT_HOME: '/nonexistent',
      DEPOSIT_URL: server.url,
      DEPOSIT_TOKEN: 'of another service',
    }

    const { status, stdout } = await runCli(['doctor'], { environment })

    expect(status).toBe(1)
    expect(stdout).toContain(`BAD server    ${server.url} is no deposit service: `)
    expect(stdout).toContain(advice.checkService())
    expect(asked).toEqual([undefined])
  })

  it('advises how to fix an address without a server', async () => {
    const environment = { DEPOSIT_HOME: '/nonexistent', DEPOSIT_URL: 'http://127.0.0.1:1' }

    const { status, stdout } = await runCli(['doctor'], { environment })

    expect(status).toBe(1)
    expect(stdout).toMatch(/BAD server +no answer from .*\n +fix: +\S/)
  })

  it('gives up on a silent server after --timeout', async () => {
    await using server = await strangeServer((request) => void request.resume())
    const environment = { DEPOSIT_HOME: '/nonexistent', DEPOSIT_URL: server.url }

    const { status, stdout, stderr } = await runCli(['doctor', '--timeout', '1'], { environment })

    expect(status).toBe(1)
    expect(stdout).toContain('the server sent nothing for 1 s')
    expect(stderr).toMatch(/No answer from \S+ for 0\.2 s; giving up after 1 s/)
  })
})
