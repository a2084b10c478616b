import { randomUUID } from 'node:crypto'
import { hashSecret, newSecret } from '../identity/secret.ts'
import type { OperatorContext, Options, Outcome } from './operator-command.ts'
import { OperatorFailure } from './operator-failure.ts'
import { parseEmail, parseScopes, requireActive } from './operator-options.ts'

/**
 * `client create`: a program that signs in with a secret of its own, which is shown this once. What
 * it deposits is its owner's.
 *
 * @see RFC 6749 §4.4 (client credentials)
 */
export async function createClient(context: OperatorContext, options: Options): Promise<Outcome> {
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
  return { notes, results: [client.id, secret] }
}

/** `client list` */
export async function listClients({ database }: OperatorContext): Promise<Outcome> {
  const accounts = await database.read.accounts.list()
  const emails = new Map(accounts.map(({ id, email }) => [id, email]))
  const clients = await database.read.clients.list()
  const results = clients.map(({ id, name, owner, scopes }) =>
    [id, name, emails.get(owner) ?? owner, scopes.join(' ') || 'read'].join('\t'),
  )
  return { notes: [], results }
}

/** `client remove`: its tokens are refused from now on. */
export async function removeClient(
  { database }: OperatorContext,
  options: Options,
): Promise<Outcome> {
  const id = options['id'] ?? ''
  const wasThere = await database.write((unit) => unit.clients.remove(id))
  if (!wasThere) throw new OperatorFailure(`There is no client ${id}; see depositd client list.`)
  return { notes: [`Removed ${id}.`], results: [] }
}
