import type { FieldPathId, Registry } from '@rjsf/utils'

/** What the form tells its templates. */
export interface FormContext {
  readonly recommended: ReadonlySet<string>
}

interface Placed {
  readonly fieldPathId: FieldPathId
  readonly registry: Registry
}

/** True for a field of the document itself that a record should have. */
export function isRecommended({ fieldPathId, registry }: Placed): boolean {
  const [name, ...inside] = fieldPathId.path
  const { recommended } = registry.formContext as FormContext
  return inside.length === 0 && typeof name === 'string' && recommended.has(name)
}
