import type { FastifyReply, FastifyRequest } from 'fastify'
import { isProblem, type Deposit, type ShareLink, type ShareLinks } from '../../../core/index.ts'
import { writeScope } from '../../../core/contract/scopes.ts'
import { fillRoute } from '../../../core/contract/routes.ts'
import { toPattern, type ApiRoutes } from '../../config/endpoints.ts'
import type { Identified } from '../../http/identity.ts'
import { hashSecret, isSecret } from './secret.ts'

/** Name of the cookie that stands for a link; each has the path of one deposit. */
const cookieName = 'deposit_link'

/** The routes of a deposit, in which a link is good. */
type Mounts = Pick<ApiRoutes, 'depositItem' | 'fileList' | 'bucket' | 'depositPage'>

/** The secret in the cookie of a request; undefined where there is none that could be one. */
export function linkSecret({ headers: { cookie = '' } }: FastifyRequest): string | undefined {
  const values = cookie.split(';').flatMap((pair) => {
    const [name = '', value = ''] = pair.trim().split('=', 2)
    return name === cookieName && isSecret('share', value) ? [value] : []
  })
  return values[0]
}

/** Finds the caller that the cookie of a request stands for, on the routes of a deposit alone. */
export function linkHolders(
  links: ShareLinks,
  mounts: readonly Mounts[],
): (request: FastifyRequest) => Promise<Identified | undefined> {
  const patterns = mounts
    .flatMap(({ depositItem, fileList, bucket }) => [depositItem, fileList, bucket])
    .map(toPattern)
  const isTaken = (route: string): boolean =>
    patterns.some((pattern) => route === pattern || route.startsWith(`${pattern}/`))
  return async (request) => {
    const secret = isTaken(request.routeOptions.url ?? '') ? linkSecret(request) : undefined
    return secret === undefined ? undefined : holderOf(links, secret)
  }
}

/** Undefined where the link has ended. */
export async function holderOf(links: ShareLinks, secret: string): Promise<Identified | undefined> {
  try {
    return toCaller(await links.open(hashSecret(secret)))
  } catch (error) {
    if (isProblem(error, 'not_found', 'link_ended')) return undefined
    throw error
  }
}

function toCaller(found: ShareLink): Identified {
  const { id, deposit, role, anonymous, expires, createdBy } = found
  return {
    user: `link:${id}` as Identified['user'],
    scopes: new Set(role === 'editor' ? [writeScope] : []),
    admin: false,
    roles: new Set(),
    onlyDeposit: deposit,
    link: { role, anonymous, ...(createdBy !== '' && { madeBy: createdBy }) },
    expires,
    token: { name: 'link', id },
  }
}

/**
 * Gives a browser the cookies of a link: one for each path of the deposit. A page that another site
 * leads to gets its own; requests of other sites to the interface carry none.
 *
 * @see RFC 6265bis §4.1.2
 */
export function setLinkCookies(
  reply: FastifyReply,
  mounts: Mounts,
  deposit: Pick<Deposit, 'id' | 'bucket'>,
  link: { readonly secret: string; readonly expires: string; readonly isSecure: boolean },
): void {
  const values = { pid_value: deposit.id, bucket: deposit.bucket }
  const rest = `Expires=${new Date(link.expires).toUTCString()}; HttpOnly${link.isSecure ? '; Secure' : ''}`
  const cookie = (route: string, site: 'Lax' | 'Strict'): string =>
    `${cookieName}=${link.secret}; Path=${fillRoute(route, values)}; SameSite=${site}; ${rest}`
  const item = cookie(mounts.depositItem, 'Strict')
  const isBelow = mounts.fileList.startsWith(`${mounts.depositItem}/`)
  reply.header('set-cookie', [
    cookie(mounts.depositPage, 'Lax'),
    item,
    cookie(mounts.bucket, 'Strict'),
    ...(isBelow ? [] : [cookie(mounts.fileList, 'Strict')]),
  ])
}
