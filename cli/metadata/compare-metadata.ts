import type { Operation } from 'fast-json-patch'
import type { Metadata } from '../client/deposit-client.ts'

/** A change of metadata: where, and what comes there. @see RFC 6902 */
export type MetadataChange = Operation

/**
 * What would make `before` into `after`. `_deposit` is the server's, and a `$schema` that `after`
 * does not name stays.
 */
export async function compareMetadata(
  before: Metadata,
  after: Metadata,
): Promise<readonly MetadataChange[]> {
  const { default: jsonPatch } = await import('fast-json-patch')
  const { $schema: kept } = before
  return jsonPatch.compare(ownMetadata(before), ownMetadata({ $schema: kept, ...after }))
}

/** What a user writes: without `_deposit`, which is the server's, and a `$schema` of null. */
export function ownMetadata({ _deposit: _, $schema, ...metadata }: Metadata): Metadata {
  return typeof $schema === 'string' ? { ...metadata, $schema } : metadata
}
