import type { ErrorSchema } from '@rjsf/utils'
import type { Fault } from '../api/http.ts'

/** The steps of a JSON pointer. @see RFC 6901 */
export function pointerSteps(pointer: string): readonly string[] {
  return pointer
    .replace(/^#/, '')
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Faults in the shape the form shows them in: a tree like the document, with messages in it. */
export function toErrorSchema(faults: readonly Fault[]): ErrorSchema {
  const root: Tree = {}
  for (const { field, message } of faults) {
    const place = pointerSteps(field).reduce(child, root)
    place.__errors = [...new Set([...(place.__errors ?? []), message])]
  }
  return root as ErrorSchema
}

interface Tree {
  __errors?: string[]
  [name: string]: Tree | string[] | undefined
}

function child(parent: Tree, step: string): Tree {
  const present = Object.hasOwn(parent, step) ? parent[step] : undefined
  if (present !== undefined && !Array.isArray(present)) return present
  const made: Tree = {}
  Object.defineProperty(parent, step, { value: made, enumerable: true, writable: true })
  return made
}
