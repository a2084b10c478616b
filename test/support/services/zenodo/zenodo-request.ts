import { isJson, readText, type Exchange, type Json, type Refusal } from '../exchange.ts'
import { refused, type InvenioStore, type Item, type Token } from '../invenio/store.ts'

/** What every route knows. */
export interface Zenodo {
  readonly store: InvenioStore
  readonly isDocumented: boolean
}

const anonymous = ({ isDocumented }: Zenodo): number => (isDocumented ? 401 : 403)

/** What a published deposit without draft answers to a change. */
export const locked = ({ isDocumented }: Zenodo): Refusal => refused(isDocumented ? 403 : 404)

export function caller(zenodo: Zenodo, exchange: Exchange, scope = 'deposit:write'): Token {
  return zenodo.store.require(exchange, scope, anonymous(zenodo))
}

/** @throws Refusal 404 if there is none, 403 if it is another's */
export function own(zenodo: Zenodo, exchange: Exchange, scope?: string): Item {
  const { user } = caller(zenodo, exchange, scope)
  const item = zenodo.store.items.get(exchange.parameters['id'] ?? '')
  if (!item) throw refused(404)
  if (item.owner !== user) throw refused(403)
  return item
}

/** @throws Refusal 415 or 400 for what is no JSON object */
export async function readBody(exchange: Exchange): Promise<Json> {
  const text = await readText(exchange)
  if (!/json/.test(exchange.headers['content-type'] ?? '')) throw refused(415)
  try {
    const body: unknown = JSON.parse(text)
    if (isJson(body)) return body
  } catch {
    // Answered below.
  }
  throw refused(400, 'Unable to decode JSON data in request body.')
}
