import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { TombstoneBody } from '../../core/contract/withdrawal.ts'
import { problems } from '../../core/contract/problems.ts'
import { depositPidType, isProblem, problem } from '../../core/index.ts'
import type { DepositError } from '../../core/index.ts'
import { toPattern } from '../config/endpoints.ts'
import { bestOffer } from '../http/negotiation.ts'
import { resource } from '../http/route.ts'
import { sendTagged } from '../http/revision.ts'
import { setPublic } from '../http/sharing.ts'
import { refuseWhileSilent } from '../http/silent-rows.ts'
import type { Services } from '../api/services.ts'
import { tombstoneOf } from '../discovery/tombstones.ts'
import { assetRoutes } from './assets.ts'
import { setPageHeaders } from './page-headers.ts'
import { pagePaths, toAdminPart, toPageData } from './page-data.ts'
import { referencePage } from './reference-page.ts'
import { recordPage } from './record-page.ts'
import { homePage } from './home-page.ts'
import { searchPage } from './search-page.ts'
import { findHolder, linkPage, sendShared } from './shared-page.ts'
import { languageView } from './page-language.ts'
import { createRender, toScriptJson } from './templates.ts'
import type { LinkedPages, PageParts, SendPage } from './templates.ts'
import type { PageSettings } from '../config/page-settings.ts'
import { formatDay, text, translated } from './text/text.ts'
import { adminViews, type PageData } from './text/page-data.ts'

/** The pages: small documents that say which program to load, and the records, which need none. */
export function pageRoutes(
  services: Services,
  settings: PageSettings,
  service: { readonly origin: () => string; readonly name: string | undefined },
): FastifyPluginAsync {
  const { origin } = service
  const pages = pagePaths(services.routes)
  const send = sendWith(services, settings)
  const parts = { services, settings, send }
  return async (app) => {
    await app.register(assetRoutes)
    await app.register(filledPages)
  }

  async function filledPages(app: FastifyInstance): Promise<void> {
    refuseWhileSilent(app, services.parts.database)
    app.setErrorHandler((error, request, reply) => answerProblem(parts, error, request, reply))
    if (services.isListed) await app.register(searchPage(parts, origin))
    if (services.isListed && pages.list !== '/') await app.register(homePage(parts, service))
    else if (pages.list !== '/') {
      resource(app, '/', {
        GET: { operation: 'none', handler: async (_, reply) => reply.redirect(pages.list) },
      })
    }
    await app.register(async (own) => {
      leadFromLocalhost(own, origin)
      await own.register(adminPages(parts))
      for (const endpoint of services.endpoints.values()) {
        await own.register(depositPages({ ...parts, services: endpoint }))
      }
    })
    for (const endpoint of services.endpoints.values()) {
      await app.register(linkPage({ ...parts, services: endpoint }))
    }
    await app.register(recordPage(parts))
    await app.register(referencePage(settings))
  }
}

/** Sends the page that says that there is nothing at an address. */
export function missingPage(
  services: Services,
  settings: PageSettings,
): (reply: FastifyReply) => Promise<FastifyReply> {
  const send = sendWith(services, settings)
  return (reply) =>
    send(reply, 'problem', { title: text('problem.title'), message: text('problem.explain') })
}

/** Redirects from `localhost` to the address that the issuer knows: only there can people sign in. */
function leadFromLocalhost(app: FastifyInstance, origin: () => string): void {
  app.addHook('onRequest', async ({ hostname, url }, reply) => {
    const isThere = hostname !== 'localhost' || new URL(origin()).hostname === 'localhost'
    if (!isThere) return reply.redirect(origin() + url)
  })
}

function depositPages({ services, settings, send }: PageParts): FastifyPluginAsync {
  const pages = pagePaths(services.routes)
  type Name = Exclude<PageData['page'], 'admin'>
  const shell = (reply: FastifyReply, name: Name, id?: string, isByLink = false) => {
    const data = {
      ...toPageData(services, settings, name, id),
      ...(isByLink && { isByLink: true as const }),
    }
    const template = name === 'signed-in' || name === 'account' ? 'index' : name
    return send(reply, template, { title: text(`title.${name}`), data: toScriptJson(data) })
  }
  return async (app) => {
    resource(app, pages.list, {
      GET: { operation: 'none', handler: (_request, reply) => shell(reply, 'index') },
    })
    resource(app, pages.new, {
      GET: { operation: 'none', handler: (_request, reply) => shell(reply, 'new') },
    })
    // An issuer sends browsers back to one page, whichever they came from.
    if (services.parts.pidType === depositPidType) {
      resource(app, pages.signedIn, {
        GET: { operation: 'none', handler: (_request, reply) => shell(reply, 'signed-in') },
      })
      resource(app, pages.account, {
        GET: { operation: 'none', handler: (_request, reply) => shell(reply, 'account') },
      })
    }
    resource(app, toPattern(pages.deposit), {
      GET: {
        operation: 'none',
        handler: async (request, reply) => {
          const { pid_value: id } = request.params as { readonly pid_value: string }
          await requireDeposit(services, id)
          const holder = await findHolder(services, request, id)
          if (holder?.link?.role === 'reader')
            return sendShared({ services, send }, holder, request, reply)
          return shell(reply, 'edit', id, holder !== undefined)
        },
      },
    })
  }
}

/**
 * The pages for administrators. No cookie says who asks, so the program that they load asks who is
 * signed in; the interface refuses everybody else.
 */
function adminPages({ services, settings, send }: PageParts): FastifyPluginAsync {
  const { adminPage } = services.routes
  return async (app) => {
    for (const path of [adminPage, `${adminPage}/{view}`]) {
      resource(app, toPattern(path), {
        GET: {
          operation: 'none',
          handler: (request, reply) => {
            const { view: asked = 'users' } = request.params as { readonly view?: string }
            const view = adminViews.find((each) => each === asked)
            if (view === undefined) throw problem('not_found')
            const data = {
              ...toPageData(services, settings, 'admin'),
              admin: toAdminPart(services, view),
            }
            return send(reply, 'index', { title: text('title.admin'), data: toScriptJson(data) })
          },
        },
      })
    }
  }
}

function sendWith(services: Services, settings: PageSettings): SendPage {
  const render = createRender(settings, linkedPages(services))
  return async (reply, name, view, mostKept = Infinity) => {
    const page = await render(name, {
      entry: programs[name],
      view,
      languages: languageView(settings.languages, reply.request.url),
    })
    setPageHeaders(reply, settings)
    const kept = reply.statusCode === 200 ? publicPages.get(name) : undefined
    if (kept === undefined) return reply.send(page)
    setPublic(reply.request, reply, kept === 'no-cache' ? kept : Math.min(kept, mostKept))
    return sendTagged(reply, page)
  }
}

/** The pages that caches may keep, and how long before they ask again. */
const publicPages: ReadonlyMap<string, number | 'no-cache'> = new Map<string, number | 'no-cache'>([
  ['record', 3600],
  ['home', 'no-cache'],
  ['search', 'no-cache'],
])

/** The program that each page loads. */
const programs = {
  home: 'none',
  search: 'none',
  index: 'app',
  new: 'app',
  edit: 'app',
  shared: 'record',
  record: 'record',
  tombstone: 'record',
  problem: 'record',
} as const

function linkedPages({ routes, isListed }: Services): LinkedPages {
  const pages = pagePaths(routes)
  return {
    ...pages,
    home: isListed ? '/' : pages.list,
    search: isListed ? routes.searchPage : undefined,
  }
}

/** People get a page that says what is wrong; programs get what the interface answers. */
async function answerProblem(
  { send, services }: Pick<PageParts, 'send' | 'services'>,
  error: unknown,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const wanted = bestOffer(headers.accept, ['text/html', 'application/json'])
  // A redirect keeps the address and changes the identifier in it, as on all routes.
  const isRedirect = isProblem(error, 'moved', 'newest_version')
  if (!isProblem(error) || isRedirect || wanted !== 'text/html') throw error
  if (isProblem(error, 'record_withdrawn')) {
    reply.code(410).header('cache-control', 'no-cache')
    return send(reply, 'tombstone', toTombstoneView(await tombstoneOf(services, error)))
  }
  const isGone = error.code === 'deposit_deleted'
  if (isProblem(error, 'too_many_requests')) reply.header('retry-after', error.details.retryAfter)
  reply.code(problems[error.code].status)
  return send(reply, isGone ? 'tombstone' : 'problem', {
    title: text(titleOf(error)),
    message: isMissing(error) ? text('problem.explain') : translated(error.message),
    isDraft: isGone,
  })
}

function titleOf(error: DepositError) {
  if (error.code === 'deposit_deleted') return 'tombstone.title'
  if (error.code === 'link_ended') return 'shared.ended'
  return isMissing(error) ? 'problem.title' : 'problem.failed'
}

function toTombstoneView({ at, by, reason, note, other_versions, ...told }: TombstoneBody) {
  const others = (other_versions ?? []).map(({ url, version }) => ({
    url,
    name: text('record.version', { version }),
  }))
  return {
    title: text('withdrawn.title'),
    record: {
      ...told,
      note: note === undefined ? undefined : { paragraphs: note.split(/\n+/) },
      replacedBy: told.replaced_by,
      others: others.length > 0 ? { list: others } : undefined,
      doi: told.doi === undefined ? undefined : { value: told.doi },
      when: { at, day: formatDay(at) },
      why: text(`withdrawn.reason.${reason}`),
      who: text(`withdrawn.by.${by}`),
    },
  }
}

function isMissing({ code }: DepositError): boolean {
  return problems[code].status === 404
}

/**
 * Says early, before anybody has signed in, that there is nothing at an address: a deposit that was
 * deleted leaves a tombstone.
 *
 * @throws {DepositError} deposit_not_found, deposit_deleted, moved
 */
async function requireDeposit({ parts }: Services, value: string): Promise<void> {
  const pid = await parts.database.read.pids.find({ type: parts.pidType, value })
  if (!pid) throw problem('deposit_not_found')
  if (pid.status === 'D') throw problem('deposit_deleted')
  if (pid.redirect) throw problem('moved', pid.redirect)
}
