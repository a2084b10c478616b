import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { tokenChecker } from '../../daemon/sign-in/external/token-checker.ts'
import { audience } from '../support/institution.ts'

type Said = Readonly<Record<string, unknown>>

const good: Said = { active: true, aud: audience, sub: 'ada' }
const network = '192.0.2.1'

describe('introspection at an external issuer', () => {
  it('is repeated once the answer may be out of date, and not before', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    using timers = new DisposableStack()
    timers.defer(() => vi.useRealTimers())
    let said: Said = { active: false }
    await using issuer = await issuerSaying(() => said)
    const check = () => issuer.check('opaque', network)

    for (const _ of [1, 2]) expect(await check()).toHaveProperty('refused')
    expect(issuer.asked).toHaveLength(1)
    said = { ...good, exp: seconds(3) }
    vi.advanceTimersByTime(5001)
    expect(await check()).toHaveProperty('claims')

    said = { ...good, exp: seconds(600) }
    vi.advanceTimersByTime(64_000)
    for (const _ of [1, 2]) expect(await check()).toHaveProperty('claims')
    expect(issuer.asked).toHaveLength(3)
    said = { ...good, exp: seconds(-120) }
    vi.advanceTimersByTime(60_001)
    expect(await check()).toHaveProperty('refused')
  })

  it('asks about eight tokens of one network at once, and lets no other network wait', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>()
    await using issuer = await issuerSaying(async (token) => {
      await answered
      return token === 'good' ? good : { active: false }
    })
    const crowd = Array.from({ length: 20 }, (_, made) => issuer.check(`made-${made}`, network))
    await expect.poll(() => issuer.asked.length).toBeGreaterThanOrEqual(8)
    const other = issuer.check('good', '192.0.2.2')
    await expect.poll(() => issuer.asked).toContain('good')
    expect(issuer.asked).toHaveLength(9)

    answer(undefined)
    expect(await other).toHaveProperty('claims')
    for (const checked of await Promise.all(crowd)) expect(checked).toHaveProperty('refused')
    expect(await issuer.check('good', network)).toHaveProperty('claims')
    expect(issuer.asked).toHaveLength(21)
  })

  it('refuses tokens past a limited queue, and accepts a token known to be good at once', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>()
    await using issuer = await issuerSaying(async (token) => {
      if (token !== 'good') await answered
      return token === 'good' ? good : { active: false }
    })
    expect(await issuer.check('good', network)).toHaveProperty('claims')

    const crowd = Array.from({ length: 300 }, (_, made) =>
      issuer.check(`made-${made}`, network).catch((error: unknown) => error),
    )
    const refused = await Promise.race(crowd)
    expect(refused).toMatchObject({ code: 'overloaded' })
    expect(await issuer.check('good', network)).toHaveProperty('claims')

    answer(undefined)
    const ended = await Promise.all(crowd)
    expect(ended.filter((each) => each instanceof Error)).toHaveLength(300 - 8 - 100)
  })
})

/** @param say answers the introspection of a token */
async function issuerSaying(say: (token: string) => Said | Promise<Said>) {
  const asked: string[] = []
  const introspect = async (body: string): Promise<Said> => {
    const token = new URLSearchParams(body).get('token') ?? ''
    asked.push(token)
    return say(token)
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isAsked = request.url === '/introspect'
    const metadata = { issuer, introspection_endpoint: `${issuer}/introspect`, jwks_uri: issuer }
    const said = isAsked ? await introspect(await text(request)) : metadata
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(said))
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const client = { id: 'deposit', secret: 'secret' }
  const { check } = tokenChecker({ issuer, audience, client, roleClaims: [] }, () => audience)
  return {
    check,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function seconds(fromNow: number): number {
  return Math.floor(Date.now() / 1000) + fromNow
}
