import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { fillRoute } from '../../core/contract/routes.ts'
import {
  authorize,
  describe,
  isProblem,
  packZip,
  parseDepositId,
  parseInTurn,
  problem,
  textOfLong,
  type Deposit,
} from '../../core/index.ts'
import { shorten } from '../discovery/shorten.ts'
import { toPattern } from '../config/endpoints.ts'
import { openedLink } from '../http/audit.ts'
import { guessLimit, networkOf } from '../http/authenticate.ts'
import { takeTurnToRead, waitForTurn } from '../http/large-work.ts'
import { resource } from '../http/route.ts'
import type { Services } from '../api/services.ts'
import { holderOf, linkSecret, setLinkCookies } from '../sign-in/identity/share-links.ts'
import { hashSecret, isSecret } from '../sign-in/identity/secret.ts'
import { toFields } from './fields.ts'
import { toFiles } from './record-files.ts'
import {
  findPart,
  mostTogether,
  readAskedFiles,
  toFolderView,
  type AskedFiles,
} from './record-folder.ts'
import { toAbout } from './record-page.ts'
import type { PageParts } from './templates.ts'
import { formatDay, formatSize, text } from './text/text.ts'

/**
 * How often a link can be opened from one network in a minute. An institution may have one address
 * for all its people, who open it at once in a lecture; a script that opens it without end may not.
 */
const mostOpenings = 600

type Holder = NonNullable<Awaited<ReturnType<typeof holderOf>>>

/**
 * `…/link?key=SECRET`: turns a link into cookies of its deposit and leads to its page, so that the
 * secret is in no address from then on.
 */
export function linkPage({ services, settings }: PageParts): FastifyPluginAsync {
  const { routes, shareLinks, parts } = services
  const openings = guessLimit(mostOpenings, 60)
  return async (app) => {
    resource(app, toPattern(`${routes.depositPage}/link`), {
      GET: {
        operation: 'none',
        handler: async (request, reply) => {
          reply.header('referrer-policy', 'no-referrer').header('cache-control', 'no-store')
          const { pid_value: id } = request.params as { readonly pid_value: string }
          const { key } = request.query as { readonly key?: unknown }
          if (typeof key !== 'string' || !isSecret('share', key)) throw problem('not_found')
          const link = await shareLinks.open(hashSecret(key))
          const deposit = await parts.database.read.deposits.find(parseDepositId(link.deposit))
          if (!deposit || deposit.id !== id) throw problem('not_found')
          await openings.begin(`${link.id} ${networkOf(request.ip)}`).catch(sayPace)
          request.deposit = deposit
          request.deed = openedLink
          request.actor = `link:${link.id}`
          setLinkCookies(reply, routes, deposit, {
            secret: key,
            expires: link.expires,
            isSecure: settings.isSecure(),
          })
          return reply.redirect(fillRoute(routes.depositPage, { pid_value: id }), 303)
        },
      },
    })
  }
}

/** @throws its refusal, which no attempts to sign in were the cause of */
function sayPace(error: unknown): never {
  if (!isProblem(error, 'too_many_requests')) throw error
  const { retryAfter } = error.details
  throw problem('too_many_requests', {
    retryAfter,
    message: `This link was opened too often from your network; try again in ${retryAfter} s.`,
  })
}

/** Who has opened a link to the deposit in this browser; `?account` shows the page to a user. */
export async function findHolder(
  { shareLinks }: Services,
  request: FastifyRequest,
  id: string,
): Promise<Holder | undefined> {
  const { account } = request.query as { readonly account?: unknown }
  const secret = account === undefined ? linkSecret(request) : undefined
  if (secret === undefined) return undefined
  const holder = await holderOf(shareLinks, secret)
  if (!holder) throw problem('link_ended')
  return holder.onlyDeposit === id ? holder : undefined
}

/** Shows a deposit to the holder of a link who may only read it. */
export async function sendShared(
  { services, send }: Pick<PageParts, 'services' | 'send'>,
  holder: Holder,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { pid_value: id } = request.params as { readonly pid_value: string }
  const read = (as: Holder) => authorize(services.parts, as, parseDepositId(id), 'read')
  const readFirst = async (): Promise<Deposit> => {
    using _ = await takeTurnToRead(request, reply)
    return await read(holder)
  }
  let found: Deposit | undefined = await readFirst()
  const forget = (): void => {
    found = undefined
  }
  if (textOfLong(found) !== undefined) await waitForTurn(request, reply, 'work', forget)
  const deposit = found ?? (await read((await findHolder(services, request, id)) ?? holder))
  await parseInTurn(deposit)
  reply.header('cache-control', 'no-store')
  return send(reply, 'shared', await toView(services, deposit, holder, readAskedFiles(request)))
}

async function toView(
  services: Services,
  whole: Deposit,
  { link, expires = '' }: Holder,
  place: Omit<AskedFiles, 'revision'>,
) {
  const { parts, describer, links, routes } = services
  const { id, revision, created, bucket } = whole
  const { metadata, isCut } = shorten(whole.metadata)
  const all = await parts.database.read.files.list(bucket, 'draft')
  const isMany = all.length > mostTogether
  const asked = { ...place, revision: undefined }
  const part = isMany ? findPart(all, asked) : undefined
  const source = await describer.draftSource({ ...whole, metadata })
  const shown = part && new Set<string>(part.files.map(({ key }) => key))
  const inPart = source.files.filter(({ key }) => !shown || shown.has(key))
  const about = describe({ ...source, files: inPart })
  const files = toFiles(about.files, all)
  const record = whole.schema === null ? null : parts.schemas.recordSchemaOf(whole.schema)
  const fields = toFields({ metadata, schema: record }, parts.schemas, parts.clock.now())
  const { size } = packZip(parts, { id, revision, created, files: all })
  return {
    title: about.title ?? text('record.untitled'),
    about: toAbout(about),
    until: text('shared.until', { day: formatDay(expires) }),
    isAnonymous: link?.anonymous === true,
    account: `${fillRoute(routes.depositPage, { pid_value: id })}?account`,
    isCut,
    fields: fields.length > 0 ? { list: fields } : undefined,
    files: { ...files, hasAny: all.length > 0, hasGroups: !part },
    browse: part && toFolderView(part, asked),
    whole: files.isOne
      ? undefined
      : { url: links.depositPackage(id, 'zip'), size: formatSize(size) },
    allFiles: files.isCut ? { url: links.fileList(id) } : undefined,
    formats: about.exports
      .filter(({ name }) => name !== 'json')
      .map(({ title, url }) => ({ title, url })),
    json: links.depositItem(id),
  }
}
