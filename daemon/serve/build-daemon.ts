import type { KeepIndexed } from '../operator/command/operator-command.ts'
import type { Logger } from 'pino'
import {
  createBundles,
  createDeposits,
  createPeople,
  createShareLinks,
  createFiles,
  createRecords,
  createTrash,
  createUploads,
  ExportThread,
  indexDeposit,
  indexRecord,
  unindexDeposit,
  type Parts,
  type Teller,
} from '../../core/index.ts'
import type { DaemonConfig } from '../config/config.ts'
import type { RestEndpoint } from '../config/rest-endpoints.ts'
import type { FastifyPluginAsync } from 'fastify'
import { rdmRoutes } from '../foreign/rdm/rdm-routes.ts'
import { zenodoRoutes } from '../foreign/zenodo/zenodo-routes.ts'
import { createApp } from './create-app.ts'
import { Drain, drainApp } from '../http/connections.ts'
import { announce } from '../home/announcement.ts'
import { gatherAudit } from '../http/audit.ts'
import { StorageHealth, Health } from '../stores/health.ts'
import { daemonName, homeAt, ownerKey } from '../home/home.ts'
import { lockHome } from '../home/home-lock.ts'
import { anyIdentity, remembered, personalTokens } from '../sign-in/identity/personal-tokens.ts'
import { downloadLinks } from '../sign-in/identity/download-links.ts'
import { externalIssuer } from '../sign-in/external/external-issuer.ts'
import { IssuerWatch } from '../sign-in/external/issuer-watch.ts'
import { sharedLimits } from '../http/authenticate.ts'
import { issuerTokens } from '../sign-in/issuer/issuer-tokens.ts'
import { Attempts } from '../api/attempts.ts'
import { embeddedIssuer } from '../sign-in/embedded-issuer.ts'
import { resourceAt } from '../sign-in/issuer/scopes.ts'
import type { Listed } from '../http/route.ts'
import { ownNames } from '../http/gate.ts'
import { listen } from './listen.ts'
import { addGauges, addIssuerFigures, Metrics } from './metrics.ts'
import { openParts } from '../stores/open-parts.ts'
import { pagePaths } from '../pages/page-data.ts'
import { rememberPlace, requireKnownPlace } from '../home/place.ts'
import { requireWritableFolders } from '../home/writable-folders.ts'
import { openCounts } from '../stores/open-stores.ts'
import { openManifests } from '../stores/storages.ts'
import { useStore } from '../stores/store-use.ts'
import type { Services } from '../api/services.ts'
import type { StartFailure } from '../start-failure.ts'
import { createDescriber } from '../discovery/describer.ts'
import { createLinks, recordLinksAt } from '../config/links.ts'
import { startIdentifiers, startManifests, startScrub, startSweeper } from '../stores/upkeep.ts'
import { readVersion } from '../version.ts'

/** A daemon that was built and does not listen yet. Disposing of it closes all parts in reverse. */
export interface Daemon extends AsyncDisposable {
  /** The routes that it answers, each with its method. */
  readonly routes: readonly Listed[]
  /** Accepts requests from now on; answers the URL it does so at. */
  readonly listen: () => Promise<string>
  /** Resolves with a message when the home was removed or replaced: the process has to end. */
  readonly homeLost: Promise<string>
  /** Resolves when another service, or a daemon of a copied home, has the store of bytes. */
  readonly storeLost: Promise<StartFailure>
  /** Says at `/ready` that it is about to stop, and goes on. */
  readonly leave: () => void
  /** Lets requests that are under way end, for `limitMs` at most; new ones are refused. */
  readonly drain: (limitMs: number) => Promise<void>
}

/** Time for manifests at the end, where requests have taken all the time there was. Milliseconds. */
const leastMs = 5000
/** The same where no request was drained. Milliseconds. */
const usualMs = 30_000

/** Brings configuration, adapters, services and routes together; the only place that does. */
export async function buildDaemon(config: DaemonConfig, logger: Logger): Promise<Daemon> {
  await using stack = new AsyncDisposableStack()
  const home = homeAt(config.home, config)
  const version = await readVersion()
  const lock = stack.use(await lockHome(home))
  await requireKnownPlace(home)
  await requireWritableFolders(home)
  for (const warning of config.warnings) logger.warn(warning)
  const { publicOrigin } = config.exposure
  const address = addressAt('http://127.0.0.1', publicOrigin)
  const origin = (): string => publicOrigin ?? address.origin
  const storage = new StorageHealth((text) => logger.warn(text))
  const [parts, ...partsOfFurther] = await openParts(config, logger, stack, origin, storage)
  const told = { report: parts.report, notice: (text: string) => logger.warn(text) }
  const use = stack.use(await useStore(home, parts.database, told))
  const health = stack.use(new Health({ parts, home, lock, storage, logger }))
  await rememberPlace(home).catch((error: unknown) => {
    // On a disk without room, records can still be read.
    logger.warn({ err: error }, 'commands may refuse this home: its stores.json cannot be written')
  })
  const [{ routes }] = config.endpoints
  const { database, clock, report } = parts
  const audit = stack.use(gatherAudit(database, report))
  const settings = config.issuer
  const issuer = settings
    ? undefined
    : embeddedIssuer({
        database,
        clock,
        keys: home.issuerKeys,
        origin,
        signedIn: pagePaths(routes).signedIn,
        home: pagePaths(routes).list,
        report,
        audit,
      })
  const watch = settings && stack.use(new IssuerWatch(settings.issuer, logger))
  const resource = (): string => resourceAt(origin())
  const external =
    settings && watch && externalIssuer({ database, clock, settings, resource, watch })
  const signedIn = external ?? remembered(issuerTokens({ database, clock, origin }), parts)
  const drain = new Drain()
  const metrics = stack.use(new Metrics())
  const failingIssuer = (): string | undefined => (watch?.isFailing ? watch.issuer : undefined)
  addGauges(metrics, { parts, health, home, version, failingIssuer })
  if (watch) addIssuerFigures(metrics, watch)
  const counts = await openCounts(home)
  if (counts) stack.use(counts)
  const itemRoutes = new Map(
    config.endpoints.map((each) => [each.pidType, each.routes.depositItem]),
  )
  const shared = {
    version,
    health,
    failingIssuer,
    flushAudit: () => audit.flush(),
    responseMessages: config.pages.messages,
    attempts: new Attempts(parts),
    downloads: downloadLinks(parts),
    records: createRecords(parts),
    isListed: config.values.DEPOSIT_PUBLIC_SEARCH,
  }
  const thread = stack.use(new ExportThread())
  const endpoints = new Map<string, Services>()
  const toServices = (endpoint: RestEndpoint, own: Parts): Services => {
    const { links_factory_imp: factory } = endpoint.options
    const links = createLinks({
      origin,
      routes: endpoint.routes,
      itemRoutes,
      pageUrl: endpoint.pageUrl,
      actions: Object.keys(own.actions),
      ...(factory && { factory }),
    })
    const files = createFiles(own)
    const trash = createTrash(own)
    const services = {
      ...shared,
      endpoints,
      endpoint: endpoint.name,
      parts: own,
      routes: endpoint.routes,
      links,
      describer: createDescriber({
        ...shared,
        ...config.exports,
        database,
        clock,
        links,
        origin,
        thread,
      }),
      serializers: endpoint.serializers,
      deposits: createDeposits(own),
      people: createPeople(own),
      shareLinks: createShareLinks(own),
      origin,
      files,
      trash,
      bundles: createBundles(own),
      uploads: createUploads(own, files),
    }
    endpoints.set(endpoint.pidType, services)
    return services
  }
  const [main, ...further] = config.endpoints
  const services = toServices(main, parts)
  for (const [index, own] of partsOfFurther.entries()) {
    const endpoint = further[index]
    if (endpoint) toServices(endpoint, own)
  }
  const teller: Teller = {
    describe: (record) => services.describer.record(record, { isForProvider: true }),
    pageOf: (value) => services.links.recordPage(value),
  }
  const keepIndexed: KeepIndexed = {
    add: (deposit) => indexDeposit(parts, deposit),
    remove: (deposit) => unindexDeposit(parts, deposit),
    update: (record) => indexRecord(parts, record),
  }
  const app = await createApp({
    services,
    local: {
      context: {
        database,
        clock,
        origin,
        issuer: settings,
        index: keepIndexed,
        flushAudit: () => audit.flush(),
      },
      work: {
        parts: {
          ...parts,
          identifiers: { ...teller, providers: parts.providers },
          index: keepIndexed,
        },
        home,
        issuer: settings,
        isReadOnly: false,
        addresses: {
          origin,
          isGuessed: false,
          recordLinks: (at) => recordLinksAt(config, at),
        },
      },
      key: await ownerKey(home),
      issuer,
    },
    identity: anyIdentity(remembered(personalTokens({ database, clock }), parts), signedIn),
    issuer,
    issuerName: () => settings?.issuer ?? origin(),
    origin,
    drain,
    metrics,
    pages: config.pages,
    publisherName: config.exports.publisher?.name,
    sets: config.sets,
    foreign: foreignRoutes(config, services, origin),
    securityContact: config.values.DEPOSIT_SECURITY_CONTACT,
    logger,
    maxBody: config.values.DEPOSIT_MAX_BODY,
    maxHeaders: config.values.DEPOSIT_MAX_HEADERS,
    maxConnections: config.values.DEPOSIT_MAX_CONNECTIONS,
    progressMs: config.values.DEPOSIT_PROGRESS_SECONDS * 1000,
    audit,
    isPublic: publicOrigin !== undefined,
    names: () => address.names,
    trustedProxies: config.exposure.trustedProxies,
    limit: sharedLimits(counts?.pool),
  })
  stack.defer(() => app.close())
  stack.use(startScrub(parts, config.values, logger))
  const manifests = stack.use(await openManifests(home, storage))
  let drainedBy: number | undefined
  const patienceMs = (): number =>
    drainedBy === undefined ? usualMs : Math.max(leastMs, drainedBy - performance.now())
  stack.use(startManifests(parts, manifests, logger, patienceMs))
  const owned = stack.move()
  return {
    routes: app.listing,
    listen: async () => {
      Object.assign(address, addressAt(await listen(app, config), publicOrigin))
      owned.use(await announce(home, address.origin, version, logger))
      owned.use(startSweeper(parts, manifests))
      owned.use(startIdentifiers({ ...parts, daemon: await daemonName(home) }, teller, logger))
      external?.start()
      parts.search.start().catch(report)
      return address.origin
    },
    homeLost: health.homeLost,
    storeLost: use.lost,
    leave: () => drain.leave(),
    drain: async (limitMs) => {
      drainedBy = performance.now() + limitMs
      const isWhole = await drainApp(app, drain, limitMs)
      if (!isWhole) logger.warn({ limitMs }, 'requests were aborted at the end of the limit')
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** The address the service listens at, and its names there. */
function addressAt(origin: string, publicOrigin: string | undefined) {
  return { origin, names: ownNames(origin, publicOrigin) }
}

/** The interfaces of other services that are on. */
function foreignRoutes(
  { values, exposure }: DaemonConfig,
  services: Services,
  origin: () => string,
): readonly FastifyPluginAsync[] {
  const usual = exposure.publicOrigin === undefined ? 'zenodo,rdm' : 'none'
  const names = (values.DEPOSIT_FOREIGN_APIS ?? usual).split(',')
  const hasOwnIdentifiers = values.DEPOSIT_PID_MINTER === 'recid'
  return [
    ...(names.includes('zenodo') ? [zenodoRoutes(services, { origin, hasOwnIdentifiers })] : []),
    ...(names.includes('rdm') ? [rdmRoutes(services, origin)] : []),
  ]
}
