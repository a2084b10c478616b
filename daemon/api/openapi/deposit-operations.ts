import { Type } from 'typebox'
import { metadataDocument } from '../../../core/contract/schemas.ts'
import { actionsScope, writeScope } from '../../../core/contract/scopes.ts'
import type { Actions } from '../../../core/index.ts'
import type { ApiRoutes } from '../../config/endpoints.ts'
import { optionsBody, patches } from './bodies.ts'
import type { AnswerHeader, Listed, Operation } from './operation.ts'
import {
  conditionalChange,
  conditionalRead,
  gone,
  json,
  repeatable,
  unchanged,
  validators,
} from './parameters.ts'

/** Deposits, and what is done to one as a whole. */
export function depositOperations(
  routes: ApiRoutes,
  query: NonNullable<Operation['query']>,
): Listed {
  const about = { tag: 'deposits', needs: [writeScope] } as const
  const headers = { ...conditionalChange }
  const item = routes.depositItem
  return [
    [
      `GET ${routes.depositList}`,
      {
        ...about,
        id: 'searchDeposits',
        summary: 'Search deposits',
        needs: [],
        query,
        answerHeaders: ['Link'],
      },
    ],
    [
      `POST ${routes.depositList}`,
      {
        ...about,
        id: 'createDeposit',
        summary: 'Create a draft',
        headers: repeatable,
        body: json(metadataDocument),
        answerHeaders: [...validators, 'Location', 'Link'],
      },
    ],
    [
      `GET ${routes.depositOptions}`,
      {
        ...about,
        id: 'describeSearch',
        summary: 'Tell what a search may ask for',
        needs: [],
        answers: { 200: { description: 'The options.', content: json(optionsBody) } },
      },
    ],
    [
      `GET ${item}`,
      {
        ...about,
        id: 'readDeposit',
        summary: 'Read a deposit',
        needs: [],
        headers: conditionalRead,
        answers: unchanged,
        answerHeaders: [...validators, 'Link'],
      },
    ],
    [
      `PUT ${item}`,
      {
        ...about,
        id: 'replaceDeposit',
        summary: 'Replace the metadata of a draft; an empty document clears it',
        headers,
        body: json(metadataDocument),
        answerHeaders: [...validators, 'Link'],
      },
    ],
    [
      `PATCH ${item}`,
      {
        ...about,
        id: 'patchDeposit',
        summary: 'Change the metadata of a draft by a JSON Patch',
        headers,
        body: patches,
        answerHeaders: [...validators, 'Link'],
      },
    ],
    [
      `DELETE ${item}`,
      {
        ...about,
        id: 'deleteDeposit',
        summary: 'Delete a draft that was never published',
        headers,
        query: {
          force: Type.Optional(
            Type.String({ description: '`false` keeps it for a while: an operator can undelete.' }),
          ),
        },
        answers: gone,
      },
    ],
  ]
}

/** The actions of a deposit: those of the package and of the operator. */
export function actionOperations(routes: ApiRoutes, actions: Actions): Listed {
  const at = (name: string) => routes.depositAction.replace('{action}', name)
  const headers = { ...conditionalChange, ...repeatable }
  const run = Object.entries(actions).map(([name, { summary }]) => {
    const id = `${name}Deposit`
    const needs = [actionsScope] as const
    const answers: readonly AnswerHeader[] = [...validators, 'Location', 'Link']
    const operation = {
      id,
      tag: 'actions',
      summary,
      needs,
      headers,
      answerHeaders: answers,
    } as const
    return [`POST ${at(name)}`, operation] as const
  })
  const rehearsal = {
    id: 'rehearsePublish',
    tag: 'actions',
    summary: 'List everything that keeps it from being published, without doing anything',
    needs: [],
  } as const
  return [...run, [`GET ${at('publish')}`, rehearsal]]
}
