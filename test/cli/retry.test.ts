import { describe, expect, it } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'

const draft = {
  id: 'abc',
  metadata: { _deposit: { status: 'draft' } },
  links: { self: '/', bucket: '/api/files/b' },
  revision: 0,
}

function problem(status: number, code = 'shutting_down') {
  return { status, code, message: 'Not now.', request_id: 'r' }
}

/** A server that fails at first, and the idempotency keys that it has seen. */
function failing(times: number, fail: Parameters<typeof strangeServer>[0]) {
  const keys = new Set<unknown>()
  let left = times
  const server = strangeServer((request, response) => {
    keys.add(request.headers['idempotency-key'])
    request.resume()
    left -= 1
    if (left >= 0) return fail(request, response)
    answerJson(response, draft)
  })
  return { server, keys }
}

function run(url: string, ...args: readonly string[]) {
  return runCli(args, { environment: { DEPOSIT_URL: url, DEPOSIT_TOKEN: 't' } })
}

describe('a request with a temporary failure', () => {
  it('is retried as often as --retries says', async () => {
    const { server } = failing(9, (_, response) => answerJson(response, problem(503), 503))
    await using busy = await server

    expect((await run(busy.url, 'show', 'abc', '--retries', '0')).status).toBe(6)
    expect(busy.requests).toHaveLength(1)
    expect((await run(busy.url, 'show', 'abc', '--retries', '1')).status).toBe(6)
    expect(busy.requests).toHaveLength(3)
    expect((await run(busy.url, 'show', 'abc', '--retries', '-1')).status).toBe(2)
  })

  it('is retried if the server is busy or starting', async () => {
    const { server } = failing(2, (_, response) => answerJson(response, problem(503), 503))
    await using busy = await server

    expect(await run(busy.url, 'show', 'abc', '-q')).toMatchObject({ status: 0, stdout: 'abc\n' })
    expect(busy.requests).toHaveLength(3)
  })

  it('is retried if another request still works on the upload', async () => {
    const locked = problem(423, 'upload_locked')
    const { server } = failing(2, (_, response) => answerJson(response, locked, 423))
    await using held = await server

    expect(await run(held.url, 'show', 'abc', '-q')).toMatchObject({ status: 0, stdout: 'abc\n' })
    expect(held.requests).toHaveLength(3)
  })

  it('is retried with the same idempotency key if a gateway lost the answer', async () => {
    const { server, keys } = failing(2, (_, response) => answerJson(response, {}, 502))
    await using gateway = await server

    expect(await run(gateway.url, 'create', '-q')).toMatchObject({ status: 0, stdout: 'abc\n' })
    expect(gateway.requests).toHaveLength(3)
    expect(keys.size).toBe(1)
  })

  it('is not retried if that could have a second effect', async () => {
    const { server } = failing(1, (_, response) => answerJson(response, {}, 502))
    await using gateway = await server

    expect(await run(gateway.url, 'patch', 'abc', '-')).toMatchObject({ status: 6 })
    expect(gateway.requests).toHaveLength(1)
  })

  it('is not retried if the server asks for a wait of more than a minute', async () => {
    const { server } = failing(1, (_, response) => {
      response.setHeader('retry-after', '61')
      answerJson(response, problem(429, 'too_many_requests'), 429)
    })
    await using strict = await server
    const { status, stderr } = await run(strict.url, 'show', 'abc')

    expect(status).toBe(1)
    expect(stderr).toContain('run the command again in 61 s')
    expect(strict.requests).toHaveLength(1)
  })

  it('is not retried if the failure is permanent', async () => {
    const degraded = problem(503, 'storage_degraded')
    const { server } = failing(1, (_, response) => answerJson(response, degraded, 503))
    await using broken = await server

    expect(await run(broken.url, 'create')).toMatchObject({ status: 1, stdout: '' })
    expect(broken.requests).toHaveLength(1)
  })
})
