import { afterAll, describe, expect, it } from 'vitest'
import { connect, createServer } from 'node:net'
import { once } from 'node:events'
import { runCli } from '../support/run-cli.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

const commands = [
  'list',
  'login',
  'whoami',
  'show 4f2a91',
  'create --title Tides',
  'upload 4f2a91 data/a.csv',
  'sync data 4f2a91',
  'publish 4f2a91',
  'download 4f2a91',
  'delete 4f2a91 --yes',
  'token list',
  'list --endpoint lab',
] as const

const folder = await temporaryFolder({ 'data/a.csv': '1' })
afterAll(() => folder[Symbol.asyncDispose]())

describe('a service that has moved, and redirects', () => {
  it.for(commands)(
    'names its new address to `deposit %s`, with a token or without',
    async (line) => {
      await using moved = await strangeServer((_, response) => answerJson(response, {}, 401))
      await using old = await redirecting(moved.url, 308)

      for (const token of ['good', undefined]) {
        const { status, stderr } = await at(old.url, line, token)

        expect(stderr).toContain(`${old.url} has moved to ${moved.url}: it redirects there`)
        expect(stderr).toMatch(
          new RegExp(`next: if you trust ${moved.url}, set DEPOSIT_URL to it$`, 'm'),
        )
        expect(status).toBe(6)
      }
      // Nothing is asked there, with a token or without.
      expect(moved.requests).toEqual([])
    },
  )

  it.for([301, 302, 307])('is noticed by status %s', async (status) => {
    await using moved = await strangeServer((_, response) => answerJson(response, {}, 401))
    await using old = await redirecting(moved.url, status)

    const { stderr } = await at(old.url, 'list', 'good')

    expect(stderr).toContain(`${old.url} has moved to ${moved.url}`)
  })

  it('is noticed where everything leads to its first page', async () => {
    await using moved = await strangeServer((_, response) => void response.end('<h1>Hello</h1>'))
    await using old = await strangeServer((request, response) => {
      request.resume()
      response.writeHead(301, { location: `${moved.url}/` }).end()
    })

    const { stderr } = await at(old.url, 'list', 'good')

    expect(stderr).toContain(`${old.url} has moved to ${moved.url}`)
  })

  it('is told by `deposit doctor`', async () => {
    await using moved = await strangeServer((_, response) => answerJson(response, {}))
    await using old = await redirecting(moved.url, 308)

    const { stdout } = await at(old.url, 'doctor', 'good')

    expect(stdout).toMatch(/^BAD server .* has moved to /m)
    expect(stdout).toContain(`set DEPOSIT_URL to it`)
  })
})

describe('a redirect of one request to a store of files', () => {
  it('is followed without the token', async () => {
    await using store = await strangeServer((_, response) => void response.end('1'))
    await using daemon = await strangeServer(({ url = '' }, response) => {
      if (url.startsWith('/f'))
        response.writeHead(302, { location: `${store.url}/b/1?signed` }).end()
      else if (url.endsWith('/files')) answerJson(response, [file])
      else answerJson(response, { id: 'abc', metadata: {}, links: { self: '/' }, revision: 0 })
    })

    const { stderr } = await at(daemon.url, 'download abc --output got', 'good')

    expect(stderr).not.toContain('has moved')
    const sent = new Set(store.requests.map(({ authorization }) => authorization))
    expect([...sent]).toEqual([undefined])
  })
})

describe('a redirect of an identifier', () => {
  it('to the public name of the service is followed without the token', async () => {
    const [gone, kept] = ['a'.repeat(32), 'b'.repeat(32)]
    const metadata = { _deposit: { status: 'draft' } }
    const answer = { id: kept, metadata, links: { self: '/' }, revision: 0 }
    await using named = await strangeServer((_, response) => answerJson(response, answer))
    await using server = await strangeServer(({ url = '' }, response) => {
      response.writeHead(301, { location: named.url + url.replace(gone, kept) }).end()
    })

    const { status, stdout } = await at(server.url, `show ${gone} --json`, 'good')

    expect([status, JSON.parse(stdout)]).toMatchObject([0, { id: kept }])
    expect(named.requests.map(({ authorization }) => authorization)).toEqual([undefined])
  })
})

describe('a service that is asked by another host', () => {
  it('names its public address, which works', async () => {
    const forward = createServer((socket) => socket.pipe(connect(port())).pipe(socket))
    await once(forward.listen(0, '127.0.0.1'), 'listening')
    const address = forward.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    const shown: { origin?: string } = {}
    const port = (): number => Number(new URL(shown.origin ?? '').port)
    await using daemon = await testDaemon({
      env: { DEPOSIT_PUBLIC_URL: 'https://new.example.org' },
    })
    shown.origin = daemon.origin

    const { status, stderr } = await at(url, 'list', 'good')
    forward.close()

    expect(stderr).toContain(
      'does not answer for that host. Its address is https://new.example.org.',
    )
    expect(stderr).toContain('next: if you trust https://new.example.org, set DEPOSIT_URL to it')
    expect(status).toBe(1)
  })
})

const file = {
  id: '1',
  filename: 'a.txt',
  filesize: 1,
  version_id: '1',
  storage_class: 'S',
  checksum: 'sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b',
  links: { self: '/f', download: '/f' },
}

function redirecting(to: string, status: number) {
  return strangeServer((request, response) => {
    request.resume()
    response.writeHead(status, { location: to + request.url }).end()
  })
}

function at(url: string, line: string, token: string | undefined) {
  const environment = { DEPOSIT_URL: url, DEPOSIT_TOKEN: token, DEPOSIT_HOME: folder.path }
  return runCli(line.split(' '), { environment, folder: folder.path })
}
