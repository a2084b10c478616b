/** An answer as a whole, so that it can be kept and given again. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Sent as JSON; absent where the status says all. */
  readonly body?: object
}

/** An answer that was kept when the service had another address, with links to where it is now. */
export function moveLinks(answer: Answer, before: string, origin: string): Answer {
  const move = (text: string): string =>
    text === before || text.startsWith(`${before}/`) ? origin + text.slice(before.length) : text
  const headers = Object.entries(answer.headers).map(([name, value]) => [
    name,
    name === 'link' ? value.replaceAll(`<${before}/`, `<${origin}/`) : move(value),
  ])
  return {
    ...answer,
    headers: Object.fromEntries(headers) as Answer['headers'],
    ...(answer.body && { body: moveIn(answer.body, move) as object }),
  }
}

/** Text of users is left as it is, also where it names the service. */
function moveIn(value: unknown, move: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => moveIn(item, move))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, field]: [string, unknown]) => {
    if (name === 'metadata') return [name, moveSchema(field, move)]
    if (name === 'links') return [name, moveAll(field, move)]
    if (name === 'url' && typeof field === 'string') return [name, move(field)]
    return [name, moveIn(field, move)]
  })
  return Object.fromEntries(fields)
}

function moveAll(links: unknown, move: (text: string) => string): unknown {
  if (typeof links !== 'object' || links === null) return links
  const moved = Object.entries(links).map(([name, link]: [string, unknown]) => [
    name,
    typeof link === 'string' ? move(link) : link,
  ])
  return Object.fromEntries(moved)
}

function moveSchema(metadata: unknown, move: (text: string) => string): unknown {
  const { $schema } = (metadata ?? {}) as { readonly $schema?: unknown }
  return typeof $schema === 'string'
    ? { ...(metadata as object), $schema: move($schema) }
    : metadata
}
