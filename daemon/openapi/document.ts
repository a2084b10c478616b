import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifyReply, FastifySchema, RouteOptions } from 'fastify'
import { Type, type TSchema } from 'typebox'
import { problemBody } from '../../core/contract/schemas.ts'
import type { Scope } from '../../core/contract/scopes.ts'
import { resource } from '../http/resource.ts'
import { hoistSchemas } from './hoist-schemas.ts'
import { answerHeaders, type AnswerOf, type Operation } from './operation.ts'
import type { Operations } from './operations.ts'
import { prettyprint } from './parameters.ts'

export interface DocumentOptions {
  readonly operations: Operations
  readonly version: string
  readonly origin: () => string
}

/**
 * Describes the routes that are registered from now on, in an OpenAPI document that is made of the
 * schemas they have. Everything in `api` must have its operation: a route without one is refused.
 */
export async function documentRoutes(
  app: FastifyInstance,
  options: DocumentOptions,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'deposit',
        version: options.version,
        description: 'Keeps drafts of records with their files, and publishes them.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    // Those that stand beside a GET have no operation of their own, and are left out.
    exposeHeadRoutes: true,
    transform: ({ schema, url, route }) => describe(options.operations, schema, url, route),
    transformObject: (document) =>
      hoistSchemas('openapiObject' in document ? document.openapiObject : document.swaggerObject),
  })
}

/** Demands an operation for each route of `api`, and serves the document. */
export function requireOperations(
  api: FastifyInstance,
  { operations, origin }: DocumentOptions,
): void {
  api.addHook('onRoute', ({ method, url, schema }) => {
    const methods = [method].flat().filter((name) => name !== 'HEAD' && name !== 'OPTIONS')
    if (schema?.hide) return
    const missing = methods.find((name) => !operations.has(keyOf(name, url)))
    if (missing) throw new Error(`daemon/openapi has no operation for ${keyOf(missing, url)}`)
  })
  resource(api, '/openapi.json', { GET: { handler: (_request, reply) => sendDocument(reply) } })

  let known = { url: '', text: Buffer.of() }
  function sendDocument(reply: FastifyReply): FastifyReply {
    const url = origin()
    const document = { ...api.swagger(), servers: [{ url }] }
    if (reply.isIndented) return reply.send(document)
    if (known.url !== url) known = { url, text: Buffer.from(JSON.stringify(document)) }
    return reply.type('application/json; charset=utf-8').send(known.text)
  }
}

/** The route as the table of operations names it. */
function keyOf(method: string, url: string): string {
  return `${method} ${toTemplate(url)}`
}

function toTemplate(url: string): string {
  return url.replace('*', '{key}').replaceAll(/:(\w+)/g, '{$1}')
}

function describe(
  operations: Operations,
  schema: FastifySchema,
  url: string,
  { method }: RouteOptions,
): { schema: FastifySchema; url: string } {
  const operation = operations.get(keyOf([method].flat().join(), url))
  if (!operation) return { schema: { hide: true }, url }
  const { id, tag, summary, needs, query, headers, body } = operation
  const given = typeof schema?.body === 'object' ? { 'application/json': schema.body } : body
  return {
    url: url.replace('*', ':key'),
    schema: {
      operationId: id,
      tags: [tag],
      summary,
      security: needs === 'public' ? [] : [{ bearer: [...needs] }],
      ...(needs !== 'public' && needs.length > 0 && { description: scopeNote(needs) }),
      params: paramsOf(url),
      querystring: Type.Object({ ...query, ...prettyprint }),
      ...(headers && { headers: Type.Object({ ...headers }) }),
      ...(given && { body: { content: contentOf(given) } }),
      response: answersOf(operation, schema),
    },
  }
}

function scopeNote(needs: readonly Scope[]): string {
  return needs.map((scope) => `Needs the scope \`${scope}\`.`).join(' ')
}

function paramsOf(url: string): TSchema {
  const names = [...toTemplate(url).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return Type.Object(Object.fromEntries(names.map((name) => [name, Type.String()])))
}

function contentOf(bodies: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(bodies).map(([type, schema]) => [type, { schema }]))
}

/** The answers that succeed, and one problem for all that fail. */
function answersOf({ answers = {}, answerHeaders: names = [] }: Operation, schema: FastifySchema) {
  const ofRoute = Object.entries((schema?.response ?? {}) as Record<string, TSchema>).map(
    ([status, body]): [string, AnswerOf] => [
      status,
      { description: 'Done.', content: { 'application/json': body } },
    ],
  )
  const headers = Object.fromEntries(
    names.map((name) => [name, { description: answerHeaders[name], type: 'string' }]),
  )
  const all: Readonly<Record<string, AnswerOf>> = { ...Object.fromEntries(ofRoute), ...answers }
  return {
    ...Object.fromEntries(
      Object.entries(all).map(([status, { description, content }]) => [
        status,
        { description, headers, ...(content && { content: contentOf(content) }) },
      ]),
    ),
    default: { description: 'A problem.', content: contentOf({ 'application/json': problemBody }) },
  }
}
