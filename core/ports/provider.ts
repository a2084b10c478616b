import type { Json } from '../base/json.ts'
import type { Description } from '../describe/description.ts'

/** What is to be true of an identifier at the service that registers it. */
export interface Wanted {
  readonly identifier: string
  /** Value of the concept that its record is a version of, or that it stands for. */
  readonly concept: string
  /** Address that the identifier leads to: the page of a record or of its newest version. */
  readonly target: string
  /** The record as it is told; absent where it is no longer public and the identifier is to be hidden. */
  readonly description?: Description
  /** What the record was, where it is no longer public: all that its tombstone tells is taken of it. */
  readonly tombstone?: Description
}

/** The outcome of bringing what is wanted to the service. */
export type Outcome =
  /** `resolves`: set where an identifier that is hidden leads to its tombstone, for it is there. */
  { readonly is: 'done'; readonly resolves?: true } | Refused | Later | Locked

/** The service will not take it as it is. */
export interface Refused {
  readonly is: 'refused'
  readonly message: string
  /** Field of the document at fault. */
  readonly field?: string
}

/** The service refuses all of ours, as with a wrong password: others need not be tried. */
export interface Locked {
  readonly is: 'locked'
  readonly message: string
  /** What the answer means where the service takes others of ours: this one alone is refused. */
  readonly alone?: Refused | Later
}

/** The service could not be asked, or did not answer clearly. */
export interface Later {
  readonly is: 'later'
  readonly message: string
  /** Set where the service may still carry out what was sent. */
  readonly isUnsure?: true
  /** Milliseconds that the service asks to wait with everything. */
  readonly waitMs?: number
}

/** Something that the service says otherwise. */
export interface Difference {
  /** The service's word for it. */
  readonly field: string
  readonly here: string
  readonly there: string
}

/** A fault that the service would find in a record. */
export interface ProviderFault {
  /** A field of the document. */
  readonly field: string
  readonly message: string
}

/**
 * Makes identifiers of records, and keeps the service that resolves them level with us. `want` and
 * `check` may be called at any time, again and again, by several daemons at once.
 */
export interface Provider {
  /** As `DEPOSIT_PID_MINTER` names it. */
  readonly name: string
  /** The kind of its identifiers, such as `doi`: their key in `pids`. */
  readonly scheme: string
  /** Set where its identifiers mean what is said here: nobody has to be told of them. */
  readonly isLocal?: true
  /**
   * The identifier of a record or a concept: always the same for the same value, another for every
   * other. Nothing is asked or told outside.
   *
   * @param value of the record's or the concept's own identifier
   */
  readonly reserve: (value: string) => string
  /** True for what only this provider makes, whether it is known here or not. */
  readonly isOwn?: (identifier: string) => boolean
  /** Address that resolves an identifier. */
  readonly toUrl: (identifier: string) => string
  /** Never rejects but when `signal` aborts. */
  readonly want: (wanted: Wanted, signal: AbortSignal) => Promise<Outcome>
  /**
   * Compares the service with what is wanted; changes nothing.
   *
   * @param wanted null for an identifier that nothing public has: nobody may find it there
   * @throws {Error} the service could not be asked
   */
  readonly check: (
    identifier: string,
    wanted: Wanted | null,
    signal: AbortSignal,
  ) => Promise<readonly Difference[]>
  /**
   * Another text as soon as that may have changed by which we sign in. Absent where nothing tells.
   */
  readonly credentials?: () => Promise<string>
  /** Finds what the service would refuse or regret, without asking it. */
  readonly findFaults?: (description: Description) => readonly ProviderFault[]
}

/** An answer over HTTP. */
export interface ServiceAnswer {
  readonly status: number
  /** Undefined where it is not JSON. */
  readonly body: Json | undefined
  /** What `Retry-After` asks for. Milliseconds. */
  readonly waitMs?: number
}

/** The calls of DataCite's REST interface that are used, as the repository's account. */
export interface DataciteApi {
  /** @throws {Error} there is no answer; what was asked may be done all the same */
  readonly read: (doi: string, signal: AbortSignal) => Promise<ServiceAnswer>
  readonly put: (doi: string, attributes: object, signal: AbortSignal) => Promise<ServiceAnswer>
  /** @see Provider.credentials */
  readonly credentials?: () => Promise<string>
}
