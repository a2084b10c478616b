/** The value of a JSON text, or its fault. */
export type JsonReading =
  | { readonly value: unknown }
  | {
      readonly said: string
      /** Offset in characters from 0; undefined if unknown. */
      readonly at: number | undefined
    }

/**
 * Reads JSON that a person wrote. Refuses an object with the same key twice, which would lose a
 * value.
 */
export function readJson(text: string): JsonReading {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const [, position] = /at position (\d+)/.exec(error instanceof Error ? error.message : '') ?? []
    return { said: 'this is not JSON', at: position === undefined ? undefined : Number(position) }
  }
  const twin = findTwin(text)
  return twin === undefined ? { value } : { said: sayTwin(twin.key), at: twin.at }
}

/** @param key as it is written */
export function sayTwin(key: string): string {
  return `the key ${key} is given twice in the same object`
}

/** The second of two equal keys of an object in a text that is JSON. */
function findTwin(text: string): { readonly key: string; readonly at: number } | undefined {
  const open: (Set<unknown> | undefined)[] = []
  for (const { 0: token, index: at } of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/g)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token.endsWith(':')) {
      const key = token.slice(0, -1).trimEnd()
      const name: unknown = JSON.parse(key)
      const known = open.at(-1)
      if (known?.has(name)) return { key, at }
      known?.add(name)
    }
  }
  return undefined
}
