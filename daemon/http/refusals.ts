import type { Advice } from '../../core/base/advice.ts'
import { DepositError } from '../../core/index.ts'
import { advice } from '../issuer-advice.ts'

/** Somebody tries too often; the window they are counted in ends after `retryAfter` seconds. */
export class TooManyRequests extends DepositError {
  readonly code = 'too_many_requests'
  /** Seconds. */
  readonly retryAfter: number

  constructor(retryAfter: number) {
    super(advice.tryLater(Math.ceil(retryAfter / 60)))
    this.retryAfter = retryAfter
  }
}

/** E-mail address and passphrase do not go together; which of them is wrong is not said. */
export class WrongPassphrase extends DepositError {
  readonly code = 'permission_denied'

  constructor() {
    super('The e-mail address or the passphrase is wrong.')
  }
}

/** A form that we did not make, or made too long ago. */
export class StaleForm extends DepositError {
  readonly code = 'permission_denied'

  constructor(message: Advice = advice.beginAgain()) {
    super(message)
  }
}

/** A link to set a passphrase that was used, or is too old. */
export class UsedLink extends StaleForm {
  constructor() {
    super(advice.useOtherLink())
  }
}

/** Too many tokens wait to be asked about at the issuer of the institution. */
export class IssuerBusy extends DepositError {
  readonly code = 'overloaded'

  constructor() {
    super('Too many access tokens wait to be checked; try again in a moment.')
  }
}

/** The issuer of the institution cannot be asked about a token. */
export class IssuerUnreachable extends DepositError {
  readonly code = 'overloaded'

  constructor(options?: ErrorOptions) {
    super('The issuer of access tokens does not answer; try again in a moment.', options)
  }
}
