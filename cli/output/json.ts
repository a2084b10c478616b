import { escapeControls, isPlain, plainJson } from '../../core/base/plain.ts'

/** The value of `--json`: `true` for everything, or names of fields. */
export type JsonOption = true | string

/**
 * The server's JSON, or selected fields of it. A field is a path of names with dots between; an
 * absent one is null. For a list, the fields of each item.
 */
export function toJson(body: unknown, option: JsonOption): string {
  return plainJson(pick(body, option), 2)
}

/** The fields that `--json` names. */
export function pick(body: unknown, option: JsonOption): unknown {
  return option === true ? body : pickFields(body, option.split(','))
}

/** Selected fields that no item of the answer has. */
export function absentFields(body: unknown, option: JsonOption): readonly string[] {
  if (option === true) return []
  const items = itemsOf(body) ?? [body]
  if (items.length === 0) return []
  return option.split(',').filter((field) => items.every((item) => !has(item, field.split('.'))))
}

function has(body: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return false
  return has(Reflect.get(body, name), rest)
}

/**
 * A YAML document. Characters that steer a terminal or change the direction of text are escaped, in
 * quotes: read back, they are the same.
 */
export async function toYaml(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml')
  const document = new Document(value)
  visit(document, {
    Scalar: (_, scalar) => {
      const text = typeof scalar.value === 'string' ? scalar.value : ''
      if (!isPlain(text.replaceAll(/[\n\t]/g, ''))) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  return escapeControls(document.toString())
}

function pickFields(body: unknown, fields: readonly string[]): unknown {
  const items = itemsOf(body)
  if (items !== undefined) return items.map((item) => pickFields(item, fields))
  return Object.fromEntries(fields.map((field) => [field, fieldOf(body, field.split('.'))]))
}

/** The items of a list, or of a page of search results. */
export function itemsOf(body: unknown): readonly unknown[] | undefined {
  const hits = fieldOf(body, ['hits', 'hits'])
  const items: unknown = Array.isArray(body) ? body : hits
  return Array.isArray(items) ? items : undefined
}

export function fieldOf(body: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return body
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return null
  return fieldOf(Object.entries(body).find(([key]) => key === name)?.[1], rest)
}
