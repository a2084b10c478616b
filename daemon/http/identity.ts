import type { User } from '../../core/index.ts'

/** The caller and the token of a request. */
export interface Identified extends User {
  readonly token: {
    readonly name: string
    /** Of a personal token: the id by which it is listed and revoked. */
    readonly id?: string
    /** Of the issuer: the id by which the sign-in is listed and ended. */
    readonly signIn?: string
    /** A person has signed in to a program of ours with it, a short while ago. */
    readonly isSignIn?: boolean
  }
  /** Scopes of the sign-in behind the token: `openid`, `email`, … */
  readonly signInScopes?: ReadonlySet<string>
  /** ISO 8601, UTC; absent where the token does not expire. */
  readonly expires?: string
}

/** Finds the user of an access token: the port of every way to sign in. */
export interface Identity {
  /**
   * Undefined where the token is unknown, expired or revoked, or its user disabled.
   *
   * @param network that the token came from; see `networkOf`
   */
  readonly identify: (token: string, network: string) => Promise<Identified | undefined>
}
