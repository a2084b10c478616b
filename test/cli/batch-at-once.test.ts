import { once } from 'node:events'
import { createServer, request as ask, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { batchFolder, rowsOf } from '../support/batch-rows.ts'
import { daemonUrl, deposit, useDaemon } from '../support/cli-at-daemon.ts'
import { startDeposit } from '../support/deposit-process.ts'
import { runCli } from '../support/run-cli.ts'

useDaemon({ DEPOSIT_UPLOADS_AT_ONCE: '2', DEPOSIT_UPLOADS_AT_ONCE_PER_USER: '1' })

const titles = Array.from({ length: 40 }, (_, at) => `Row ${at}`)
const tableOf = (rows: readonly string[]) =>
  ['title,files', ...rows.map((title) => `${title},extra/two.txt`), ''].join('\n')
const table = tableOf(titles)

describe('deposit batch, without --jobs,', () => {
  let token: string
  beforeAll(async () => {
    const args = ['token', 'create', '--scope', 'deposit:write deposit:actions']
    token = (await deposit(args)).stdout.trim()
  })

  it('works on sixteen rows at once', async () => {
    let waiting: (() => void)[] = []
    let [most, left] = [0, titles.length]
    await using line = await passingLine(async ({ method, url = '' }) => {
      if (method !== 'POST' || !/\/deposits\/?$/.test(url)) return true
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      left -= 1
      most = Math.max(most, waiting.length)
      if (waiting.length >= 16 || left === 0) {
        for (const go of waiting) go()
        waiting = []
      }
      await promise
      return true
    })
    await using folder = await batchFolder(table)

    expect((await batch(line.url, folder.path)).stderr).toMatch(/40 published\n$/)
    expect(most).toBe(16)
  })

  it('loses no row to a server that refuses more requests than some', async () => {
    const [windowMs, mostInWindow] = [400, 4]
    let [passed, refused, begun] = [0, 0, 0]
    await using line = await passingLine(async () => {
      const now = performance.now()
      if (now - begun > windowMs) [passed, begun] = [0, now]
      passed += 1
      if (passed <= mostInWindow) return true
      refused += 1
      return false
    })
    await using folder = await batchFolder(tableOf(titles.slice(20)))

    const outcome = await batch(line.url, folder.path)

    expect(outcome.stderr).toMatch(/20 published\n$/)
    expect(refused).toBeGreaterThan(0)
  })

  it.for(['SIGINT', 'SIGKILL'] as const)(
    'goes on after %s, and makes no row twice',
    async (signal) => {
      let made = 0
      await using line = await passingLine(async ({ method, url = '' }) => {
        if (method === 'POST' && url.endsWith('/publish') && (made += 1) === 20) ended.kill(signal)
        return true
      })
      await using folder = await batchFolder(table)
      const args = ['batch', join(folder.path, 'rows.csv'), '--publish', '--yes']
      const before = await total()
      using ended = startDeposit(args, { DEPOSIT_URL: line.url, DEPOSIT_TOKEN: token })
      const { status } = await ended.ended
      expect(status).toBe(signal === 'SIGINT' ? 130 : null)

      const outcome = await batch(line.url, folder.path)

      expect(outcome.status).toBe(0)
      expect(new Set(rowsOf(outcome).map(([, , id]) => id)).size).toBe(titles.length)
      expect(await total()).toBe(before + titles.length)
    },
  )

  function batch(url: string, folder: string) {
    return runCli(['batch', join(folder, 'rows.csv'), '--publish', '--yes'], {
      environment: { DEPOSIT_URL: url, DEPOSIT_TOKEN: token },
    })
  }
})

async function total(): Promise<number> {
  const { stdout } = await deposit(['list', '--json'])
  return Number(/"total": (\d+)/.exec(stdout)?.[1])
}

type Passes = (request: Parameters<RequestListener>[0]) => Promise<boolean>

/** A proxy before the daemon that refuses requests (429) which do not pass, as a limit on their rate does. */
async function passingLine(passes: Passes) {
  const pass: RequestListener = (incoming, outgoing) => {
    const { method, url = '', headers } = incoming
    const { host } = new URL(daemonUrl())
    const passed = ask(new URL(url, daemonUrl()), { method, headers: { ...headers, host } })
    passed.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers)
      response.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.on('error', () => passed.destroy())
    incoming.pipe(passed)
  }
  const server = createServer((incoming, outgoing) => {
    void passes(incoming).then((isPassed) => {
      if (isPassed) pass(incoming, outgoing)
      else {
        incoming.resume()
        outgoing.writeHead(429, { 'content-type': 'text/plain' }).end('Too many requests')
      }
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
