/**
 * A fault of an object or a storage root by the code of its rule.
 *
 * @see https://ocfl.io/1.1/spec/validation-codes
 */
export interface OcflFinding {
  /** `E023` for a MUST, `W004` for a SHOULD. */
  readonly code: string
  /** Below the object or the root; empty for the whole. */
  readonly path: string
  readonly message: string
}

/** Errors break a MUST of the specification, warnings a SHOULD. */
export interface OcflFindings {
  readonly errors: readonly OcflFinding[]
  readonly warnings: readonly OcflFinding[]
}

/** Collects findings. */
export class Findings implements OcflFindings {
  readonly errors: OcflFinding[] = []
  readonly warnings: OcflFinding[] = []

  /** Adds a finding; its code says which kind it is. */
  add(code: string, path: string, message: string): void {
    const kind = code.startsWith('W') ? this.warnings : this.errors
    kind.push({ code, path, message })
  }

  /** What was found so far. */
  get all(): OcflFindings {
    const { errors, warnings } = this
    return { errors, warnings }
  }

  addAll({ errors, warnings }: OcflFindings, folder = ''): void {
    const inside = (found: OcflFinding): OcflFinding =>
      folder === '' ? found : { ...found, path: joined(folder, found.path) }
    for (const found of errors) this.errors.push(inside(found))
    for (const found of warnings) this.warnings.push(inside(found))
  }
}

function joined(folder: string, path: string): string {
  return path === '' ? folder : `${folder}/${path}`
}
