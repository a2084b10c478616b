import { randomUUID } from 'node:crypto'
import type { Client, ClientUse } from '../../../core/index.ts'
import { advice } from '../../advice.ts'
import { hashSecret, newSecret } from '../../sign-in/identity/secret.ts'
import { listed } from '../command/operator-command.ts'
import type {
  Flags,
  OperatorCommand,
  OperatorContext,
  Options,
  Outcome,
} from '../command/operator-command.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import {
  parseEmail,
  requireScopes,
  requireActive,
  requirePlainName,
} from '../command/operator-options.ts'

/**
 * `client create`: a program of others. With an owner it deposits by itself; with addresses to come
 * back to, or for devices, people sign in to it; a resource server asks whose tokens are.
 *
 * @see RFC 6749 §4.1 and §4.4, RFC 7636, RFC 8628, RFC 7662
 */
async function createClient(context: OperatorContext, options: Options): Promise<Outcome> {
  const { database, clock, issuer } = context
  const { name = '', owner: email } = options
  if (issuer) {
    throw new OperatorFailure(`Clients are registered at ${issuer.issuer}, where people sign in.`)
  }
  const redirectUris = (options['redirect-uri'] ?? '').split(' ').filter((uri) => uri !== '')
  for (const uri of redirectUris) requireRedirect(uri)
  const uses = usesIn(options, redirectUris)
  const owner =
    email === undefined
      ? undefined
      : requireActive(await database.read.accounts.findByEmail(parseEmail(email)), email)
  const needsSecret = uses.includes('deposits') || uses.includes('introspection')
  const secret = needsSecret || options['secret'] === 'true' ? newSecret('client') : undefined
  const client: Client = {
    id: randomUUID(),
    name,
    ...(secret !== undefined && { secretHash: hashSecret(secret) }),
    ...(owner && { owner: owner.id }),
    scopes: requireScopes(options['scope']),
    uses,
    redirectUris,
    created: clock.now(),
  }
  await database.write((unit) => unit.clients.insert(client))
  const of = owner ? ` of ${owner.email}` : ''
  const its = secret === undefined ? 'Its id' : 'Its id, and its secret on the last line'
  const data = { ...toRow(client, owner?.email), ...(secret !== undefined && { secret }) }
  const results = secret === undefined ? [client.id] : [client.id, secret]
  return { notes: [`Registered the client ${name}${of}. ${its}:`], results, data }
}

/** @throws {OperatorFailure} the options name no use */
function usesIn(options: Options, redirectUris: readonly string[]): readonly ClientUse[] {
  const uses: readonly (ClientUse | false)[] = [
    options['owner'] !== undefined && 'deposits',
    redirectUris.length > 0 && 'code',
    options['device'] === 'true' && 'device',
    options['introspect'] === 'true' && 'introspection',
  ]
  const given = uses.filter((use) => use !== false)
  if (given.length > 0) return given
  throw new OperatorFailure('The client has no use.', advice.sayUse())
}

/**
 * @throws {OperatorFailure} a code sent there could be read on the way, or by another program
 * @see RFC 8252 §7 and §8.3
 */
function requireRedirect(text: string): void {
  const { protocol = '', hostname = '' } = URL.parse(text) ?? {}
  // These three and no more of 127.0.0.0/8: oidc-provider knows no others.
  const isLoopback = /^(?:127\.0\.0\.1|\[::1\]|localhost)$/.test(hostname)
  const isWeb = protocol === 'https:' || (protocol === 'http:' && isLoopback)
  const isOwnScheme = /^[a-z][\w+-]*\.[\w.+-]*:$/i.test(protocol)
  // A wildcard would never match: addresses are compared as they are.
  if ((isWeb || isOwnScheme) && !text.includes('#') && !hostname.includes('*')) return
  throw new OperatorFailure(`"${text}" is not a valid redirect address.`, advice.giveAddress())
}

/** `client list` */
async function listClients({ database }: OperatorContext): Promise<Outcome> {
  const accounts = await database.read.accounts.list()
  const emails = new Map(accounts.map(({ id, email }) => [id, email]))
  const clients = await database.read.clients.list()
  const rows = clients.map((client) =>
    toRow(client, client.owner && (emails.get(client.owner) ?? client.owner)),
  )
  return listed(rows, ({ id, name, owner, scope, uses, redirect_uris: uris }) => [
    id,
    name,
    owner ?? '-',
    scope || 'read',
    uses.join(' '),
    uris.join(' ') || '-',
  ])
}

function toRow({ id, name, scopes, uses, redirectUris }: Client, owner: string | undefined) {
  return {
    id,
    name,
    owner: owner ?? null,
    scope: scopes.join(' '),
    uses: [...uses],
    redirect_uris: [...redirectUris],
  }
}

/** `client remove`: its tokens are refused from now on. */
async function removeClient({ database }: OperatorContext, options: Options): Promise<Outcome> {
  const id = options['id'] ?? ''
  const wasThere = await database.write((unit) => unit.clients.remove(id))
  if (!wasThere) throw new OperatorFailure(`There is no client ${id}.`, advice.seeClients())
  return { notes: [`Removed ${id}.`], results: [], data: { id, removed: true } }
}

/** Of an option that may be given several times the parser makes a list. */
function toClientOptions({ redirectUri, ...flags }: Flags): Options {
  const others = Object.entries(flags).map(([name, value]) => [name, String(value)] as const)
  const uris = Array.isArray(redirectUri) ? { 'redirect-uri': redirectUri.join(' ') } : {}
  return { ...Object.fromEntries(others), ...uris }
}

export const clientCommands: readonly OperatorCommand[] = [
  {
    name: 'client create',
    summary: 'create a client; prints its id, and its secret if it has one',
    arguments: [{ name: 'name', summary: 'its name on the sign-in page' }],
    options: [
      { flags: '--owner <email>', summary: 'let it deposit by itself, on behalf of this user' },
      {
        flags: '--redirect-uri <uri...>',
        summary: 'let people sign in with a browser that returns to this address (code with PKCE)',
      },
      { flags: '--device', summary: 'let people sign in by typing a code' },
      { flags: '--introspect', summary: 'let it introspect tokens, as a resource server' },
      { flags: '--secret', summary: 'give it a secret; --owner and --introspect always do' },
      {
        flags: '--scope <scopes>',
        summary: 'deposit:write, deposit:actions, or both; without it, reading alone',
      },
    ],
    toOptions: toClientOptions,
    before: requirePlainName,
    kind: 'short',
    run: createClient,
  },
  {
    name: 'client list',
    onlyReads: true,
    summary: 'list the clients, without their secrets',
    kind: 'short',
    run: listClients,
  },
  {
    name: 'client remove',
    summary: 'remove a client, and refuse its tokens',
    arguments: [{ name: 'id' }],
    kind: 'short',
    run: removeClient,
  },
]
