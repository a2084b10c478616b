import { DepositError } from '../../core/index.ts'

/** An operator's command that cannot be carried out; the message is what its user reads. */
export class OperatorFailure extends DepositError {
  readonly code = 'malformed_request'
}
