import type { Format } from 'ajv'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { metadataFormats } from '../../core/contract/metadata-formats.ts'

/** Those of JSON Schema, and our own. */
export const schemaFormats: Readonly<Record<string, Format>> = {
  ...fullFormats,
  ...Object.fromEntries(
    Object.entries(metadataFormats).map(([name, validate]) => [name, { type: 'string', validate }]),
  ),
}

/** The code points of a text: its length in JSON Schema. */
export function ucs2length(text: string): number {
  return Array.from(text).length
}
