import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const names = Array.from({ length: 40 }, (_, at) => `f${String(at).padStart(2, '0')}`)

/** A draft whose bucket answers once `atOnce` requests wait, or all that are left. */
function waitingServer(atOnce: number) {
  let left = names.length
  let most = 0
  let waiting: (() => void)[] = []
  const gate = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve)
      most = Math.max(most, waiting.length)
      left -= 1
      if (waiting.length < atOnce && left > 0) return
      // A surplus request would arrive in this time. Without one, the test passes at any speed.
      void wait(20).then(() => {
        const ready = waiting
        waiting = []
        for (const go of ready) go()
      })
    })
  const file = (filename: string) => ({
    id: filename,
    filename,
    filesize: filename.length,
    checksum: `sha256:${createHash('sha256').update(filename).digest('hex')}`,
    version_id: 'v',
    links: { download: `/api/files/b/${filename}` },
  })
  const server = strangeServer(async (request, response) => {
    const name = request.url?.split('/').at(-1) ?? ''
    const isObject = request.url?.startsWith('/api/files/') === true
    if (isObject) await gate()
    if (isObject && request.method === 'GET') return void response.end(name)
    await buffer(request)
    if (isObject) answerJson(response, file(name), 201)
    else if (name === 'files') answerJson(response, request.method === 'GET' ? listed() : [])
    else answerJson(response, { id: 'abc', metadata: {}, links, revision: 0 })
  })
  const links = { bucket: '/api/files/b' }
  let listed = (): unknown => []
  return {
    server,
    most: () => most,
    holdsFiles: () => void (listed = () => names.map(file)),
  }
}

describe.for([
  [1, ['--jobs', '1']],
  [3, ['--jobs', '3']],
  // The default for small files.
  [32, []],
] as const)('%i jobs by %j', ([jobs, options]) => {
  it('upload sends at most this many files in parallel', async () => {
    const { server: starting, most } = waitingServer(jobs)
    await using server = await starting
    await using folder = await temporaryFolder(Object.fromEntries(names.map((n) => [n, n])))
    const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'x' }
    const args = ['upload', 'abc', folder.path, ...options, '--quiet']

    expect(await runCli(args, { environment })).toMatchObject({ status: 0, stderr: '' })
    expect(most()).toBe(jobs)
  })

  it('download fetches at most this many files in parallel', async () => {
    const { server: starting, most, holdsFiles } = waitingServer(jobs)
    await using server = await starting
    await using folder = await temporaryFolder()
    const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'x' }
    const args = ['download', 'abc', '--output', folder.path, ...options, '--quiet']
    holdsFiles()

    expect(await runCli(args, { environment })).toMatchObject({ status: 0, stderr: '' })
    expect(most()).toBe(jobs)
  })
})

describe('--jobs', () => {
  it.for(['0', '65', 'many', '1.5', ''])('refuses %j', async (jobs) => {
    const { status, stderr } = await runCli(['upload', 'abc', '.', '--jobs', jobs])

    expect(status).toBe(2)
    expect(stderr).toContain('a number from 1 to 64')
  })
})
