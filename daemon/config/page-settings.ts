import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { isMissing } from '../../core/base/errno.ts'
import { isJsonObject } from '../../core/index.ts'
import type { JsonObject } from '../../core/index.ts'
import type { PageIssuer } from '../pages/text/page-data.ts'
import { isLanguage, languages, type Language } from '../pages/text/languages.ts'
import { StartFailure } from '../start-failure.ts'
import type { ConfigFaults } from './faults.ts'

const tags = Object.keys(languages).join('|')

/** `DEPOSIT_RESPONSE_MESSAGES`: the messages of a page after an action, by the action's name. */
export const responseMessages = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Object({ message: Type.String() })]),
)

/** `DEPOSIT_UI_LANGUAGES`: tags with commas between. */
export const uiLanguages = Type.String({
  pattern: `^(?:${tags})(?:,(?:${tags}))*$`,
  wanted: `${Object.keys(languages).join(' or ')}, or several with commas between`,
})

/** Hints for a form by JSON Schema. */
export const form = Type.Refine(
  Type.Unsafe<JsonObject>({}),
  (value) => isJsonObject(value),
  () => 'must be an object',
)

/** `DEPOSIT_FORM_TEMPLATES`, by the path of a deposit schema. */
export const forms = Type.Record(Type.String(), form)

/** The keys that name a file with a template each, and which one it replaces. */
export const templateKeys = {
  DEPOSIT_UI_LAYOUT_TEMPLATE: 'layout',
  DEPOSIT_UI_HOME_TEMPLATE: 'home',
  DEPOSIT_UI_SEARCH_TEMPLATE: 'search',
  DEPOSIT_UI_INDEX_TEMPLATE: 'index',
  DEPOSIT_UI_NEW_TEMPLATE: 'new',
  DEPOSIT_UI_EDIT_TEMPLATE: 'edit',
  DEPOSIT_UI_TOMBSTONE_TEMPLATE: 'tombstone',
  DEPOSIT_UI_RECORD_TEMPLATE: 'record',
  DEPOSIT_UI_PROBLEM_TEMPLATE: 'problem',
} as const satisfies Record<string, TemplateName>

type PageValues = {
  readonly [Key in keyof typeof templateKeys]: string | undefined
} & {
  readonly DEPOSIT_RESPONSE_MESSAGES: Static<typeof responseMessages>
  readonly DEPOSIT_FORM_TEMPLATES: Static<typeof forms>
  readonly DEPOSIT_DEFAULT_SCHEMAFORM: JsonObject | undefined
  readonly DEPOSIT_UI_LANGUAGES: string
  readonly DEPOSIT_ISSUER: string | undefined
  readonly DEPOSIT_ISSUER_AUDIENCE: string | undefined
  readonly DEPOSIT_ISSUER_PAGES_CLIENT: string
}

/**
 * The settings of the pages.
 *
 * @param home where relative paths of templates start
 * @param faults told of the templates that cannot be read, with their keys
 */
export async function readPageSettings(
  values: PageValues,
  home: string,
  faults: ConfigFaults,
): Promise<PageSettings> {
  const { DEPOSIT_DEFAULT_SCHEMAFORM: defaultForm } = values
  const templates: Partial<Record<TemplateName, string>> = {}
  for (const key of Object.keys(templateKeys) as (keyof typeof templateKeys)[]) {
    const path = values[key]
    if (path === undefined) continue
    const text = await faults.of(() => readTemplate(key, home, path))
    if (text !== undefined) templates[templateKeys[key]] = text
  }
  return {
    templates,
    forms: values.DEPOSIT_FORM_TEMPLATES,
    ...(defaultForm && { defaultForm }),
    messages: toMessages(values.DEPOSIT_RESPONSE_MESSAGES),
    languages: toLanguages(values.DEPOSIT_UI_LANGUAGES),
    ...(values.DEPOSIT_ISSUER !== undefined && { issuer: toIssuer(values, values.DEPOSIT_ISSUER) }),
    isSecure: () => false,
  }
}

/** Paths of the templates that the configuration names. */
export function templatePaths(values: PageValues): readonly string[] {
  return (Object.keys(templateKeys) as (keyof typeof templateKeys)[]).flatMap(
    (key) => values[key] ?? [],
  )
}

function toLanguages(value: string): PageSettings['languages'] {
  const [first = 'en', ...others] = new Set(value.split(',').filter(isLanguage))
  return [first, ...others]
}

function toIssuer(values: PageValues, name: string): PageIssuer {
  const { DEPOSIT_ISSUER_AUDIENCE: audience, DEPOSIT_ISSUER_PAGES_CLIENT: client } = values
  return { name, client, ...(audience !== undefined && { audience }) }
}

function toMessages(given: Static<typeof responseMessages>): Readonly<Record<string, string>> {
  const texts = Object.entries(given).map(
    ([action, said]) => [action, typeof said === 'string' ? said : said.message] as const,
  )
  return Object.fromEntries(texts)
}

function reasonOf(error: unknown, path: string): string {
  if (isMissing(error)) return `there is no file ${path}`
  return error instanceof Error ? error.message : String(error)
}

async function readTemplate(key: string, home: string, path: string): Promise<string> {
  try {
    return await readFile(resolve(home, path), 'utf8')
  } catch (error) {
    throw new StartFailure('config', `${key} cannot be read: ${reasonOf(error, path)}`, {
      cause: error,
    })
  }
}

/** The templates an operator can replace, by the last word of their configuration key. */
export type TemplateName =
  | 'layout'
  | 'cards'
  | 'files'
  | 'home'
  | 'search'
  | 'index'
  | 'new'
  | 'edit'
  | 'tombstone'
  | 'record'
  | 'shared'
  | 'problem'

/** The look and texts of the pages: the values of `DEPOSIT_UI_*` and related keys. */
export interface PageSettings {
  /** `DEPOSIT_UI_<NAME>_TEMPLATE`: the text of templates that stand in for the package's own. */
  readonly templates: Partial<Readonly<Record<TemplateName, string>>>
  /** `DEPOSIT_FORM_TEMPLATES`: by the path of a deposit schema, how its form is laid out. */
  readonly forms: Readonly<Record<string, JsonObject>>
  /** `DEPOSIT_DEFAULT_SCHEMAFORM`: the layout for schemas that have none of their own. */
  readonly defaultForm?: JsonObject
  /** `DEPOSIT_RESPONSE_MESSAGES`: the messages after an action, by its name. */
  readonly messages: Readonly<Record<string, string>>
  /** `DEPOSIT_UI_LANGUAGES`: the first one for browsers that prefer none of them. */
  readonly languages: readonly [Language, ...Language[]]
  /** `DEPOSIT_ISSUER` and its kin: where the pages sign people in, when not here. */
  readonly issuer?: PageIssuer
  /** Whether the service is reached by https: then it sends Strict-Transport-Security. */
  readonly isSecure: () => boolean
}

export const defaultPageSettings: PageSettings = {
  templates: {},
  forms: {},
  messages: {},
  languages: ['en'],
  isSecure: () => false,
}

/** `DEPOSIT_PUBLISHER` */
export const publisher = Type.Union([
  Type.String({ minLength: 1 }),
  Type.Object(
    {
      name: Type.String({ minLength: 1 }),
      ror: Type.Optional(Type.String({ pattern: '^https://ror[.]org/0[a-z0-9]{8}$' })),
    },
    { additionalProperties: false },
  ),
])
