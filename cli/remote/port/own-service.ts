import { foldersHeader, limitsHeader, parseLimits } from '../../../core/contract/foreign-limits.ts'
import { isSamePath, safeKey } from '../../../core/contract/file-key.ts'
import type { RemoteHttp } from './remote-http.ts'
import type { Limits } from './repository.ts'

/** Files that are sent at once to our own service. */
const parallel = 8

/**
 * The limits of our own service behind an interface of others, which it says in a header of the
 * caller's list, and is told from then on that names may have slashes; undefined of all others, which say nothing.
 *
 * @param path of the list
 */
export async function limitsOfOwn(http: RemoteHttp, path: string): Promise<Limits | undefined> {
  const tried = `use the token for ${http.name}`
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
