import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { head, rawRequest } from '../support/raw-request.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

let daemon: TestDaemon
beforeAll(async () => void (daemon = await testDaemon()))
afterAll(() => daemon[Symbol.asyncDispose]())

describe('a method that the route does not have', () => {
  it.each([
    ['TRACE', '/api/deposits/x', 405],
    ['PROPFIND', '/api/deposits/x', 501],
    ['MKCOL', '/api/deposits/', 501],
    ['CONNECT', 'example.org:80', 501],
    ['FOO', '/api/deposits/', 400],
    ['get', '/api/deposits/', 400],
  ])('%s %s is answered with %i', async (method, path, status) => {
    const { host } = new URL(daemon.origin)
    const request = head(`${method} ${path}`, { Host: host, Connection: 'close' })
    const reply = await rawRequest(daemon.origin, request)
    expect(reply.status).toBe(status)
    expect(/^allow: /im.test(reply.text)).toBe(status === 405)
  })
})

describe('?prettyprint=1', () => {
  it('indents answers and problems, and no other JSON', async () => {
    const owner = daemon.as('owner')
    const { id } = await owner.createDraft()
    for (const path of [`/deposits/${id}`, '/deposits/none']) {
      const [plain, pretty] = [await owner.get(path), await owner.get(`${path}?prettyprint=1`)]
      expect(pretty.bytes.toString()).toMatch(/^\{\n {2}"/)
      expect(Object.keys(pretty.body as object)).toEqual(Object.keys(plain.body as object))
    }
    const schema = `${daemon.origin}/schemas/deposits/deposit-v1.0.0.json`
    expect((await owner.get(`${schema}?prettyprint=1`)).body).toHaveProperty('$id', schema)
    const metrics = await owner.get(`${daemon.origin}/metrics?prettyprint=1`)
    expect(metrics.bytes.toString()).toMatch(/^# HELP/)
  })
})
