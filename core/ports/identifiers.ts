import type { DepositId } from '../pid/deposit-pid.ts'

/**
 * Statuses of an identifier at its provider. `reserved`: known here alone. `pending`: on its way.
 * `refused`: the provider has a fault to find, until it is mended and tried again. `hidden`: it
 * resolves, and is found by nobody.
 */
export const identifierStatuses = [
  'reserved',
  'pending',
  'registered',
  'refused',
  'hidden',
] as const
export type IdentifierStatus = (typeof identifierStatuses)[number]

/** An identifier from a provider, such as a DOI. */
export interface ProvidedIdentifier {
  readonly value: string
  /** Name of the provider. */
  readonly provider: string
  /** The key in `pids`, such as `doi`. */
  readonly scheme: string
  /** Address that resolves it. */
  readonly url: string
  readonly of: 'record' | 'concept'
  /** Value of the record's or concept's own identifier. */
  readonly subject: string
  /** The deposit of the record; of a concept the first one. */
  readonly deposit: DepositId
  readonly status: IdentifierStatus
  /** Why it is refused, or is still on its way. */
  readonly message?: string
  /** Field of the document that the message is about. */
  readonly field?: string
  /** When it was registered first. ISO 8601, UTC. */
  readonly registered?: string
}

/** A new identifier. */
export type NewIdentifier = Omit<ProvidedIdentifier, 'status' | 'message' | 'field' | 'registered'>

/** The right of one worker to bring an identifier to its provider. */
export interface Lease {
  /** Of the worker. */
  readonly holder: string
  /** ISO 8601, UTC. */
  readonly now: string
  /** When it ends, if it is not given back. */
  readonly until: string
}

/** What is wanted of an identifier, taken by a worker. */
export interface Errand {
  readonly identifier: ProvidedIdentifier
  /** Another number as soon as something else may be wanted. */
  readonly change: number
  /** Failures since the last success. */
  readonly attempts: number
  /** Set where an earlier attempt may still be carried out: it is sent once more later. */
  readonly isUnsure: boolean
}

/** The end of an errand. */
export interface Settled {
  readonly value: string
  readonly holder: string
  readonly change: number
  readonly now: string
  /** Absent where it remains as it was. */
  readonly status?: IdentifierStatus
  /** Set where an identifier that is hidden is at its provider, perhaps from the start. */
  readonly resolves?: true
  readonly message?: string
  readonly field?: string
  /** When it is to be tried again, and after how many failures; absent where it is done. */
  readonly again?: { readonly due: string; readonly attempts: number; readonly isUnsure: boolean }
}

/** Why nothing is sent to a provider. */
export interface Pause {
  readonly provider: string
  /** `restored`: until `doi check` was run. `locked`: the provider refuses our credentials. */
  readonly reason: 'restored' | 'locked'
  readonly message: string
  readonly since: string
  /** When one errand is tried; absent where it waits for the operator. */
  readonly until?: string
}

/**
 * Times that are too far away were written under a wrong clock, and count as past. ISO 8601, UTC.
 */
export interface Horizon {
  /** The latest time to which something may be put off. */
  readonly latest: string
  /** The latest end of a lease, and the latest time for what did not fail yet. */
  readonly soon: string
}

export interface DueRequest extends Horizon {
  readonly now: string
  readonly providers: readonly string[]
  readonly limit: number
}

export interface IdentifierReader {
  readonly find: (value: string) => Promise<ProvidedIdentifier | undefined>
  /** The identifiers of the records of deposits, reserved ones too. */
  readonly ofDeposits: (
    deposits: readonly DepositId[],
  ) => Promise<ReadonlyMap<DepositId, readonly ProvidedIdentifier[]>>
  /** The identifiers of records and concepts, by the value of these. */
  readonly ofSubjects: (
    values: readonly string[],
  ) => Promise<ReadonlyMap<string, readonly ProvidedIdentifier[]>>
  /** In the order of values. */
  readonly list: (request: {
    readonly after: string
    readonly limit: number
    readonly status?: IdentifierStatus
  }) => Promise<readonly ProvidedIdentifier[]>
  readonly count: (status: IdentifierStatus) => Promise<number>
  /** Identifiers that wait for a worker, those that wait longest first. */
  readonly due: (request: DueRequest) => Promise<readonly string[]>
  /** When the next one is due. */
  readonly nextDue: () => Promise<string | undefined>
  readonly pauses: () => Promise<readonly Pause[]>
}

export interface IdentifierWriter extends IdentifierReader {
  /** Adds reserved identifiers; those that are there already are left as they are. */
  readonly reserve: (identifiers: readonly NewIdentifier[], now: string) => Promise<void>
  /** Removes those of a scheme that a deposit reserved, and no provider has. */
  readonly giveUp: (deposit: DepositId, scheme: string) => Promise<void>
  /** Lets a worker look at identifiers: what is wanted of them may have changed. */
  readonly want: (values: readonly string[], now: string) => Promise<void>
  /**
   * Notes that a provider has identifiers that were reserved here and never published: as after a
   * restore. They are not given up from then on.
   */
  readonly meet: (values: readonly string[], now: string) => Promise<void>
  /** Says that identifiers are registered, without a worker. */
  readonly register: (values: readonly string[], now: string) => Promise<void>
  /** @returns undefined where it is not due, or another worker has it */
  readonly take: (value: string, lease: Lease, horizon: Horizon) => Promise<Errand | undefined>
  readonly settle: (settled: Settled) => Promise<void>
  /**
   * Gives back what a daemon had that is gone.
   *
   * @param daemon the start of the names of its workers; what all daemons had, if it is not given
   */
  readonly free: (now: string, daemon?: string) => Promise<void>
  readonly pause: (pause: Pause) => Promise<void>
  readonly resume: (provider: string, reason?: Pause['reason']) => Promise<void>
}
