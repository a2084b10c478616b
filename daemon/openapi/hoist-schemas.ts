/** Gathers schemas that have a name (`$id`) among the components, and refers to them there. */
export function hoistSchemas<Document extends object>(document: Document): Document {
  const schemas: Record<string, unknown> = {}

  function visit(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(visit)
    if (typeof value !== 'object' || value === null) return value
    const { $id: name, ...rest } = value as { readonly $id?: unknown }
    const visited = Object.fromEntries(
      Object.entries(rest).map(([key, part]) => [key, visit(part)]),
    )
    if (typeof name !== 'string') return visited
    schemas[name] = visited
    return { $ref: `#/components/schemas/${name}` }
  }

  const hoisted = visit(document) as Document & { readonly components?: object }
  return { ...hoisted, components: { ...hoisted.components, schemas } }
}
