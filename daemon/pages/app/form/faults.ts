import type { ErrorSchema, RJSFSchema } from '@rjsf/utils'
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

/** The name of a place in the document: `Creators 2, ORCID iD`. */
export function labelAt(root: RJSFSchema, pointer: string): string {
  const names: string[] = []
  let schema: RJSFSchema | undefined = root
  for (const step of pointerSteps(pointer)) {
    schema = schema && resolved(root, schema)
    if (/^\d+$/.test(step)) {
      names.push(`${names.pop() ?? ''} ${Number(step) + 1}`)
      schema = schema && toSchema(schema.items)
    } else {
      schema = toSchema(schema?.properties?.[step])
      names.push(schema?.title ?? step)
    }
  }
  return names.join(', ')
}

function resolved(root: RJSFSchema, schema: RJSFSchema): RJSFSchema {
  const name = schema.$ref?.replace('#/definitions/', '')
  return name === undefined ? schema : (toSchema(root.definitions?.[name]) ?? schema)
}

function toSchema(value: unknown): RJSFSchema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}
