import { randomUUID } from 'node:crypto'
import { hashSecret, newSecret } from '../identity/secret.ts'
import { listed } from './operator-command.ts'
import type { OperatorCommand, OperatorContext, Options, Outcome } from './operator-command.ts'
import { OperatorFailure } from './operator-failure.ts'
import { parseEmail, parseScopes, requireActive } from './operator-options.ts'

/**
 * `client create`: a program that signs in with a secret of its own, which is shown this once. What
 * it deposits is its owner's.
 *
 * @see RFC 6749 §4.4 (client credentials)
 */
async function createClient(context: OperatorContext, options: Options): Promise<Outcome> {
  const { database, clock } = context
  const { name = '', owner: email } = options
  const owner = requireActive(await database.read.accounts.findByEmail(parseEmail(email)), email)
  const secret = newSecret('client')
  const client = {
    id: randomUUID(),
    name,
    secretHash: hashSecret(secret),
    owner: owner.id,
    scopes: parseScopes(options['scope']),
    created: clock.now(),
  }
  await database.write((unit) => unit.clients.insert(client))
  const notes = [`Client ${name} of ${owner.email}: its id, and its secret on the last line.`]
  const data = { id: client.id, name, owner: owner.email, scope: client.scopes.join(' '), secret }
  return { notes, results: [client.id, secret], data }
}

/** `client list` */
async function listClients({ database }: OperatorContext): Promise<Outcome> {
  const accounts = await database.read.accounts.list()
  const emails = new Map(accounts.map(({ id, email }) => [id, email]))
  const clients = await database.read.clients.list()
  const rows = clients.map(({ id, name, owner, scopes }) => ({
    id,
    name,
    owner: emails.get(owner) ?? owner,
    scope: scopes.join(' '),
  }))
  return listed(rows, ({ id, name, owner, scope }) => [id, name, owner, scope || 'read'])
}

/** `client remove`: its tokens are refused from now on. */
async function removeClient({ database }: OperatorContext, options: Options): Promise<Outcome> {
  const id = options['id'] ?? ''
  const wasThere = await database.write((unit) => unit.clients.remove(id))
  if (!wasThere) throw new OperatorFailure(`There is no client ${id}; see depositd client list.`)
  return { notes: [`Removed ${id}.`], results: [], data: { id, removed: true } }
}

export const clientCommands: readonly OperatorCommand[] = [
  {
    name: 'client create',
    summary: 'create a client, and print its id and its secret',
    arguments: [{ name: 'name' }],
    options: [
      {
        flags: '--owner <email>',
        summary: 'who owns the deposits of the client',
        isRequired: true,
      },
      { flags: '--scope <scopes>', summary: 'deposit:write, deposit:actions, or none to read' },
    ],
    kind: 'short',
    run: createClient,
  },
  {
    name: 'client list',
    summary: 'list the clients, without their secrets',
    kind: 'short',
    run: listClients,
  },
  {
    name: 'client remove',
    summary: 'refuse a client and its tokens from now on',
    arguments: [{ name: 'id' }],
    kind: 'short',
    run: removeClient,
  },
]
