import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { lookup } from 'node:dns/promises'
import { hostname } from 'node:os'
import { HttpSender } from '../../../cli/client/http.ts'
import { guardedLookup } from '../../../cli/remote/port/guarded-lookup.ts'
import { RemoteHttp } from '../../../cli/remote/port/remote-http.ts'
import { isOfThisNetwork } from '../../../cli/remote/port/remote-request.ts'
import { md5 } from '../../support/md5.ts'
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

  it('that sends a file from its first byte on, whatever was asked for, is read right', async () => {
    const whole = Buffer.alloc(300_000, 'tides and winds ')
    const asked: (string | undefined)[] = []
    await using server = await strangeServer(({ url = '', headers }, response) => {
      const self = `${server.url}/bytes`
      const checksum = `md5:${md5(whole)}`
      if (url.includes('/records/'))
        answerJson(
          response,
          recordWith({ key: 'a', size: whole.length, checksum, links: { self } }),
        )
      else if (url !== '/bytes') answerJson(response, [])
      else {
        asked.push(headers.range)
        response.writeHead(200, { 'content-length': whole.length })
        if (asked.length > 1) response.end(whole)
        else response.write(whole.subarray(0, 100_000), () => response.destroy())
      }
    })
    const { status, stderr } = await pull(server.url)

    expect({ status, stderr }).toMatchObject({ status: 0 })
    expect(asked).toHaveLength(2)
    expect(asked[1]).toMatch(/^bytes=[1-9]\d*-$/)
  })

  it.each([null, [], 'x', { leak: 1 }, { id: 1 }])(
    'that answers %j has no record',
    async (body) => {
      await using server = await strangeServer((_, response) => answerJson(response, body))
      const { status, stdout, stderr } = await pull(server.url)

      expect([status, stdout]).toEqual([3, ''])
      expect(stderr).toContain('has no such record')
    },
  )

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

  it.each(['[::ffff:127.0.0.1]', '[fe80::1]', 'localhost.', 'files.localhost'])(
    'elsewhere cannot lead to %s by another spelling',
    (host) => {
      expect(isOfThisNetwork(host)).toBe(true)
    },
  )

  it.each([
    ['by a name', [['127.0.0.1']]],
    ['by a name that also has an address elsewhere', [['192.0.2.2', '127.0.0.1'], ['127.0.0.1']]],
  ])('elsewhere cannot lead here %s, in an address or a redirect', async (_, answers) => {
    let asked = 0
    await using server = await strangeServer(({ url = '' }, response) => {
      asked += 1
      const location = url === '/moved' ? `http://inside.example:${port}/` : ''
      response.writeHead(location === '' ? 200 : 302, { location }).end('{}')
    })
    const { port } = new URL(server.url)
    let looks = 0
    const find = guardedLookup('repository.example', async (name) => {
      const last = answers.length - 1
      const found = name === 'inside.example' ? (answers[Math.min(looks++, last)] ?? []) : []
      return [...found, ...(name === 'repository.example' ? ['192.0.2.1'] : [])].map((address) => ({
        address,
        family: 4,
      }))
    })
    const [first = []] = answers
    if (first.length > 1) {
      const options = { all: true } as const
      const kept = await new Promise((resolve) => {
        find('inside.example', options, (_error, found) => resolve(found))
      })
      expect(kept).toEqual([{ address: '192.0.2.2', family: 4 }])
    }
    using http = new HttpSender(new AbortController().signal, 1, find)
    const get = (url: string) => http.send({ method: 'GET', url: new URL(url) })
    await expect(get(`http://inside.example:${port}/`)).rejects.toThrow('of this network')
    // The address of a redirect is looked up as well; that of the first request is no name.
    await expect(get(`${server.url}/moved`)).rejects.toThrow('of this network')
    expect(asked).toBe(1)
  })

  it('in this network may lead to others of it', async () => {
    await using server = await strangeServer((_, response) => answerJson(response, { fine: 1 }))
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    using http = new HttpSender(
      new AbortController().signal,
      1,
      guardedLookup('data.intern', resolve),
    )
    const url = new URL(`http://files.intern:${new URL(server.url).port}/`)
    expect((await http.send({ method: 'GET', url })).statusCode).toBe(200)
  })

  it('that names a host of this machine is told so, and not asked', async () => {
    let asked = 0
    await using server = await strangeServer((_, response) => {
      asked += 1
      answerJson(response, {})
    })
    const remote = { name: 'far', kind: 'zenodo', url: 'http://192.0.2.1', token } as const
    const name = hostname()
    // The name of a machine stands for an address of it, where anything does.
    const isKnown = await lookup(name).then(
      ({ address }) => isOfThisNetwork(address),
      () => false,
    )
    const signal = new AbortController().signal
    using http = new HttpSender(signal, 1, guardedLookup('192.0.2.1'))
    const { url } = remote
    const silent = { headers: {}, tell: () => {} }
    const requests = new RemoteHttp({
      http,
      name: remote.name,
      url,
      renew: '',
      retries: 0,
      ...silent,
    })
    const path = `http://${isKnown ? name : 'localhost'}:${new URL(server.url).port}/`
    const sent = requests.ask({ tried: 'read it', method: 'GET', path })
    await expect(sent).rejects.toThrow('an address of this network')
    expect(asked).toBe(0)
  })

  it('may lead to a host of the web', () => {
    for (const host of ['zenodo.org', '8.8.8.8', '[2606:4700::1]'])
      expect(isOfThisNetwork(host)).toBe(false)
  })
})
