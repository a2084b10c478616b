import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { generateKeyPair, exportJWK, SignJWT } from 'jose'
import { Provider, type Adapter, type AdapterPayload } from 'oidc-provider'
import { audience as service } from './institution.ts'

/**
 * The issuer of an institution as a program of its own: a real `oidc-provider`, with an additional
 * `/mint` that makes any token a test asks for with the issuer's own keys.
 */
const server = createServer()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
const { privateKey } = await generateKeyPair('RS256', { extractable: true })
const key = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' }
let extra: Record<string, string | string[]> = {}

const provider = new Provider(issuer, {
  jwks: { keys: [key] },
  cookies: { keys: ['institution'] },
  clients: [
    {
      client_id: 'deposit-service',
      client_secret: 'service-secret',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    },
  ],
  findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  extraTokenClaims: () => extra,
  ttl: { AccessToken: 600, Grant: 600, ClientCredentials: 600, Interaction: 600, Session: 600 },
  clientBasedCORS: (_context, _origin, { clientId }) => clientId === 'coast-pages',
  pkce: { required: () => true },
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  features: {
    clientCredentials: { enabled: true },
    deviceFlow: { enabled: true },
    devInteractions: { enabled: false },
    introspection: { enabled: true, allowedPolicy: () => true },
    resourceIndicators: {
      enabled: true,
      // Clients of devices name no resource: all they can ask for is the one service.
      defaultResource: (_context, { clientId }, named) =>
        clientId === 'deposit-cli' ? service : (named ?? []),
      useGrantedResource: (_context, { clientId }) => clientId === 'deposit-cli',
      getResourceServerInfo: (_context, resource) => ({
        scope: 'deposit:write deposit:actions',
        audience: resource,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
})
const callback = provider.callback()

async function addClient(client: AdapterPayload): Promise<void> {
  const { adapter } = provider.Client as unknown as { readonly adapter: Adapter }
  const isPublic = { token_endpoint_auth_method: 'none', application_type: 'native' } as const
  await adapter.upsert(String(client.client_id), { ...isPublic, ...client }, 600)
}

/** Makes the client that pages sign in with, whose address is not known at the start. */
function addPages(redirectUri: string): Promise<void> {
  const flow = { grant_types: ['authorization_code'], response_types: ['code'] as const }
  return addClient({ client_id: 'coast-pages', ...flow, redirect_uris: [redirectUri] })
}

/** Makes the client of the command line, as its operator would. */
function addCommandLine(): Promise<void> {
  const grant_types = ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token']
  const client_id = 'deposit-cli'
  return addClient({ client_id, grant_types, response_types: [], redirect_uris: [] })
}

/** Ada approves a device. */
async function approve(userCode: string): Promise<void> {
  const normalized = userCode.replaceAll('-', '')
  const code = await provider.DeviceCode.findByUserCode(normalized, { ignoreExpiration: false })
  if (code === undefined) throw new Error(`no device has the code ${userCode}`)
  const { clientId = '', params = {} } = code
  const scope = String(params['scope'])
  const grant = new provider.Grant({ accountId: 'ada', clientId })
  grant.addOIDCScope(scope)
  grant.addResourceScope(service, scope)
  const grantId = await grant.save()
  Object.assign(code, { accountId: 'ada', grantId, scope, resource: service })
  await code.save()
}

/** Signs everybody in as Ada, and grants every client what it asks for. */
async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params } = await provider.interactionDetails(request, response)
  const grant = new provider.Grant({ accountId: 'ada', clientId: String(params['client_id']) })
  grant.addOIDCScope('openid')
  grant.addResourceScope(String(params['resource']), String(params['scope']))
  const consent = { grantId: await grant.save() }
  await provider.interactionFinished(request, response, { login: { accountId: 'ada' }, consent })
}

/** Orders of tests, by path. */
const orders: Readonly<Record<string, (body: string) => Promise<string | void>>> = {
  '/mint': (order) => mint(JSON.parse(order) as Order),
  '/pages': addPages,
  '/command-line': addCommandLine,
  '/approve': approve,
}

server.on('request', (request, response) => {
  const { url = '' } = request
  if (url.startsWith('/interaction/')) return void signIn(request, response)
  const order = orders[url]
  if (order === undefined) return void callback(request, response)
  text(request)
    .then(order)
    .then(
      (answer) => response.end(answer),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
})
process.stdout.write(`${issuer}\n`)

interface Order {
  readonly kind: 'signed' | 'opaque' | 'machine' | 'revoke'
  readonly token?: string
  readonly sub: string
  readonly audience: string
  readonly scope: string
  readonly claims?: Record<string, string | string[]>
  /** Claims of a signed token that replace the usual ones; null leaves one out. */
  readonly forged?: Record<string, unknown>
}

async function mint(order: Order): Promise<string> {
  if (order.kind === 'signed') return sign(order)
  if (order.kind === 'revoke') {
    const found = await provider.AccessToken.find(order.token ?? '')
    await found?.destroy()
    return ''
  }
  const client = await provider.Client.find('deposit-service')
  if (order.kind === 'machine') {
    const options = { client, scope: order.scope }
    const token = new provider.ClientCredentials(
      options as ConstructorParameters<typeof provider.ClientCredentials>[0],
    )
    token.setAudience(order.audience)
    return token.save()
  }
  const grant = new provider.Grant({ accountId: order.sub, clientId: 'deposit-service' })
  extra = order.claims ?? {}
  const token = new provider.AccessToken({
    accountId: order.sub,
    client,
    grantId: await grant.save(),
    gty: 'authorization_code',
    scope: order.scope,
  } as ConstructorParameters<typeof provider.AccessToken>[0])
  token.setAudience(order.audience)
  return token.save()
}

function sign({ sub, audience, scope, claims = {}, forged = {} }: Order): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const usual = { iss: issuer, sub, aud: audience, scope, iat: now, exp: now + 600 }
  const all = Object.entries({ ...usual, ...claims, ...forged })
  const token = new SignJWT(Object.fromEntries(all.filter(([, value]) => value !== null)))
  return token.setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'at+jwt' }).sign(privateKey)
}
