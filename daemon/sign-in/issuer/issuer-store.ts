import { randomBytes } from 'node:crypto'
import { errors, type Adapter, type AdapterFactory, type AdapterPayload } from 'oidc-provider'
import type {
  Client,
  ClientUse,
  Clock,
  Database,
  IssuerEntry,
  JsonObject,
} from '../../../core/index.ts'
import { hashSecret } from '../identity/secret.ts'
import { deviceGrant } from './first-party-clients.ts'
import { keepTime } from './keep-time.ts'
import { shortLived } from './short-lived.ts'

interface Stores {
  readonly database: Database
  readonly clock: Clock
}

/**
 * The store of the issuer. The name of a token is the token itself, and it is in the payload
 * once more: the rows get its hash, and nothing else of it.
 */
export function issuerStore({ database, clock }: Stores): AdapterFactory {
  const names = hashedNames()
  return (kind) => {
    if (kind === 'Client') return clients(database)
    const isShort = kind === 'Session' || kind === 'Interaction'
    const isInMemory = isShort && !database.isShared
    const kept = isInMemory ? shortLived(clock) : entries(kind, { database, clock }, names)
    return keepTime(kept, clock)
  }
}

/**
 * Names of entries that were found by another way than their name, which is not known then. Such
 * a name is the hash behind a mark that only this process knows: sent by a client it means nothing.
 */
function hashedNames() {
  const mark = `${randomBytes(32).toString('base64url')}:`
  return {
    toHash: (id: string) => (id.startsWith(mark) ? id.slice(mark.length) : hashSecret(id)),
    fromHash: (hash: string) => mark + hash,
  }
}

function entries(
  kind: string,
  { database, clock }: Stores,
  { toHash, fromHash }: ReturnType<typeof hashedNames>,
): Adapter {
  /** Codes and uids are stored alike: an entry of another kind is not found. */
  const findByOtherName = async (name: string): Promise<AdapterPayload | undefined> => {
    const entry = await database.read.issuer.findByUserCode(hashSecret(name))
    return entry?.kind === kind ? { ...toPayload(entry), jti: fromHash(entry.hash) } : undefined
  }
  /** Seconds since 1970. */
  const endOf = ({ exp }: AdapterPayload, expiresIn = 0): number =>
    exp ?? Math.floor(Date.parse(clock.forward()) / 1000) + expiresIn
  return {
    upsert: async (id, payload, expiresIn) => {
      const entry = toEntry(kind, toHash(id), payload, endOf(payload, expiresIn))
      await database.write(async ({ issuer }) => {
        // A sign-in that ends while it is renewed leaves no token behind.
        if (entry.grant !== undefined && !(await issuer.find('Grant', toHash(entry.grant))))
          throw new errors.InvalidGrant('the sign-in has ended')
        await issuer.put(entry)
      })
    },
    find: async (id) => {
      const entry = await database.read.issuer.find(kind, toHash(id))
      return entry && { ...toPayload(entry), jti: id }
    },
    findByUserCode: async (userCode) => {
      const found = await findByOtherName(userCode)
      return found && { ...found, userCode }
    },
    findByUid: findByOtherName,
    consume: async (id) => {
      const now = Math.floor(Date.parse(clock.forward()) / 1000)
      const isFirst = await database.write((unit) => unit.issuer.consume(kind, toHash(id), now))
      if (!isFirst) throw new errors.InvalidGrant('it was used a moment ago')
    },
    destroy: async (id) => {
      await database.write((unit) => unit.issuer.remove(kind, toHash(id)))
    },
    revokeByGrantId: async (grant) => {
      await database.write(async ({ issuer }) => {
        await issuer.removeGrant(grant)
        await issuer.remove('Grant', toHash(grant))
      })
    },
  }
}

function toEntry(
  kind: string,
  hash: string,
  { jti: _jti, userCode, consumed, ...payload }: AdapterPayload,
  expires: number,
): IssuerEntry {
  const otherName = kind === 'Session' ? payload.uid : userCode
  return {
    kind,
    hash,
    payload: payload as JsonObject,
    ...(payload.grantId === undefined ? {} : { grant: payload.grantId }),
    ...(otherName === undefined ? {} : { userCode: hashSecret(otherName) }),
    ...(typeof consumed === 'number' ? { consumed } : {}),
    expires: new Date(expires * 1000).toISOString(),
  }
}

function toPayload({ payload, consumed }: IssuerEntry): AdapterPayload {
  return { ...payload, ...(consumed === undefined ? {} : { consumed }) }
}

/** External clients; only the operator makes and removes them. */
function clients({ read }: Database): Adapter {
  const none = async (): Promise<undefined> => undefined
  return {
    upsert: none,
    find: async (id) => {
      const client = await read.clients.find(id)
      return client && toMetadata(client)
    },
    findByUserCode: none,
    findByUid: none,
    consume: none,
    destroy: none,
    revokeByGrantId: none,
  }
}

function toMetadata({ id, name, secretHash, scopes, uses, redirectUris }: Client): AdapterPayload {
  const isWeb = redirectUris.every((uri) => uri.startsWith('https:'))
  return {
    client_id: id,
    client_name: name,
    ...(secretHash !== undefined && { client_secret: secretHash }),
    token_endpoint_auth_method: secretHash === undefined ? 'none' : 'client_secret_basic',
    // A native program may be sent back to a scheme of its own, or to http on a loopback address.
    application_type: isWeb ? 'web' : 'native',
    grant_types: [...new Set(uses.flatMap((use) => grants[use]))],
    redirect_uris: [...redirectUris],
    response_types: uses.includes('code') ? ['code'] : [],
    deposit_scopes: scopes.join(' '),
    introspects: uses.includes('introspection'),
  }
}

/** Grant types by the use of a client. */
const grants: Readonly<Record<ClientUse, readonly string[]>> = {
  deposits: ['client_credentials'],
  code: ['authorization_code', 'refresh_token'],
  device: [deviceGrant, 'refresh_token'],
  introspection: [],
}
