import type { Operation } from 'fast-json-patch'
import type { Metadata } from '../client/deposit-client.ts'

/** A change of metadata. @see RFC 6902 */
export type MetadataChange = Operation

/**
 * A patch from `before` to `after`. `_deposit` is the server's and is ignored; a `$schema` that
 * `after` does not name stays.
 */
export async function compareMetadata(
  before: Metadata,
  after: Metadata,
): Promise<readonly MetadataChange[]> {
  const { default: jsonPatch } = await import('fast-json-patch')
  const { $schema: kept } = before
  return jsonPatch.compare(ownMetadata(before), ownMetadata({ $schema: kept, ...after }))
}

/**
 * The user's part of metadata: without `_deposit`, which is the server's, and without a `$schema`
 * of null.
 */
export function ownMetadata({ _deposit: _, $schema, ...metadata }: Metadata): Metadata {
  return typeof $schema === 'string' ? { ...metadata, $schema } : metadata
}
