import type { JsonObject } from '../../core/index.ts'
import type { Services } from '../api/services.ts'
import { pagePaths } from './page-paths.ts'
import type { PageSettings } from '../config/page-looks.ts'
import type { PageData, SchemaChoice } from './text/page-data.ts'

/** What the program of a deposit page is told: which page it is, and what the operator has set. */
export function toPageData(
  { parts, routes }: Services,
  { forms, defaultForm, messages, issuer }: PageSettings,
  page: PageData['page'],
  id?: string,
): PageData {
  const { schemas } = parts
  const choices = schemas.depositPaths.flatMap((path) => {
    const record = schemas.recordSchemaOf(path)
    return record === null ? [] : [toChoice(path, record, schemas.find(record))]
  })
  return {
    page,
    ...(id !== undefined && { id }),
    pages: pagePaths(routes),
    routes: {
      list: routes.depositList,
      deposits: routes.depositItem,
      uploads: routes.uploadList,
      records: routes.recordItem,
      revisions: routes.revisionItem,
    },
    schemas: choices,
    defaultSchema: schemas.defaultPath,
    forms,
    ...(defaultForm && { defaultForm }),
    messages,
    ...(issuer && { issuer }),
  }
}

function toChoice(path: string, record: string, schema: JsonObject | undefined): SchemaChoice {
  const { title, description } = schema ?? {}
  return {
    path,
    record,
    title: typeof title === 'string' ? title : path,
    description: typeof description === 'string' ? description : '',
  }
}
