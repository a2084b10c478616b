import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** A server that lists files of these names and serves `content` for each. */
function fileServer(names: readonly string[], content = 'evil', listed = content) {
  return strangeServer((request, response) => {
    if (!request.url?.endsWith('/files')) return void response.end(content)
    const files = names.map((filename, at) => ({
      id: String(at),
      filename,
      filesize: listed.length,
      checksum: sha256(listed),
      version_id: '../../x',
      storage_class: 'S',
      links: { self: '/f', download: 'http://198.51.100.1/file' },
    }))
    answerJson(response, files)
  })
}

/** Sends until the client closes the connection. */
function sendForEver(response: ServerResponse): void {
  const chunk = Buffer.alloc(1024 * 1024, 0x20)
  const send = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', send)
  send()
}

function download(url: string, folder: string, ...args: readonly string[]) {
  const environment = { DEPOSIT_URL: url, DEPOSIT_TOKEN: 'secret' }
  return runCli(['download', 'abc', '--output', 'out', ...args], { environment, folder })
}

describe('no answer', () => {
  it('is explained if https meets http', async () => {
    await using server = await strangeServer((_, response) => void response.end('x'))
    const { stderr } = await download(server.url.replace('http:', 'https:'), '.')
    expect(stderr).toContain(': it does not answer in https; DEPOSIT_URL may need http\n')
  })
})

describe('answers that a person reads', () => {
  it('show a deposit even if its record cannot be read', async () => {
    await using server = await strangeServer((request, response) => {
      if (request.url?.startsWith('/records')) {
        const problem = { status: 403, message: 'Not now', code: 'forbidden', request_id: 'r' }
        answerJson(response, problem, 403)
        return
      }
      const _deposit = { id: 'abc', status: 'published', value: '1', revision_id: 0, owners: [] }
      const metadata = { title: 'Tides', _deposit }
      const links = { record: '/records/1' }
      const times = { created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z' }
      const deposit = { id: 'abc', metadata, links, revision: 0, ...times }
      answerJson(response, request.url?.endsWith('/files') ? [] : deposit)
    })
    const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'secret' }
    const { status, stdout } = await runCli(['show', 'abc'], { environment })
    expect(stdout).toMatch(/^Tides\n/)
    expect(status).toBe(0)
  })

  it('end a list of deposits even if each empty page links to a next one', async () => {
    await using server = await strangeServer((_, response) => {
      answerJson(response, {
        hits: { hits: [], total: 1 },
        links: { next: server.url },
        aggregations: {},
      })
    })
    const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'secret' }
    expect(await runCli(['list', '--all'], { environment })).toMatchObject({ status: 0 })
  })
})

describe('a command that is interrupted', () => {
  it.for([
    [['create', '--title', 'x'], 'see your deposits with `deposit list`'],
    [['token', 'create', '--scope', 'deposit:write'], 'see your tokens with `deposit token list`'],
    [['delete', 'a'.repeat(32), 'b'.repeat(32), '--yes'], `not reached: ${'b'.repeat(32)}`],
  ] as const)('is not advised to be run again: %j', async ([args, words]) => {
    const interruption = new AbortController()
    await using server = await strangeServer(() => interruption.abort())
    const outcome = await runCli(args, {
      environment: { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'secret' },
      signal: interruption.signal,
    })
    expect(outcome).toMatchObject({ status: 130, stdout: '' })
    expect(outcome.stderr).toContain(words)
    expect(outcome.stderr).not.toContain('to continue')
  })
})

describe('a download from a hostile server', () => {
  it.for(['../x', '/etc/x', 'a/../../x', 'a\\..\\..\\x', '..', 'a\u0000b', 'a/./b', ''])(
    'writes nothing at all when one file is named %j',
    async (name) => {
      await using server = await fileServer(['good.txt', name])
      await using folder = await temporaryFolder()

      const { status, stdout, stderr } = await download(server.url, folder.path)

      expect(stderr).toContain('names that are not safe')
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(await readdir(folder.path)).toEqual([])
    },
  )

  it('does not follow a link in place of a folder', async () => {
    await using server = await fileServer(['sub/file.txt'])
    await using folder = await temporaryFolder({ 'elsewhere/kept.txt': '' })
    await mkdir(join(folder.path, 'out'))
    await symlink(join(folder.path, 'elsewhere'), join(folder.path, 'out/sub'))

    const { status, stderr } = await download(server.url, folder.path)

    expect(stderr).toContain('is a file (or link) where a folder is needed')
    expect(status).toBe(5)
    expect(await readdir(join(folder.path, 'elsewhere'))).toEqual(['kept.txt'])
  })

  it('does not write through a link in place of a file', async () => {
    await using server = await fileServer(['file.txt'])
    await using folder = await temporaryFolder({ 'target.txt': 'mine' })
    await mkdir(join(folder.path, 'out'))
    await symlink(join(folder.path, 'target.txt'), join(folder.path, 'out/file.txt'))

    const { status } = await download(server.url, folder.path, '--replace')

    expect(status).toBe(5)
    expect(await readFile(join(folder.path, 'target.txt'), 'utf8')).toBe('mine')
  })

  it('keeps no file with a wrong digest', async () => {
    await using server = await fileServer(['file.txt'], 'evil', 'good')
    await using folder = await temporaryFolder()

    const { status, stderr } = await download(server.url, folder.path)

    expect(stderr).toContain('not those that were stored')
    expect(status).toBe(1)
    expect(await readdir(join(folder.path, 'out'))).toEqual([])
  })

  it('ends at the announced size, even if more is sent', async () => {
    await using server = await strangeServer((request, response) => {
      if (!request.url?.endsWith('/files')) {
        sendForEver(response)
        return
      }
      const links = { self: '/f', download: '/file' }
      const checksum = sha256('good!')
      answerJson(response, [{ id: '1', filename: 'file.txt', filesize: 5, checksum, links }])
    })
    await using folder = await temporaryFolder()

    const { status, stderr } = await download(server.url, folder.path)

    expect(stderr).toContain('sends more than the 5 bytes that it announced')
    expect(status).toBe(1)
    expect(await readdir(join(folder.path, 'out'))).toEqual([])
  })

  it('overwrites a different file only with --replace, and keeps an equal one', async () => {
    await using server = await fileServer(['file.txt'], 'new')
    await using folder = await temporaryFolder({ 'out/file.txt': 'old' })
    const file = join(folder.path, 'out/file.txt')

    expect(await download(server.url, folder.path)).toMatchObject({ status: 5 })
    expect(await readFile(file, 'utf8')).toBe('old')
    expect(await download(server.url, folder.path, '--replace')).toMatchObject({
      status: 0,
      stdout: `${file}\n`,
    })
    expect(await readFile(file, 'utf8')).toBe('new')
    expect(await download(server.url, folder.path)).toMatchObject({ status: 0, stdout: '' })
  })

  it('sends requests only to our server, even if its links point elsewhere', async () => {
    await using server = await fileServer(['file.txt'], 'x')
    await using folder = await temporaryFolder()

    expect(await download(server.url, folder.path)).toMatchObject({ status: 0 })
    expect(server.requests.at(-1)?.path).toBe('/file')
  })
})

describe('the access token', () => {
  it('does not follow a redirect to another origin', async () => {
    await using other = await strangeServer((_, response) => answerJson(response, []))
    await using server = await strangeServer((_, response) => {
      response.writeHead(302, { location: `${other.url}/files` }).end()
    })
    const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'secret' }

    expect(await runCli(['files', 'abc'], { environment })).toMatchObject({ status: 0 })
    expect(server.requests[0]?.authorization).toBe('Bearer secret')
    expect(other.requests).toMatchObject([{ path: '/files', authorization: undefined }])
  })

  it('follows a redirect within its origin', async () => {
    await using server = await strangeServer((request, response) => {
      if (request.url === '/moved') answerJson(response, [])
      else response.writeHead(307, { location: '/moved' }).end()
    })
    const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'secret' }

    expect(await runCli(['files', 'abc'], { environment })).toMatchObject({ status: 0 })
    expect(server.requests[1]).toMatchObject({ path: '/moved', authorization: 'Bearer secret' })
  })

  it('is not sent to another machine over plain http without --insecure', async () => {
    const environment = { DEPOSIT_URL: 'http://192.0.2.1:9', DEPOSIT_TOKEN: 'secret' }
    const { status, stderr } = await runCli(['list'], { environment })

    expect(stderr).toContain('--insecure')
    expect(status).toBe(2)
  })
})

describe('a server that is not the service', () => {
  it('is distinguished from an empty answer', async () => {
    await using server = await strangeServer((_, response) => void response.end('<h1>Hello</h1>'))
    const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'secret' }

    const { status, stdout, stderr } = await runCli(['list'], { environment })

    expect(stderr).toContain('is not that of a deposit service')
    expect({ status, stdout }).toEqual({ status: 6, stdout: '' })
  })

  it('gives exit status 6 if it does not answer, with and without a token', async () => {
    const DEPOSIT_URL = 'http://127.0.0.1:1'

    for (const DEPOSIT_TOKEN of ['secret', undefined])
      expect(await runCli(['list'], { environment: { DEPOSIT_URL, DEPOSIT_TOKEN } })).toMatchObject(
        { status: 6, stdout: '' },
      )
  })

  it('cannot send control characters to the terminal', async () => {
    await using server = await strangeServer((_, response) => {
      const message = 'no\u001B[2J\nreally'
      answerJson(response, { status: 403, message, code: 'x', request_id: 'r1' }, 403)
    })
    const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'secret' }

    const { stderr } = await runCli(['list'], { environment })

    expect(stderr.split('\n').slice(0, 2)).toEqual([
      'deposit: could not list the deposits',
      '  no [2J really (x, request r1)',
    ])
  })
})

describe('a name on the command line', () => {
  it.for(['..', '.', '', 'a/../..', 'a//b'])(
    'never leads to another resource: %j',
    async (name) => {
      await using server = await strangeServer((_, response) => answerJson(response, {}))
      const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'secret' }

      expect(await runCli(['rename', 'abc', name, 'x'], { environment })).toMatchObject({
        status: 2,
      })
      const deletion = await runCli(['delete', name, '--yes'], { environment })
      expect(deletion).toMatchObject({ status: 2 })
      expect(server.requests).toEqual([])
    },
  )
})

describe('an answer without an end', () => {
  it.each([200, 500])('is read up to 64 MiB: status %i', async (status) => {
    await using server = await strangeServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      sendForEver(response)
    })
    const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'secret' }

    const outcome = await runCli(['whoami'], { environment })

    expect(outcome).toMatchObject({ status: status === 200 ? 1 : 6, stdout: '' })
    if (status === 200) expect(outcome.stderr).toContain('the answer is longer than 67.1 MB')
  })
})

describe('an upload', () => {
  /** A draft whose bucket answers as `put` does. */
  function draftServer(put: Parameters<typeof strangeServer>[0]) {
    return strangeServer((request, response) => {
      if (request.method === 'PUT') return put(request, response)
      const links = { bucket: '/api/files/b' }
      const draft = { id: 'abc', metadata: {}, links, revision: 0 }
      answerJson(response, request.url?.endsWith('/files') ? [] : draft)
    })
  }

  it('fails if the answered digest differs', async () => {
    await using server = await draftServer(async (request, response) => {
      await buffer(request)
      const checksum = sha256('something else')
      answerJson(response, { id: '1', filename: 'a.txt', filesize: 4, checksum }, 201)
    })
    await using folder = await temporaryFolder({ 'a.txt': 'mine' })
    const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'secret' }

    const outcome = await runCli(['upload', 'abc', 'a.txt'], { environment, folder: folder.path })

    expect(outcome.stderr).toContain('digest')
    expect(outcome).toMatchObject({ status: 1, stdout: '' })
  })

  it('reports a refusal that arrives before the file was sent', async () => {
    await using server = await draftServer((_, response) => {
      const problem = { status: 413, message: 'Too large', code: 'file_too_large', request_id: 'r' }
      answerJson(response, problem, 413)
    })
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'big'), Buffer.alloc(20_000_000))
    const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'secret' }

    const outcome = await runCli(['upload', 'abc', 'big'], { environment, folder: folder.path })

    expect(outcome.stderr).toContain('Too large (file_too_large, request r)')
    expect(outcome).toMatchObject({ status: 1, stdout: '' })
  })

  it('exits with 130 when interrupted', async () => {
    const interruption = new AbortController()
    await using server = await draftServer(() => interruption.abort())
    await using folder = await temporaryFolder({ 'a.txt': 'mine' })
    const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'secret' }

    const outcome = await runCli(['upload', 'abc', 'a.txt'], {
      environment,
      folder: folder.path,
      signal: interruption.signal,
    })

    expect(outcome).toMatchObject({ status: 130, stdout: '' })
    expect(outcome.stderr).toContain('run `deposit upload abc a.txt` to continue')
  })
})
