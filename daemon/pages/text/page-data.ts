import type { JsonObject } from '../../../core/json/json.ts'

/** What the daemon writes into a deposit page for the program that draws it. */
export interface PageData {
  readonly page: 'index' | 'new' | 'edit' | 'signed-in'
  readonly id?: string
  readonly pages: PagePaths
  readonly routes: InterfacePaths
  readonly schemas: readonly SchemaChoice[]
  readonly defaultSchema: string
  readonly forms: Readonly<Record<string, JsonObject>>
  readonly defaultForm?: JsonObject
  readonly messages: Readonly<Record<string, string>>
  /** Who signs people in; the service itself where it is absent. */
  readonly issuer?: PageIssuer
}

/** An issuer of somebody else's, and what the pages are called there. */
export interface PageIssuer {
  /** Its exact name: the URL it is discovered by. */
  readonly name: string
  readonly client: string
  /** What its tokens are asked for; the interface of the service where it is absent. */
  readonly audience?: string
}

/** Where the pages are: paths below the origin, `{pid_value}` for an identifier. */
export interface PagePaths {
  readonly list: string
  readonly new: string
  /** Where the issuer sends a browser back to. */
  readonly signedIn: string
  readonly deposit: string
  readonly record: string
}

/** Routes of the REST interface that a page has no link to; paths as those of {@link PagePaths}. */
export interface InterfacePaths {
  /** Where deposits are searched for and made. */
  readonly list: string
  readonly deposits: string
  readonly uploads: string
  readonly records: string
  /** One revision of a record: `{pid_value}` and `{revision}`. */
  readonly revisions: string
}

/** A schema that a new deposit can follow, with that of the record it is published by. */
export interface SchemaChoice {
  readonly path: string
  readonly record: string
  readonly title: string
  readonly description: string
}
