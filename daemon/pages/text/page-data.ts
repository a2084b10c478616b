import type { JsonObject } from '../../../core/base/json.ts'

/** The data that the daemon writes into a deposit page for the program that draws it. */
export interface PageData {
  readonly page: 'index' | 'new' | 'edit' | 'signed-in' | 'account' | 'admin'
  readonly id?: string
  /** Set where the page was opened by a link: its cookie stands in for a sign-in. */
  readonly isByLink?: true
  readonly pages: PagePaths
  readonly routes: InterfacePaths
  readonly schemas: readonly SchemaChoice[]
  readonly defaultSchema: string
  readonly forms: Readonly<Record<string, JsonObject>>
  readonly defaultForm?: JsonObject
  /** Set where drafts can reserve the identifiers, such as DOIs, that their records will have. */
  readonly reserves?: true
  /** Set where drafts are submitted to reviewers. */
  readonly review?: 'optional' | 'required'
  /** Set on the pages for administrators. */
  readonly admin?: AdminPart
  readonly messages: Readonly<Record<string, string>>
  /** The issuer that signs people in; the service itself if absent. */
  readonly issuer?: PageIssuer
}

/** The pages for administrators; the first is shown where the address names none. */
export const adminViews = [
  'users',
  'work',
  'deposits',
  'reviews',
  'invitations',
  'withdrawals',
  'identifiers',
  'audit',
] as const

export type AdminView = (typeof adminViews)[number]

/** One of the pages for administrators, and the routes that they alone need. */
export interface AdminPart {
  readonly view: AdminView
  readonly users: string
  /** One of them: `{id}`. */
  readonly user: string
  readonly withdrawals: string
  readonly identifiers: string
  readonly invitations: string
  readonly work: string
  readonly audit: string
}

/** An external issuer, and the client id of the pages there. */
export interface PageIssuer {
  /** Its exact name: the URL it is discovered by. */
  readonly name: string
  readonly client: string
  /** The audience of its tokens; the interface of the service if absent. */
  readonly audience?: string
}

/** Paths of the pages below the origin, with `{pid_value}` for an identifier. */
export interface PagePaths {
  readonly list: string
  readonly new: string
  /** The page the issuer sends a browser back to. */
  readonly signedIn: string
  readonly account: string
  readonly deposit: string
  readonly record: string
  readonly admin: string
}

/** Routes of the REST interface that a page has no link to; paths as those of {@link PagePaths}. */
export interface InterfacePaths {
  /** The collection: search and create. */
  readonly list: string
  readonly deposits: string
  readonly uploads: string
  readonly records: string
  /** One revision of a record: `{pid_value}` and `{revision}`. */
  readonly revisions: string
  /** Who is signed in. */
  readonly me: string
  /** Personal tokens. */
  readonly tokens: string
  /** Where the person is signed in. */
  readonly signIns: string
  /** The terms of a vocabulary: `{name}`. */
  readonly vocabulary: string
}

/** A schema that a new deposit can follow, with that of the record it is published by. */
export interface SchemaChoice {
  readonly path: string
  readonly record: string
  readonly title: string
  readonly description: string
  /** Fields of a new deposit that the page fills in, where the schema has them. */
  readonly fills: readonly FilledField[]
}

/** The day, and a data set: what most deposits say, shown and changed in the form. */
export type FilledField = 'publication_date' | 'resource_type'
