import { Type } from 'typebox'
import { schemasPrefix } from '../../../core/contract/routes.ts'
import type { ApiRoutes } from '../../config/endpoints.ts'
import { anyObject, meBody, readyBody, schemaListBody } from './bodies.ts'
import type { Listed } from './operation.ts'
import { conditionalRead, json, unchanged } from './parameters.ts'

/** Operations of the service itself: tokens, schemas, health. */
export function serviceOperations(routes: ApiRoutes): Listed {
  const about = { tag: 'service', needs: 'public' } as const
  const tokens = { tag: 'tokens', needs: [] } as const
  return [
    [`GET ${routes.tokenList}`, { ...tokens, id: 'listTokens', summary: 'List one’s own tokens' }],
    [`POST ${routes.tokenList}`, { ...tokens, id: 'createToken', summary: 'Create a token' }],
    [
      `DELETE ${routes.tokenList}/{id}`,
      {
        ...tokens,
        id: 'revokeToken',
        summary: 'Revoke a token',
        answers: { 204: { description: 'It is refused from now on.' } },
      },
    ],
    [
      `GET ${routes.index}`,
      {
        ...about,
        id: 'listEndpoints',
        summary: 'List the endpoints: kinds of deposits, with the templates of their addresses',
      },
    ],
    [
      `GET ${routes.me}`,
      {
        ...tokens,
        id: 'readMe',
        summary: 'Tell who the token stands for',
        answers: { 200: { description: 'The user.', content: json(meBody) } },
      },
    ],
    [
      `GET ${schemasPrefix}`,
      {
        ...about,
        id: 'listSchemas',
        summary: 'List the JSON Schemas',
        answers: { 200: { description: 'Their URLs.', content: json(schemaListBody) } },
      },
    ],
    [
      `GET ${schemasPrefix}{key}`,
      {
        ...about,
        id: 'readSchema',
        summary: 'Read a JSON Schema',
        headers: conditionalRead,
        answers: {
          200: {
            description: 'The schema.',
            content: { 'application/schema+json': anyObject },
          },
          ...unchanged,
        },
        answerHeaders: ['ETag'],
      },
    ],
    [`GET ${routes.health}`, { ...about, id: 'readHealth', summary: 'Tell how the service is' }],
    [
      'GET /ready',
      {
        ...about,
        id: 'readReadiness',
        summary: 'Tell whether the service can take work',
        answers: { 200: { description: 'It can.', content: json(readyBody) } },
      },
    ],
    [
      'GET /metrics',
      {
        ...about,
        id: 'readMetrics',
        summary: 'Tell how the service fares, in the format of Prometheus',
        answers: { 200: { description: 'The metrics.', content: { 'text/plain': Type.String() } } },
      },
    ],
    [
      'GET /openapi.json',
      {
        ...about,
        id: 'readApiDocument',
        summary: 'Read this document',
        answers: { 200: { description: 'The document.', content: json(anyObject) } },
      },
    ],
  ]
}
