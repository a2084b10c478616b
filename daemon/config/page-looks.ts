import type { JsonObject } from '../../core/index.ts'
import type { PageIssuer } from '../pages/text/page-data.ts'

/** The templates an operator can replace, by the last word of their configuration key. */
export type TemplateName = 'layout' | 'index' | 'new' | 'edit' | 'tombstone' | 'record' | 'problem'

/** How the pages look and what they say: what `DEPOSIT_UI_*` and its kin come to. */
export interface PageSettings {
  /** `DEPOSIT_UI_<NAME>_TEMPLATE`: the text of templates that stand in for the package's own. */
  readonly templates: Partial<Readonly<Record<TemplateName, string>>>
  /** `DEPOSIT_FORM_TEMPLATES`: by the path of a deposit schema, how its form is laid out. */
  readonly forms: Readonly<Record<string, JsonObject>>
  /** `DEPOSIT_DEFAULT_SCHEMAFORM`: the layout for schemas that have none of their own. */
  readonly defaultForm?: JsonObject
  /** `DEPOSIT_RESPONSE_MESSAGES`: what is said after an action, by its name. */
  readonly messages: Readonly<Record<string, string>>
  /** `DEPOSIT_ISSUER` and its kin: where the pages sign people in, when not here. */
  readonly issuer?: PageIssuer
  /** Whether the service is reached by https: then browsers are told to stay with it. */
  readonly isSecure: () => boolean
}

export const defaultPageSettings: PageSettings = {
  templates: {},
  forms: {},
  messages: {},
  isSecure: () => false,
}
