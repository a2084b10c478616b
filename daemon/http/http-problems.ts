import { problems } from '../../core/contract/problems.ts'
import { DepositError } from '../../core/index.ts'

/** True for an answer to the caller; false where the service itself fails, and a retry may help. */
export function isRefusal(error: unknown): error is DepositError {
  return error instanceof DepositError && problems[error.code].status < 500
}

/** The media type of the body is none that the route takes. */
export class UnsupportedMediaType extends DepositError {
  readonly code = 'unsupported_media_type'
}

/** The client takes none of the media types the route can answer with. */
export class NotAcceptable extends DepositError {
  readonly code = 'not_acceptable'

  constructor(offers: readonly string[]) {
    super(`This can be answered as ${offers.join(' or ')}.`)
  }
}

export class MethodNotAllowed extends DepositError {
  readonly code = 'method_not_allowed'

  constructor(method: string, allowed: string) {
    super(`${method} is not allowed here; these are: ${allowed}.`)
  }
}

/** @see RFC 9110 §15.5.17 */
export class RangeNotSatisfiable extends DepositError {
  readonly code = 'range_not_satisfiable'

  /** @param size bytes of the file */
  constructor(size: number) {
    super(`The file has ${size} bytes.`)
  }
}

/** The file is another one than the request names. */
export class FileChanged extends DepositError {
  readonly code = 'stale_revision'

  constructor() {
    super('The file has changed: it is not the version that the request names.')
  }
}

/** `If-None-Match: *`, and there is a file of that name. @see RFC 9110 §13.1.2 */
export class FileNotNew extends DepositError {
  readonly code = 'precondition_failed'
  override readonly faults: readonly object[]

  constructor({ message, faults }: DepositError) {
    super(message)
    this.faults = faults
  }
}

/** The client expects what is not known here. @see RFC 9110 §10.1.1 */
export class UnmetExpectation extends DepositError {
  readonly code = 'unmet_expectation'

  constructor() {
    super(problems.unmet_expectation.message)
  }
}

/** The request is addressed to a host that this service does not answer for. */
export class WrongHost extends DepositError {
  readonly code = 'wrong_host'

  constructor() {
    super(problems.wrong_host.message)
  }
}

/** @see https://tus.io/protocols/resumable-upload, "Tus-Resumable" */
export class UnknownTusVersion extends DepositError {
  readonly code = 'unknown_tus_version'

  constructor() {
    super('Send Tus-Resumable: 1.0.0, the one version this service speaks.')
  }
}

/** The request made no progress for too long. */
export class RequestTimeout extends DepositError {
  readonly code = 'request_timeout'

  constructor() {
    super(problems.request_timeout.message)
  }
}

/** A page of somebody else's sends this through a person's browser. */
export class ForeignOrigin extends DepositError {
  readonly code = 'cross_origin'

  constructor() {
    super(problems.cross_origin.message)
  }
}

/** There is nothing at this address. */
export class NotFound extends DepositError {
  readonly code = 'not_found'

  constructor() {
    super(problems.not_found.message)
  }
}

/** The service was told to stop. */
export class ShuttingDown extends DepositError {
  readonly code = 'shutting_down'

  constructor() {
    super(problems.shutting_down.message)
  }
}
