import { vocabularyKeyword } from '../../core/contract/vocabularies.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/index.ts'
import type { Services } from '../api/services.ts'
import type { PageSettings } from '../config/page-settings.ts'
import type { AdminPart, AdminView, PageData, PagePaths, SchemaChoice } from './text/page-data.ts'
import { translated } from './text/text.ts'
import type { ApiRoutes } from '../config/endpoints.ts'

/** The data for the program of a deposit page: which page it is, and the operator's settings. */
export function toPageData(
  { parts, routes }: Services,
  { forms, defaultForm, messages, issuer }: PageSettings,
  page: PageData['page'],
  id?: string,
): PageData {
  const { schemas, providers } = parts
  const { review } = parts.settings
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
      me: routes.me,
      tokens: routes.tokenList,
      signIns: routes.signInList,
      vocabulary: routes.vocabulary,
    },
    schemas: choices,
    defaultSchema: schemas.defaultPath,
    forms,
    ...(defaultForm && { defaultForm }),
    ...(providers.length > 0 && { reserves: true }),
    ...(review !== 'none' && { review }),
    messages,
    ...(issuer && { issuer }),
  }
}

/** The part of the data that a page for administrators has beside that of all. */
export function toAdminPart({ routes }: Pick<Services, 'routes'>, view: AdminView): AdminPart {
  return {
    view,
    users: routes.adminUsers,
    user: routes.adminUser,
    withdrawals: routes.adminWithdrawals,
    identifiers: routes.adminRefusals,
    invitations: routes.adminInvitations,
    work: routes.adminWork,
    audit: routes.adminAudit,
  }
}

function toChoice(path: string, record: string, schema: JsonObject | undefined): SchemaChoice {
  const { title, description } = schema ?? {}
  return {
    path,
    record,
    title: typeof title === 'string' ? translated(title) : path,
    description: typeof description === 'string' ? translated(description) : '',
    fills: filledBy(schema?.['properties']),
  }
}

/** A schema of an operator may have fields of these names and mean something else. */
function filledBy(properties: Json | undefined): SchemaChoice['fills'] {
  const has = (name: string, keyword: string, value: string): boolean => {
    const field = isJsonObject(properties) ? properties[name] : undefined
    return isJsonObject(field) && field[keyword] === value
  }
  return [
    ...(has('publication_date', 'format', 'partial-date') ? (['publication_date'] as const) : []),
    ...(has('resource_type', vocabularyKeyword, 'resource-types')
      ? (['resource_type'] as const)
      : []),
  ]
}

/** The paths of the pages of an endpoint, and of those that all have in common. */
export function pagePaths(routes: ApiRoutes): PagePaths {
  return {
    list: routes.listPage,
    new: routes.newPage,
    signedIn: routes.signedInPage,
    account: routes.accountPage,
    deposit: routes.depositPage,
    record: routes.recordPage,
    admin: routes.adminPage,
  }
}
