import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bodyOf } from '../support/http.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

interface Body {
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
  readonly schema: { readonly examples?: readonly unknown[] }
}
interface Described {
  readonly requestBody?: { readonly content: Readonly<Record<string, Body>> }
}
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await testDaemon()
})
afterAll(() => daemon[Symbol.asyncDispose]())

const token = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1')

describe('the API document', () => {
  it('has a valid example of every request body', async () => {
    const url = `${daemon.origin}/openapi.json`
    const document = bodyOf<ApiDocument>(await daemon.visitor.get(url), 200)
    const ajv = new Ajv2020({ strict: false })
    ajv.addFormat('binary', true)
    ajv.addFormat('uri', true)
    ajv.addFormat('uuid', true)
    ajv.addSchema(document, 'openapi')
    const bodies = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) =>
        Object.keys(requestBody?.content ?? {}).map((type) => [path, method, type] as const),
      ),
    )
    expect(bodies.length).toBeGreaterThan(15)
    for (const [path, method, type] of bodies) {
      const parts = ['paths', path, method, 'requestBody', 'content', type, 'schema']
      const validate = ajv.getSchema(
        `openapi#/${parts.map((part) => encodeURI(token(part))).join('/')}`,
      )
      const body = document.paths[path]?.[method]?.requestBody?.content[type]
      const several = Object.values(body?.examples ?? {}).map(({ value }) => value)
      const given = [body?.example ?? body?.schema.examples?.[0], ...several]
      const examples = given.filter((each) => each !== undefined)
      expect([method, path, type, examples.length]).not.toContain(0)
      for (const each of examples)
        expect([path, type, validate?.(each), validate?.errors]).toEqual([path, type, true, null])
    }
  })

  it('comes with favicon.ico and security.txt', async () => {
    const icon = await daemon.visitor.get(`${daemon.origin}/favicon.ico`)
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    const url = (origin: string): string => `${origin}/.well-known/security.txt`
    expect((await daemon.visitor.get(url(daemon.origin))).status).toBe(404)
    const env = { DEPOSIT_SECURITY_CONTACT: 'mailto:security@example.org' }
    await using other = await testDaemon({ env })
    const { bytes, headers } = await other.visitor.get(url(other.origin))
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const [contact, expires = '', canonical] = bytes.toString().split('\n')
    expect([contact, canonical]).toEqual([
      'Contact: mailto:security@example.org',
      `Canonical: ${url(other.origin)}`,
    ])
    expect(Date.parse(expires.replace('Expires: ', ''))).toBeGreaterThan(Date.now())
  })
})
