import { foldersHeader, limitsHeader, parseLimits } from '../../../core/contract/foreign-limits.ts'
import { isSamePath, safeKey } from '../../../core/contract/file-key.ts'
import type { RemoteHttp } from './remote-http.ts'
import type { Limits } from './repository.ts'
import { linksOf, listOf, objectOf, textOf } from './values.ts'

/** Files that are sent at once to our own service. */
const parallel = 8

/**
 * The limits of our own service behind an interface of others, which it says in a header of the
 * caller's list, and is told from then on that names may have slashes; undefined of all others, which say nothing.
 *
 * @param path of the list
 */
export async function limitsOfOwn(http: RemoteHttp, path: string): Promise<Limits | undefined> {
  const tried = `sign in to ${http.name}`
  const { headers } = await http.ask({ tried, method: 'GET', path })
  const header = headers[limitsHeader]
  const own = parseLimits(typeof header === 'string' ? header : undefined)
  if (own) http.alwaysSend({ [foldersHeader]: '?1' })
  return (
    own && {
      hasFolders: true,
      takesEmptyFiles: true,
      mostFiles: own.files,
      largestFile: own.fileSize,
      mostBytes: own.quota,
      longestName: Infinity,
      parallel,
      keepsOpen: true,
      faultOfName,
    }
  )
}

/** A name that is another one there would be sent again each time. */
function faultOfName(name: string): string | undefined {
  const safe = safeKey(name)
  if ('reason' in safe) return `It cannot be there: ${safe.reason}.`
  return isSamePath(name, safe.key) ? undefined : `It would be ${safe.key} there.`
}

/** Deposits of a page of a list, and pages that are looked at. */
const pageSize = 100
const mostPages = 20

/**
 * The number of a deposit of our own service by the address of its page, which does not have it.
 *
 * @param lists paths of the lists to look in, the nearest first
 */
export async function findByPage(
  http: RemoteHttp,
  lists: readonly string[],
  address: string,
): Promise<string | undefined> {
  const wanted = URL.parse(address)?.pathname
  if (wanted === undefined || !/^\/(?:records|deposits?)\/[\w-]+$/.test(wanted)) return undefined
  const isPage = (link: string | undefined): boolean =>
    link !== undefined && URL.parse(link)?.pathname === wanted
  const tried = `look for ${address} on ${http.name}`
  for (const list of lists)
    for (let page = 1; page <= mostPages; page += 1) {
      const query = new URLSearchParams({ page: `${page}`, size: `${pageSize}` })
      const path = `${list}?${query.toString()}`
      const { json } = await http.ask({ tried, method: 'GET', path })
      const shown = Array.isArray(json)
        ? listOf(json)
        : listOf(objectOf(objectOf(json)['hits'])['hits'])
      for (const { id, links } of shown) {
        const { html, record_html: record, self_html: self } = linksOf(links)
        if ([html, record, self].some(isPage)) return textOf(id)
      }
      if (shown.length < pageSize) break
    }
  return undefined
}
