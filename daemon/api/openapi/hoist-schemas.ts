/** Holds the name of a schema while the document is built, because the builder removes `$id`. */
const nameKey = 'x-name'

/** Answers to these have no body, although the document's maker adds one. */
const bodiless: ReadonlySet<string> = new Set(['204', '302', '303', '304'])

/** A copy in which each schema that has an `$id` carries it as a name. */
export function keepNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keepNames)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) =>
      key === '$id' && typeof part === 'string' ? [nameKey, part] : [key, keepNames(part)],
    ),
  )
}

/** Gathers schemas that have a name among the components, and refers to them there. */
export function hoistSchemas<Document extends object>(document: Document): Document {
  const schemas: Record<string, unknown> = {}

  function visit(value: unknown, key = ''): unknown {
    if (Array.isArray(value)) return value.map((part) => visit(part))
    if (typeof value !== 'object' || value === null) return value
    const { [nameKey]: name, ...rest } = value as { readonly [nameKey]?: unknown }
    const visited = Object.fromEntries(
      Object.entries(rest)
        .filter(([part]) => !(part === 'content' && (bodiless.has(key) || hasNoContent(rest))))
        .map(([part, inner]) => [part, visit(inner, part)]),
    )
    if (typeof name !== 'string') return visited
    schemas[name] = visited
    return { $ref: `#/components/schemas/${name}` }
  }

  const hoisted = visit(document) as Document & { readonly components?: object }
  return { ...hoisted, components: { ...hoisted.components, schemas } }
}

/** The description that the library gives an answer without a body. */
function hasNoContent(answer: object): boolean {
  const { content, description } = answer as { content?: Media; description?: unknown }
  const schema = content?.['application/json']?.schema
  if (!schema) return false
  const keys = Object.keys(schema)
  return keys.length === 1 && keys[0] === 'description' && schema['description'] === description
}

type Media = Readonly<Record<string, { readonly schema?: Readonly<Record<string, unknown>> }>>
