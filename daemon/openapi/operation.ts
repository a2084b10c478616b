import type { TSchema } from 'typebox'
import type { Scope } from '../../core/contract/scopes.ts'

/** What the API document says of a method of a route beside the schemas that the route has. */
export interface Operation {
  /** Unique; what clients made from the document call it. */
  readonly id: string
  readonly tag: 'deposits' | 'actions' | 'files' | 'uploads' | 'records' | 'tokens' | 'service'
  /** In the imperative. */
  readonly summary: string
  /** Scopes the token must have; `public` where no token is needed. */
  readonly needs: 'public' | readonly Scope[]
  readonly query?: Readonly<Record<string, TSchema>>
  readonly headers?: Readonly<Record<string, TSchema>>
  /** Of the request, by media type. */
  readonly body?: Readonly<Record<string, TSchema>>
  /** Beside the answers that the route has a schema for: what they are, with their bodies. */
  readonly answers?: Readonly<Record<number, AnswerOf>>
  /** Headers of every answer that succeeds. */
  readonly answerHeaders?: readonly AnswerHeader[]
}

/** An answer: in words, with its bodies by media type where it has one. */
export interface AnswerOf {
  readonly description: string
  readonly content?: Readonly<Record<string, TSchema>>
}

export type AnswerHeader = keyof typeof answerHeaders

/** Headers of answers, with what they say. */
export const answerHeaders = {
  ETag: 'Entity tag, for If-Match and If-None-Match.',
  'Last-Modified': 'When this was changed last.',
  Link: 'The same links as in the body (RFC 8288).',
  Location: 'URL of what was made or done.',
  'Deposit-Revision': 'Revision that the change has brought the deposit to.',
  'Upload-Offset': 'Bytes that have arrived.',
} as const

/** Operations with the `METHOD route` each is for. */
export type Listed = readonly (readonly [string, Operation])[]
