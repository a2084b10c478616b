import type { UserId } from '../access/caller.ts'

/** The answer to a request with an idempotency key. */
export interface RememberedAnswer {
  readonly user: UserId
  /** Chosen by the client; it stands for one request of the user's. */
  readonly key: string
  /** Tells the request apart from any other: the same text for the same request alone. */
  readonly request: string
  /** All that the caller needs to give the answer again. */
  readonly answer: string
  /** ISO 8601, UTC. */
  readonly created: string
}

export interface AnswerReader {
  readonly find: (user: UserId, key: string) => Promise<RememberedAnswer | undefined>
  /** When the oldest answer of a user was given; of very many, when one of the oldest was. */
  readonly oldest: (user: UserId) => Promise<string | undefined>
}

export interface AnswerWriter extends AnswerReader {
  /**
   * Takes the place of an answer under the same key that is no later than `since`.
   *
   * @returns false if there is a later one, which stays
   */
  readonly put: (answer: RememberedAnswer, since: string) => Promise<boolean>
  readonly removeBefore: (time: string) => Promise<void>
  /** The same of one user. @returns the bytes of the answers that went */
  readonly removeOf: (user: UserId, before: string) => Promise<number>
}
