import { isNode, LineCounter, parseDocument, type Document } from 'yaml'
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
  const document = parseDocument(source, { lineCounter: lines, version: '1.2' })
  return (pointer) => {
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

function startOf(document: Document.Parsed, path: readonly string[]): number | undefined {
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true)
  return isNode(node) ? node.range?.[0] : undefined
}
