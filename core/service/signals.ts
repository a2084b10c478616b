import type { Deposit, PublishedDeposit } from '../deposit/deposit.ts'
import type { PersistentIdentifier } from '../pid/deposit-pid.ts'

/** The events that receivers get. @see Specification, "Events" */
export interface SignalEvents {
  /** After an action was executed and committed. */
  readonly postAction: PostAction
  /** Around edit and discard: before the change, and after it was committed. */
  readonly beforeRecordUpdate: RecordUpdate
  readonly afterRecordUpdate: RecordUpdate
}

export interface PostAction {
  /** Name of the action. */
  readonly action: string
  /** Identifier of the deposit, of type `depid`. */
  readonly pid: PersistentIdentifier
  readonly deposit: Deposit
}

export interface RecordUpdate {
  /** The action that changes the record: `edit` or `discard`. */
  readonly action: string
  readonly deposit: Deposit
}

export type SignalName = keyof SignalEvents

/** The application that sends the signals. */
export interface Sender {
  readonly name: string
  /** Scheme, host and port that clients see. */
  readonly url: string
}

export type Receiver<Name extends SignalName> = (
  event: SignalEvents[Name],
  sender: Sender,
) => void | Promise<void>

/** Receivers by signal, as `deposit.config.ts` names them. */
export type Receivers = { readonly [Name in SignalName]?: readonly Receiver<Name>[] }

/** Sends events to receivers. A receiver that fails is reported; it undoes nothing. */
export class Signals {
  readonly #receivers: Receivers
  readonly #sender: Sender
  readonly #report: (error: unknown) => void

  constructor(receivers: Receivers, sender: Sender, report: (error: unknown) => void) {
    this.#receivers = receivers
    this.#sender = sender
    this.#report = report
  }

  /** Resolves when every receiver is done, one after another in the order they are registered. */
  async send<Name extends SignalName>(name: Name, event: SignalEvents[Name]): Promise<void> {
    for (const receiver of this.#receivers[name] ?? []) {
      try {
        await receiver(event, this.#sender)
      } catch (error) {
        this.#report(error)
      }
    }
  }
}

/**
 * The receiver that indexes a deposit, with its record, after it was published. It does nothing
 * when the deposit is not published.
 *
 * @see Specification, "Events"
 */
export function indexAfterPublish(
  index: (deposit: PublishedDeposit) => Promise<void>,
): Receiver<'postAction'> {
  return async ({ action, deposit }) => {
    if (action === 'publish' && deposit.status === 'published') await index(deposit)
  }
}
