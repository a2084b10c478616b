import type { RJSFSchema } from '@rjsf/utils'
import { pointerSteps } from './faults.ts'

/** What a place in the document is called: `Creators 2, ORCID iD`. */
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
