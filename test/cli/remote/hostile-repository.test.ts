import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { isOfThisNetwork } from '../../../cli/remote/port/remote-request.ts'
import { runCli } from '../../support/run-cli.ts'
import { answerJson, strangeServer } from '../../support/strange-server.ts'
import { testDaemon } from '../../support/test-daemon.ts'

const token = 'a-token-of-the-user'

/** Pulls the record 1 from a server, as from a Zenodo. */
async function pull(url: string, ...options: readonly string[]) {
  const name = `r${randomUUID()}`
  await runCli(['remote', 'add', name, '--kind=zenodo', `--url=${url}`], { stdin: token })
  await using daemon = await testDaemon()
  const { authorization = '' } = await daemon.as('ada').authorization()
  const environment = {
    DEPOSIT_URL: daemon.origin,
    DEPOSIT_TOKEN: authorization.replace('Bearer ', ''),
  }
  return await runCli(['pull', `${name}:1`, '--retries', '0', ...options], { environment })
}

/** A record with one file. */
const recordWith = (file: object) => ({
  id: 1,
  doi: '10.1/1',
  metadata: { title: 'x' },
  files: [file],
})

describe('a hostile repository', () => {
  it('that sends more bytes of a file than it says ends the pull', async () => {
    let sent = 0
    await using server = await strangeServer(async ({ url = '' }, response) => {
      const self = `${server.url}/bytes`
      if (url === '/bytes') {
        response.on('error', () => {})
        for (; !response.destroyed && sent < 1e9; sent += 65_536)
          if (!response.write(Buffer.alloc(65_536))) await once(response, 'drain').catch(() => {})
      } else if (url.includes('/records/'))
        answerJson(response, recordWith({ key: 'a', size: 10, links: { self } }))
      else answerJson(response, [])
    })
    const { status, stderr } = await pull(server.url)

    expect(status).toBe(5)
    expect(stderr).toContain('more bytes come than the 10 that it says')
    expect(sent).toBeLessThan(1e8)
  })

  it.each(['@127.0.0.1:1/x', 'file:///etc/passwd', 'x y'])(
    'that names %j as an address is told so',
    async (self) => {
      await using server = await strangeServer(({ url = '' }, response) => {
        if (url.includes('/records/'))
          answerJson(response, recordWith({ key: 'a', size: 10, links: { self } }))
        else answerJson(response, [])
      })
      const { status, stderr } = await pull(server.url)

      expect(status).toBe(1)
      expect(stderr).toContain('which is no address of the web')
    },
  )

  it('with a page made to be slow to read costs no time', async () => {
    const page = '<script'.repeat(200_000)
    await using server = await strangeServer((_, response) => {
      response.writeHead(400, { 'content-type': 'text/html' }).end(page)
    })
    const started = performance.now()
    const { status } = await pull(server.url)

    expect(status).toBe(1)
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it('that repeats the token does not bring it into a message', async () => {
    await using server = await strangeServer(({ headers }, response) => {
      answerJson(response, { message: `no: ${headers.authorization}` }, 400)
    })
    const { status, stderr } = await pull(server.url)

    expect(status).toBe(1)
    expect(stderr).toContain('no: Bearer …')
    expect(stderr).not.toContain(token)
  })

  it.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '192.168.0.1', 'localhost', '[::1]'])(
    'elsewhere cannot lead to %s',
    (host) => {
      expect(isOfThisNetwork(host)).toBe(true)
    },
  )

  it('may lead to a host of the web', () => {
    for (const host of ['zenodo.org', '8.8.8.8', '[2606:4700::1]'])
      expect(isOfThisNetwork(host)).toBe(false)
  })
})
