import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifyReply, FastifySchema, RouteOptions } from 'fastify'
import { Type, type TSchema } from 'typebox'
import { resource, type Operation } from '../../http/route.ts'
import { hoistSchemas, keepNames } from './hoist-schemas.ts'
import { answerHeaders, tags, type AnswerHeader } from './operation.ts'
import { anyObject, json, pathParameters, prettyprint } from './parameters.ts'
import { refusalsOf, toRefusal } from './refusals.ts'
import { signInPaths } from './sign-in-paths.ts'

export interface DocumentOptions {
  readonly version: string
  readonly origin: () => string
  /** Whose tokens the service takes. */
  readonly issuer: () => string
  /** Whether that is the embedded issuer, whose endpoints are described then. */
  readonly hasIssuer: boolean
}

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>

/** Describes the routes that are registered from now on, each as it says itself. */
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
        description:
          'Keeps drafts of records with their files, and publishes them. Changes of this document ' +
          'only add. Every error, of whatever status, is a `Problem`. A reference to read is at `/docs`.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: { securitySchemes: securitySchemesOf('') },
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    },
    // Those that stand beside a GET have no operation of their own, and are left out.
    exposeHeadRoutes: true,
    transform: ({ url, route }) => describe(url, route),
    transformObject: (document) =>
      hoistSchemas('openapiObject' in document ? document.openapiObject : document.swaggerObject),
  })
}

/** Serves the document. */
export function serveDocument(
  api: FastifyInstance,
  { origin, issuer, hasIssuer }: DocumentOptions,
): void {
  resource(api, '/openapi.json', {
    GET: {
      operation: {
        id: 'readApiDocument',
        tag: 'service',
        summary: 'Read this document',
        needs: 'nothing',
        scopes: 'public',
        answers: { 200: { description: 'The document.', content: json(anyObject) } },
      },
      handler: (_request, reply) => sendDocument(reply),
    },
  })

  let known = { url: '', text: '' }
  function sendDocument(reply: FastifyReply): FastifyReply {
    const url = origin()
    if (known.url === url && !reply.isIndented) {
      return reply.type('application/json; charset=utf-8').send(known.text)
    }
    const made = api.swagger() as unknown as {
      readonly components?: object
      readonly paths?: Paths
    }
    const components = { ...made.components, securitySchemes: securitySchemesOf(issuer()) }
    const paths = { ...withOptions(made.paths ?? {}), ...(hasIssuer && signInPaths) }
    const document = { ...made, servers: [{ url }], components, paths }
    if (reply.isIndented) return reply.send(document)
    known = { url, text: JSON.stringify(document) }
    return reply.type('application/json; charset=utf-8').send(known.text)
  }
}

/** Every resource tells its methods. */
function withOptions(paths: Paths): object {
  const described = Object.entries(paths).map(([path, methods]) => {
    const [first] = Object.values(methods)
    if (!first) return [path, methods]
    const summary = 'Tell which methods this resource has'
    const options = {
      operationId: `methodsOf${first.operationId.replace(/^./, (letter) => letter.toUpperCase())}`,
      tags: ['service'],
      summary,
      description: `${summary}, by the header Allow. No token is needed.`,
      security: [],
      parameters: pathParametersOf(path),
      responses: {
        204: {
          description: 'They are in `Allow`.',
          headers: { Allow: { schema: { type: 'string' } } },
        },
        400: {
          description: 'The request cannot be read.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    }
    return [path, { ...methods, options }]
  })
  return Object.fromEntries(described) as object
}

function pathParametersOf(path: string): readonly object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathParameters[name] ?? name,
    schema: { type: 'string' },
  }))
}

function securitySchemesOf(issuer: string) {
  return {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'A token of `POST /api/tokens`, or of the issuer.',
    },
    signIn: {
      type: 'openIdConnect',
      openIdConnectUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
      description: 'The device flow, or the code flow with PKCE.',
    },
  } as const
}

function toTemplate(url: string): string {
  return url.replace('*', '{key}').replaceAll(/:(\w+)/g, '{$1}')
}

function describe(
  url: string,
  { method, config: { operation } = {} }: RouteOptions,
): { schema: FastifySchema; url: string } {
  if (operation?.method !== method || operation.isForeign) return { schema: { hide: true }, url }
  const { id, tag, summary, query, headers, body } = operation
  return {
    url: url.replace('*', ':key'),
    schema: {
      operationId: id,
      tags: [tag],
      summary,
      security: securityOf(operation),
      description: descriptionOf(operation),
      params: paramsOf(url),
      querystring: Type.Object({ ...query, ...prettyprint }),
      ...(headers && { headers: Type.Object({ ...headers }) }),
      ...(body && { body: { content: contentOf(body) } }),
      response: answersOf(operation, url),
    },
  }
}

/** The scopes that a token must have, for both ways of getting one. */
function securityOf({ scopes, optionalToken = false }: Operation): Record<string, string[]>[] {
  if (scopes === 'public' && !optionalToken) return []
  const named = scopes === 'public' ? [] : [...scopes]
  return [{ signIn: named }, { bearer: [] }, ...(optionalToken ? [{}] : [])]
}

function descriptionOf({ summary, scopes, optionalToken, details = '' }: Operation): string {
  const who = optionalToken
    ? 'No token is needed for what is public.'
    : scopes === 'public'
      ? 'No token is needed.'
      : scopes.map((scope) => `Needs a token with the scope \`${scope}\`.`).join(' ') ||
        'Needs a token; any scope will do.'
  return [`${summary}.`, details, who].filter(Boolean).join(' ')
}

function paramsOf(url: string): TSchema {
  const names = [...toTemplate(url).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const described = (name: string) => Type.String({ description: pathParameters[name] ?? name })
  return Type.Object(Object.fromEntries(names.map((name) => [name, described(name)])))
}

function contentOf(bodies: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(bodies).map(([type, schema]) => [type, { schema: keepNames(schema) }]),
  )
}

/** The answers that succeed, and the problems that may be met. */
function answersOf(operation: Operation, url: string) {
  const { answers, answerHeaders: names = [] } = operation
  const headers = Object.fromEntries(
    names.map((name) => [
      name,
      { description: answerHeaders[name as AnswerHeader], type: 'string' },
    ]),
  )
  return {
    ...Object.fromEntries(
      Object.entries(answers).map(([status, { description, content }]) => [
        status,
        { description, headers, ...(content && { content: contentOf(content) }) },
      ]),
    ),
    ...Object.fromEntries(refusalsOf(operation, url).map((status) => [status, toRefusal(status)])),
  }
}
