import { apiPrefix, routes } from '../../core/contract/routes.ts'
import type { TokenRequest } from '../../core/contract/schemas.ts'
import { isNewToken, isTokenList, type NewTokenBody, type TokenBody } from './bodies.ts'
import type { Connection } from './connection.ts'

const path = apiPrefix + routes.tokenList

export function createToken(connection: Connection, wanted: TokenRequest): Promise<NewTokenBody> {
  return connection.json('make a token', isNewToken, { method: 'POST', path, json: wanted })
}

export function listTokens(connection: Connection): Promise<readonly TokenBody[]> {
  return connection.json('list your tokens', isTokenList, { method: 'GET', path })
}

/** It is no good from now on. */
export async function revokeToken(connection: Connection, id: string): Promise<void> {
  const tried = `revoke the token ${id}`
  await connection.text(tried, { method: 'DELETE', path: path + encodeURIComponent(id) })
}
