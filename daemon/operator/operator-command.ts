import type { Clock, Database, Deposit, PublishedRecord } from '../../core/index.ts'

/** What the operator's commands work on, in the daemon or without it. */
export interface OperatorContext {
  readonly database: Database
  readonly clock: Clock
  /** Where the service is, as its users see it: for links that are handed to them. */
  readonly origin: () => string
  readonly index: KeepIndexed
}

/** Brings the search index level with a deposit that came into sight or went out of it. */
export interface KeepIndexed {
  readonly add: (deposit: Deposit) => Promise<void>
  readonly remove: (deposit: Deposit) => Promise<void>
  /** The same with a record. */
  readonly update: (record: PublishedRecord) => Promise<void>
}

/** Without the daemon there is no index: it is made from the rows when the daemon needs one. */
export const noIndex: KeepIndexed = {
  add: async () => {},
  remove: async () => {},
  update: async () => {},
}

/** Options of a command by name, as they were given. */
export type Options = Readonly<Record<string, string | undefined>>

/** What a command prints: lines for people on standard error, the result on standard output. */
export interface Outcome {
  readonly notes: readonly string[]
  readonly results: readonly string[]
}

/** One of the operator's commands. */
export type Command = (context: OperatorContext, options: Options) => Promise<Outcome>
