import type { Json, JsonObject } from './json.ts'

/** What the daemon says of a page in its `page-data`. @see daemon/pages/page-data.ts */
export interface Page {
  readonly page: 'index' | 'new' | 'edit' | 'signed-in'
  readonly id?: string
  readonly routes: { readonly page: string; readonly deposits: string; readonly uploads: string }
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

/** Reads what the daemon wrote into the document. */
export function readPage(): Page {
  const source = document.getElementById('page-data')?.textContent ?? ''
  // The daemon that made the document made this as well.
  return JSON.parse(source) as Page & Json
}

/** Address of a deposit's page. */
export function pageUrl({ routes }: Page, id: string): string {
  return routes.page.replace('{pid_value}', encodeURIComponent(id))
}
