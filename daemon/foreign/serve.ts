import type { FastifyInstance, FastifyRequest } from 'fastify'
import { giveWay } from '../../core/base/turns.ts'
import { authorize, parseJson, problem, type Json } from '../../core/index.ts'
import { resource, type Permit, type Route, type Routes } from '../api/route.ts'
import type { Services } from '../api/services.ts'
import { requestDigest } from '../http/bodies.ts'
import { patchTypes } from '../http/negotiation.ts'
import { findNumbered } from './numbers.ts'

/** A method of another service's interface, which documents it: our API document leaves it out. */
export type ForeignRoute = Pick<Route, 'needs' | 'handler' | 'permit' | 'config'>

/** Registers a resource of another service's interface under each of its addresses. */
export function serve(
  app: FastifyInstance,
  services: Services,
  templates: readonly string[],
  methods: Partial<Record<keyof Routes, ForeignRoute>>,
): void {
  const routes = Object.entries(methods).map(([method, route]) => {
    const described = { id: '', tag: 'service', summary: '', answers: {}, isForeign: true } as const
    return [
      method,
      { permit: permitNumbered(services), takesAnyType: true, ...described, ...route },
    ]
  })
  for (const template of templates) {
    resource(app, services, template, Object.fromEntries(routes) as Routes)
  }
}

/** Asks for the permission on the deposit whose integer the path has. */
function permitNumbered({ parts }: Services): Permit {
  return async ({ caller, params }, intent) => {
    // Without a token the answer does not reveal which depositions exist.
    if (caller === 'anonymous') throw problem('unauthenticated')
    const { id: text } = params as { readonly id: string }
    const named = await findNumbered(parts, text)
    if (named.kind === 'concept') throw problem('deposit_not_found')
    return authorize(parts, caller, named.id, intent)
  }
}

/**
 * Reads every body as JSON, whatever type it is said to be: scripts leave the type out, or name that
 * of forms. No body at all is none. Forms with parts are left to those who receive them.
 */
export function readBodiesAsJson(app: FastifyInstance): void {
  app.removeContentTypeParser([...patchTypes])
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => {
    await giveWay()
    return body.length === 0 ? undefined : parseText(body)
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @throws {DepositError} malformed_json */
function parseText(body: Buffer): Json {
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    throw problem('malformed_json', { reason: 'it is not UTF-8', field: '' })
  }
  return parseJson(text)
}

/** Size and digests of the bytes that follow; MD5 is computed on the way. */
export function incomingBytes(request: FastifyRequest) {
  const length = request.headers['content-length']
  const checksum = requestDigest(request)
  return {
    algorithms: ['md5'],
    ...(length !== undefined && { expectedSize: Number(length) }),
    ...(checksum !== undefined && { checksum }),
  }
}
