import { isNode, LineCounter, parseDocument, visit, type Document } from 'yaml'
import { parsePointer } from '../../core/base/json.ts'

/** Line and column, from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** Finds the place of a JSON pointer in a YAML or JSON text. */
export type Locate = (pointer: string) => Place | undefined

/** A missing field has the place of its nearest parent. */
export function locateIn(source: string): Locate {
  const lines = new LineCounter()
  let parsed: Document.Parsed | undefined
  return (pointer) => {
    const document = (parsed ??= parseDocument(source, { lineCounter: lines, version: '1.2' }))
    const path = parsePointer(pointer) ?? []
    for (let length = path.length; length >= 0; length--) {
      const offset = startOf(document, path.slice(0, length))
      if (offset === undefined) continue
      const { line, col: column } = lines.linePos(offset)
      return { line, column }
    }
    return undefined
  }
}

/**
 * The place of a text in a foreign document, whose fields have other names. Undefined if the text
 * is there twice, or not as one value.
 */
export function locateText(source: string, text: string): Place | undefined {
  const lines = new LineCounter()
  const offsets: number[] = []
  visit(parseDocument(source, { lineCounter: lines, version: '1.2' }), {
    Scalar: (key, { source: written, range }) => {
      if (key !== 'key' && written === text && range) offsets.push(range[0])
    },
  })
  const [offset] = offsets
  if (offset === undefined || offsets.length > 1) return undefined
  const { line, col: column } = lines.linePos(offset)
  return { line, column }
}

function startOf(document: Document.Parsed, path: readonly string[]): number | undefined {
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true)
  return isNode(node) ? node.range?.[0] : undefined
}
