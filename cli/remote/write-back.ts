import { termOf, relationTypes } from '../../core/contract/datacite.ts'
import { Failure } from '../failure.ts'
import { isSameAddress } from '../metadata/identical-copies.ts'
import { ownMetadata, statusOf } from '../output/deposit-facts.ts'
import type { Copy } from './port/repository.ts'
import type { Source } from './source.ts'
import { listOf } from './port/values.ts'
import type { Pushed } from './push-journal.ts'

/**
 * Says in the metadata of the deposit that the published copy is the same work: of a record as a
 * correction, which is published at once. A new version began with what the one before said: that
 * it is identical to the copy of that one goes.
 *
 * @param versions all that were pushed of its concept
 * @returns a note for a person; undefined where there was nothing to do
 */
export async function writeBack(
  source: Source,
  { doi, url }: Copy,
  versions: readonly Pushed[],
): Promise<string | undefined> {
  if (source.deposit === undefined) return undefined
  const { client, body } = source.deposit
  const identifier = doi ?? url
  const now = await client.read(body.id)
  const related = listOf(ownMetadata(now.metadata)['related_identifiers'])
  const others = versions
    .filter((version) => version.id !== undefined && version.url !== url)
    .flatMap((version) => [version.doi, version.url].flatMap((address) => address ?? []))
    .filter((address) => address !== doi)
  const isOf = (addresses: readonly string[], each: (typeof related)[number]): boolean =>
    termOf(relationTypes, String(each['relation'])) === 'IsIdenticalTo' &&
    addresses.some((address) => isSameAddress(String(each['identifier']), address))
  const kept = related.filter((each) => !isOf(others, each))
  if (kept.length === related.length && kept.some((each) => isOf([identifier], each)))
    return undefined
  const added = { identifier, relation: 'IsIdenticalTo', scheme: doi === undefined ? 'url' : 'doi' }
  const value = [...kept.filter((each) => !isOf([identifier], each)), added]
  const patch = [{ op: 'add', path: '/related_identifiers', value }]
  try {
    const wasPublished = statusOf(now) === 'published'
    if (wasPublished) await client.runAction(now.id, 'edit')
    await client.patch(now.id, patch)
    if (wasPublished) await client.runAction(now.id, 'publish')
    return `The ${wasPublished ? 'record' : 'deposit'} here says that it is identical to ${identifier}`
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return `warning: the deposit here could not be updated to say that it is identical to ${identifier}: ${error.said}`
  }
}
