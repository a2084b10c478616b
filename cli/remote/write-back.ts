import { termOf, relationTypes } from '../../core/contract/datacite.ts'
import { Failure } from '../failure.ts'
import { ownMetadata, statusOf } from '../output/deposit-facts.ts'
import type { Copy } from './port/repository.ts'
import type { Source } from './source.ts'
import { listOf } from './port/values.ts'

/**
 * Says in the metadata of the deposit that the published copy is the same work: of a record as a
 * correction, which is published at once.
 *
 * @returns a note for a person; undefined where there was nothing to do
 */
export async function writeBack(source: Source, { doi, url }: Copy): Promise<string | undefined> {
  if (source.deposit === undefined) return undefined
  const { client, body } = source.deposit
  const identifier = doi ?? url
  const now = await client.read(body.id)
  const { related_identifiers: related } = ownMetadata(now.metadata)
  const isKnown = listOf(related).some(
    (each) =>
      String(each['identifier']).toLowerCase().endsWith(identifier.toLowerCase()) &&
      termOf(relationTypes, String(each['relation'])) === 'IsIdenticalTo',
  )
  if (isKnown) return undefined
  const value = { identifier, relation: 'isidenticalto', scheme: doi === undefined ? 'url' : 'doi' }
  const path = Array.isArray(related) ? '/related_identifiers/-' : '/related_identifiers'
  const patch = [{ op: 'add', path, value: Array.isArray(related) ? value : [value] }]
  try {
    const wasPublished = statusOf(now) === 'published'
    if (wasPublished) await client.runAction(now.id, 'edit')
    await client.patch(now.id, patch)
    if (wasPublished) await client.runAction(now.id, 'publish')
    return `The ${wasPublished ? 'record' : 'deposit'} here says that it is identical to ${identifier}`
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return `warning: the deposit here does not say that it is identical to ${identifier}: ${error.said}`
  }
}
