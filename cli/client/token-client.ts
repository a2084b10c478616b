import { advice } from '../advice.ts'
import { apiPrefix, routes } from '../../core/contract/routes.ts'
import type { TokenRequest } from '../../core/contract/token-schemas.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, UsageFailure } from '../failure.ts'
import {
  isNewToken,
  isSignInList,
  isTokenList,
  type NewTokenBody,
  type SignInBody,
  type TokenBody,
} from './bodies.ts'
import type { Connection } from './connection.ts'

const path = apiPrefix + routes.tokenList

export function createToken(connection: Connection, wanted: TokenRequest): Promise<NewTokenBody> {
  return connection.json('make a token', isNewToken, { method: 'POST', path, json: wanted })
}

export function listTokens(connection: Connection): Promise<readonly TokenBody[]> {
  return connection.json('list your tokens', isTokenList, { method: 'GET', path })
}

/** Minimum length of the beginning of an id. */
const leastDigits = 6

/**
 * The whole id of the token that `id` is, or is the beginning of.
 *
 * @throws {Failure} no token begins like this, or several do
 */
export async function findToken(connection: Connection, id: string): Promise<string> {
  const tokens = id.length < leastDigits ? [] : await listTokens(connection)
  const fitting = tokens.filter((token) => token.id.startsWith(id))
  const [first] = fitting
  if (first === undefined) throw unknownToken(id)
  if (fitting.length === 1) return first.id
  throw new UsageFailure({
    tried: `find the token ${id}`,
    said: `several tokens begin with these digits: ${fitting.map((token) => token.id).join(', ')}`,
    next: advice.writeMore(),
  })
}

function unknownToken(id: string): Failure {
  const said = 'none of your tokens has an id that begins like this'
  const next = advice.seeTokens()
  return new Failure(
    { tried: `find the token ${id}`, said, next },
    { exitCode: exitCodes.notFound },
  )
}

const signIns = apiPrefix + routes.signInList

/** Ends all sign-ins of the user, this one too. */
export async function endSignIns(connection: Connection): Promise<void> {
  await connection.text('end all your sign-ins', { method: 'DELETE', path: signIns })
}

/** Where the user is signed in, the newest sign-in first. */
export function listSignIns(connection: Connection): Promise<readonly SignInBody[]> {
  const request = { method: 'GET', path: signIns } as const
  return connection.json('list your sign-ins', isSignInList, request)
}

/**
 * Ends one sign-in of the user.
 *
 * @param id whole, or its beginning
 * @throws {Failure} none begins like this, or several do
 */
export async function endSignIn(connection: Connection, id: string): Promise<SignInBody> {
  const tried = `end the sign-in ${id}`
  const all = id.length < leastDigits ? [] : await listSignIns(connection)
  const [found, other] = all.filter((signIn) => signIn.id.startsWith(id))
  if (found === undefined) {
    const said = 'none of your sign-ins has an id that begins like this'
    const lines = { tried, said, next: advice.seeSignIns() }
    throw new Failure(lines, { exitCode: exitCodes.notFound })
  }
  if (other !== undefined) {
    const said = `several sign-ins begin with these digits: ${found.id}, ${other.id}`
    throw new UsageFailure({ tried, said, next: advice.writeMore() })
  }
  await connection.text(tried, { method: 'DELETE', path: signIns + encodeURIComponent(found.id) })
  return found
}

/** Revokes a token, and those made with it: one that is gone already ended with another one. */
export async function revokeToken(connection: Connection, id: string): Promise<void> {
  const tried = `revoke the token ${id}`
  try {
    await connection.text(tried, { method: 'DELETE', path: path + encodeURIComponent(id) })
  } catch (error) {
    if (!(error instanceof Failure && error.exitCode === exitCodes.notFound)) throw error
  }
}
