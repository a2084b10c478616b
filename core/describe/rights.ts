import spdx from 'spdx-license-list'
import type { Json } from '../base/json.ts'
import type { Rights } from './description.ts'
import { lineOf, webAddress } from './values.ts'

/** SPDX identifiers by their form in lower case, and by the address of their text. */
let known: Known | undefined

interface Known {
  readonly ids: ReadonlyMap<string, string>
  readonly urls: ReadonlyMap<string, string>
}

function list(): Known {
  if (known) return known
  const ids = Object.keys(spdx)
  known = {
    ids: new Map(ids.map((id) => [id.toLowerCase(), id])),
    urls: new Map(ids.map((id) => [bareUrl(spdx[id]?.url ?? ''), id])),
  }
  return known
}

/** The license of a document: an SPDX identifier, the address of a license, or words. */
export function toRights(value: Json | undefined): Rights | undefined {
  const text = lineOf(value)
  if (text === undefined) return undefined
  const url = webAddress(text)
  const id = idOf(text, url)
  if (id === undefined) return { id, name: text, url }
  return { id, name: spdx[id]?.name ?? id, url: `https://spdx.org/licenses/${id}.html` }
}

function idOf(text: string, url: string | undefined): string | undefined {
  const { ids, urls } = list()
  if (url === undefined) return ids.get(text.toLowerCase())
  const named = /^https?:\/\/spdx\.org\/licenses\/([\w.+-]+?)(?:\.html|\.json)?$/i.exec(url)?.[1]
  return named === undefined ? urls.get(bareUrl(url)) : ids.get(named.toLowerCase())
}

/** Without what differs between addresses of one text. */
function bareUrl(url: string): string {
  return url
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/(?:legalcode|deed)(?:\.\w+)?$/, '')
    .replace(/\/$/, '')
}
