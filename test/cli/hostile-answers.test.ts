import { describe, expect, it } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('hostile answers of a server', () => {
  const escape = '\u001B]0;x\u0007\u202E'
  const times = { created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z' }
  const answering = (changes: object) =>
    strangeServer((request, response) => {
      const deposit = { id: 'abc', metadata: {}, links: {}, revision: 0, ...times, ...changes }
      const me = { user: `u${escape}`, email: `e${escape}`, scopes: [escape], expires: escape }
      const token = { name: escape }
      const isMe = request.url?.endsWith('/me')
      if (request.url?.endsWith('/files')) answerJson(response, [])
      else answerJson(response, isMe ? { ...me, admin: false, deposit: escape, token } : deposit)
    })
  const run = (url: string, ...args: readonly string[]) =>
    runCli(args, { environment: { DEPOSIT_URL: url, DEPOSIT_TOKEN: 'secret' } })

  it('are printed by whoami without escape sequences', async () => {
    await using server = await answering({})
    for (const args of [['whoami'], ['whoami', '--quiet']]) {
      const { status, stdout } = await run(server.url, ...args)
      expect(status).toBe(0)
      expect(stdout).not.toMatch(/[^\P{Cc}\n]|\u202E/u)
    }
  })

  it.for(['javascript:alert(1)', 'file:///etc/passwd', `x${escape}`])(
    'are refused by open if the page is %j',
    async (html) => {
      await using server = await answering({ links: { html, record_html: html } })
      for (const args of [[], ['--record'], ['--link']]) {
        const { status, stdout, stderr } = await run(server.url, 'open', 'abc', ...args)
        if (args[0] !== '--link') expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
        expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]|\u202E/u)
        expect(stderr).toContain('do not trust this server')
      }
    },
  )

  it('are printed by open as an address without escape sequences', async () => {
    await using server = await answering({ links: { html: `https://example.org/${escape}` } })
    const { status, stdout } = await run(server.url, 'open', 'abc')
    expect(status).toBe(0)
    expect(stdout).toMatch(/^https:\/\/example\.org\/[^\p{Cc}\u202E]*\n$/u)
  })

  it('are refused by show if a time is invalid', async () => {
    await using server = await answering({ created: `2026-01-01T00:00:00Z${escape}` })
    const { status, stdout, stderr } = await run(server.url, 'show', 'abc')
    expect({ status, stdout }).toEqual({ status: 6, stdout: '' })
    expect(stderr).toContain('is not that of a deposit service')
  })

  it('are refused by diff if a name leads out of the folder', async () => {
    await using server = await strangeServer((request, response) => {
      const file = {
        id: '1',
        filename: '../../esc.txt',
        filesize: 4,
        checksum: `sha256:${'0'.repeat(64)}`,
      }
      const deposit = { id: 'abc', metadata: {}, links: {}, revision: 0, ...times }
      answerJson(response, request.url?.endsWith('/files') ? [file] : deposit)
    })
    await using folder = await temporaryFolder({ 'a.txt': 'a' })
    const { status, stdout, stderr } = await run(server.url, 'diff', folder.path, 'abc')
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain('names that are not safe: "../../esc.txt"')
  })

  it('are refused by download if a name is both a file and a folder', async () => {
    await using server = await strangeServer((_, response) => {
      const facts = { filesize: 4, checksum: `sha256:${'0'.repeat(64)}`, links: { self: '/f' } }
      const names = ['a.txt', 'ok.txt', 'ok.txt/sub']
      answerJson(
        response,
        names.map((filename) => ({ id: filename, filename, ...facts })),
      )
    })
    await using folder = await temporaryFolder()
    const out = `${folder.path}/out`
    const { status, stdout, stderr } = await run(server.url, 'download', 'abc', '--output', out)
    expect({ status, stdout }).toEqual({ status: 5, stdout: '' })
    expect(stderr).toContain('"ok.txt" would be a file, and a folder for "ok.txt/sub"')
    expect(server.requests).toHaveLength(1)
  })
})

describe('an answer of something in front of the service', () => {
  const page = '<html><head><title>Sorry</title></head><body>down</body></html>'
  const run = (url: string) =>
    runCli(['show', 'abcdef', '--retries', '0'], {
      environment: { DEPOSIT_URL: url, DEPOSIT_TOKEN: 'secret' },
    })

  it.for([
    [502, 'run the command again; if it fails again, tell the operator'],
    [503, 'run the command again; if it fails again, tell the operator'],
    [504, 'run the command again; if it fails again, tell the operator'],
    [500, 'run the command again; if it fails again, tell the operator'],
    [403, 'check DEPOSIT_URL; if it is right, tell the operator'],
  ] as const)('with %i is told as such, and exits with 6', async ([status, next]) => {
    await using proxy = await strangeServer((_, response) => {
      response.writeHead(status, { 'content-type': 'text/html' }).end(page)
    })

    const outcome = await run(proxy.url)

    const { host } = new URL(proxy.url)
    expect(outcome.status).toBe(6)
    expect(outcome.stderr).toContain(
      `At ${host}, something else than the deposit service answered ${status} `,
    )
    expect(outcome.stderr).toContain(`next: ${next}\n`)
    expect(outcome.stderr).not.toContain('request')
  })
})
