import { apiPrefix, routes } from '../../core/contract/routes.ts'
import type { TokenRequest } from '../../core/contract/schemas.ts'
import { UsageFailure } from '../failure.ts'
import { isNewToken, isTokenList, type NewTokenBody, type TokenBody } from './bodies.ts'
import type { Connection } from './connection.ts'

const path = apiPrefix + routes.tokenList

export function createToken(connection: Connection, wanted: TokenRequest): Promise<NewTokenBody> {
  return connection.json('make a token', isNewToken, { method: 'POST', path, json: wanted })
}

export function listTokens(connection: Connection): Promise<readonly TokenBody[]> {
  return connection.json('list your tokens', isTokenList, { method: 'GET', path })
}

/**
 * The whole id of the token that `id` is the beginning of. What fits none stays as it is: the
 * server says so.
 *
 * @throws {UsageFailure} several tokens begin like this
 */
export async function findToken(connection: Connection, id: string): Promise<string> {
  if (!/^[0-9a-f][0-9a-f-]{5,34}$/.test(id)) return id
  const fitting = (await listTokens(connection)).filter((token) => token.id.startsWith(id))
  if (fitting.length < 2) return fitting[0]?.id ?? id
  throw new UsageFailure({
    tried: `find the token ${id}`,
    said: `several begin like this: ${fitting.map((token) => token.id).join(', ')}`,
    next: 'write more of the id',
  })
}

/** It is no good from now on. */
export async function revokeToken(connection: Connection, id: string): Promise<void> {
  const tried = `revoke the token ${id}`
  await connection.text(tried, { method: 'DELETE', path: path + encodeURIComponent(id) })
}
