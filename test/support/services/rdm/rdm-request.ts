import type { Exchange } from '../exchange.ts'
import { refused, type InvenioStore, type Item, type Version } from '../invenio/store.ts'

/** What every route knows. */
export interface Rdm {
  readonly store: InvenioStore
  readonly isPartsAllowed: boolean
}

/** @throws Refusal 404 if there is none, 403 if it is another's or the caller unknown */
export function own({ store }: Rdm, exchange: Exchange, scope = 'deposit:write'): Item {
  const { user } = store.require(exchange, scope)
  const item = store.items.get(exchange.parameters['id'] ?? '')
  if (!item) throw refused(404)
  if (item.owner !== user) throw refused(403)
  return item
}

/** @throws Refusal 404 where there is no draft */
export function ownDraft(
  rdm: Rdm,
  exchange: Exchange,
  scope?: string,
): { readonly item: Item; readonly draft: Version } {
  const item = own(rdm, exchange, scope)
  const { draft } = item
  if (!draft) throw refused(404)
  return { item, draft }
}

/** @throws Refusal 404 where nothing is published */
export function published({ store }: Rdm, { parameters }: Exchange): Item {
  const item = store.items.get(parameters['id'] ?? '')
  if (!item?.published) throw refused(404)
  return item
}
