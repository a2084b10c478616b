import type { JsonObject } from '../../core/index.ts'
import type { Services } from '../routes/services.ts'
import type { PageSettings } from './settings.ts'

/** What a deposit page tells its program: which page it is and what the operator has set. */
export interface PageData {
  readonly page: 'index' | 'new' | 'edit' | 'signed-in'
  readonly id?: string
  /** Paths below the origin, in the notation of the specification. */
  readonly routes: {
    readonly page: string
    readonly deposits: string
    readonly uploads: string
  }
  readonly schemas: readonly SchemaChoice[]
  readonly defaultSchema: string
  readonly forms: Readonly<Record<string, JsonObject>>
  readonly defaultForm?: JsonObject
  readonly messages: Readonly<Record<string, string>>
}

/** A schema that a new deposit can follow, with that of the record it is published by. */
export interface SchemaChoice {
  readonly path: string
  readonly record: string
  readonly title: string
  readonly description: string
}

export function toPageData(
  { parts, routes }: Services,
  { depositRoute, forms, defaultForm, messages }: PageSettings,
  page: PageData['page'],
  id?: string,
): PageData {
  const { schemas, settings } = parts
  const choices = schemas.paths.flatMap((path) => {
    const record = schemas.recordSchemaOf(path)
    return record === null ? [] : [toChoice(path, record, schemas.find(record))]
  })
  return {
    page,
    ...(id !== undefined && { id }),
    routes: {
      page: depositRoute,
      deposits: routes.depositItem,
      uploads: routes.uploadList,
    },
    schemas: choices,
    defaultSchema: settings.defaultSchema,
    forms,
    ...(defaultForm && { defaultForm }),
    messages,
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
