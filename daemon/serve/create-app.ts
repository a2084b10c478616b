import multipart from '@fastify/multipart'
import {
  fastify,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
} from 'fastify'
import type { Logger } from 'pino'
import { apiVersion } from '../../core/contract/defaults.ts'
import type { Identity } from '../http/identity.ts'
import { limitChanges, authenticate, type SharedLimit } from '../http/authenticate.ts'
import type { EmbeddedIssuer } from '../sign-in/embedded-issuer.ts'
import { bucketList } from '../api/bucket-list.ts'
import { bucketObjects } from '../api/bucket-objects.ts'
import { depositComments } from '../api/deposit-comments.ts'
import { depositActions } from '../api/deposit-actions.ts'
import { depositItem } from '../api/deposit-item.ts'
import { depositLinks } from '../api/deposit-links.ts'
import { depositList } from '../api/deposit-list.ts'
import { depositPeople } from '../api/deposit-people.ts'
import { depositUploads } from '../api/deposit-uploads.ts'
import { depositExports, recordExports } from '../api/exports.ts'
import { depositHistory } from '../api/history.ts'
import { depositTrash } from '../api/trash.ts'
import { fileVersion } from '../api/file-version.ts'
import { depositPackages, recordPackages } from '../api/packages.ts'
import { fileBundles } from '../api/file-bundles.ts'
import { fileItem } from '../api/file-item.ts'
import { fileList } from '../api/file-list.ts'
import {
  issuerEndpoints,
  resourceMetadata,
  resourceMetadataPath,
  userinfoRoute,
} from '../sign-in/routes/issuer.ts'
import { issuerPages } from '../sign-in/routes/issuer-pages.ts'
import { ticketRoute } from '../sign-in/routes/ticket.ts'
import { linkHolders } from '../sign-in/identity/share-links.ts'
import { oneTimeTickets } from '../sign-in/identity/tickets.ts'
import { localRoutes, proofRoute, type LocalServices } from '../operator/local-routes.ts'
import { recordRoutes } from '../api/records.ts'
import { discoveryRoutes } from '../discovery/discovery-routes.ts'
import { oaiRoutes } from '../discovery/oai/oai-routes.ts'
import { oaiSets } from '../discovery/oai/sets.ts'
import { askedForByName } from '../pages/asked-for-by-name.ts'
import { serviceRoutes } from '../api/service.ts'
import { schemaRoutes } from '../api/schemas.ts'
import type { Services } from '../api/services.ts'
import { adminRoutes } from '../api/admin.ts'
import { signInRoutes } from '../api/sign-ins.ts'
import { tokenRoutes } from '../api/tokens.ts'
import { vocabularyRoutes } from '../api/vocabularies.ts'
import { documentRoutes, serveDocument } from '../api/openapi/document.ts'
import { pagePaths } from '../pages/page-data.ts'
import { tombstoneOf } from '../discovery/tombstones.ts'
import { speakLanguages } from '../pages/page-language.ts'
import { missingPage, pageRoutes } from '../pages/page-routes.ts'
import { defaultPageSettings } from '../config/page-settings.ts'
import type { DaemonConfig } from '../config/config.ts'
import type { PageSettings } from '../config/page-settings.ts'
import { observeRequests, type Metrics } from './metrics.ts'
import { observation } from './observation.ts'
import type { Audit } from '../http/audit.ts'
import { atOnce, queuePipelined, takeFairTurns } from '../http/turns.ts'
import { parseJsonBodies, prettyPrint } from '../http/bodies.ts'
import { compilersFactory } from '../http/body-schemas.ts'
import { answerClientError, refuseTunnel } from '../http/client-error.ts'
import { compressTexts } from '../http/negotiation.ts'
import { takeLargeTurns } from '../http/large-work.ts'
import { continueWhenPermitted } from '../http/expect-continue.ts'
import {
  demandProgress,
  closeUnused,
  refuseWhileDraining,
  type Drain,
} from '../http/connections.ts'
import { guardRequests, toOriginForm } from '../http/gate.ts'
import type { OwnNames } from '../http/gate.ts'
import { listRoutes } from '../http/route.ts'
import { answerFailure, reportProblems } from '../http/report-problems.ts'
import { refuseWhileSilent } from '../http/silent-rows.ts'
import {
  auditRequests,
  answerRequestId,
  describeRequest,
  requestIdOf,
  RequestLog,
} from '../http/request-log.ts'

export interface AppOptions {
  readonly services: Services
  readonly local: LocalServices
  readonly identity: Identity
  /** Absent where another one is used. */
  readonly issuer: EmbeddedIssuer | undefined
  /** Whose tokens the service takes. */
  readonly issuerName: () => string
  /** Scheme, host and port that clients see. */
  readonly origin: () => string
  readonly drain: Drain
  readonly metrics: Metrics
  readonly logger: Logger
  /** Bytes of a JSON body. */
  readonly maxBody: number
  /** Bytes of the head of a request. */
  readonly maxHeaders: number
  readonly maxConnections: number
  /** For how long a request may make no progress. */
  readonly progressMs: number
  readonly audit: Audit
  readonly names: () => OwnNames
  /** Whether others than the users of this machine reach the service: then requests are counted. */
  readonly isPublic: boolean
  /** Addresses and networks whose `X-Forwarded-*` is believed. */
  readonly trustedProxies: readonly string[]
  /** Of what is guessed. */
  readonly limit: SharedLimit
  readonly pages?: PageSettings
  /** `DEPOSIT_SECURITY_CONTACT` */
  readonly securityContact: string | undefined
  /** Name of the service, where it has one. */
  readonly publisherName: string | undefined
  /** Interfaces of other services. */
  readonly foreign: readonly FastifyPluginAsync[]
  /** Sets of the operator, for harvesters. */
  readonly sets: DaemonConfig['sets']
}

/** The HTTP face of the service: hooks in the order of a request, then one plugin a resource. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const {
    services,
    local,
    identity,
    issuer,
    origin,
    logger,
    maxBody,
    names,
    pages,
    audit,
    isPublic,
    limit,
  } = options
  const log: FastifyBaseLogger = logger.child({}, { serializers: { req: describeRequest } })
  const app = fastify({
    loggerInstance: log,
    bodyLimit: maxBody,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    rewriteUrl: (request) => toOriginForm(request, names),
    genReqId: requestIdOf,
    requestIdHeader: false,
    logController: new RequestLog(logger),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2048 },
    schemaController: { compilersFactory },
    // A large upload may take hours: a request ends only when it makes no progress.
    requestTimeout: 0,
    // Longer than proxies keep an idle connection: one that both end at once loses a request.
    keepAliveTimeout: 65_000,
    http: {
      maxHeaderSize: options.maxHeaders,
      // The gate asks for it, and answers with our own error.
      requireHostHeader: false,
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: answerFailure,
    clientErrorHandler: answerClientError,
  })
  app.server.maxConnections = options.maxConnections
  app.server.on('connect', refuseTunnel)
  listRoutes(app)
  parseJsonBodies(app)
  const isSecure = (): boolean => origin().startsWith('https:')
  const settings = { ...(pages ?? defaultPageSettings), isSecure }
  reportProblems(app, origin, {
    sendMissing: missingPage(services, settings),
    tellTombstone: (error) => tombstoneOf(services, error),
  })
  queuePipelined(app)
  takeFairTurns(app)
  app.addHook(
    'onRequest',
    atOnce((_request, reply) => {
      reply.header('deposit-api-version', apiVersion)
      reply.header('x-content-type-options', 'nosniff')
      // Without it, browsers show what one person may see to the next (RFC 9111, section 4.2.2).
      reply.header('cache-control', 'private, no-cache')
    }),
  )
  answerRequestId(app)
  compressTexts(app)
  observeRequests(app, options.metrics)
  auditRequests(app, audit)
  guardRequests(app, names)
  demandProgress(app, options.progressMs)
  refuseWhileDraining(app, options.drain)
  closeUnused(app)
  prettyPrint(app)
  takeLargeTurns(app)
  continueWhenPermitted(app)
  speakLanguages(app, settings)
  const described = {
    version: services.version,
    origin,
    issuer: options.issuerName,
    hasIssuer: issuer !== undefined,
  }
  await documentRoutes(app, described)
  const tickets = oneTimeTickets(services.parts.clock)
  await app.register(proofRoute(local, services.version))
  await app.register(localRoutes({ ...local, tickets }))
  if (issuer) {
    const { list: home } = pagePaths(services.routes)
    await app.register(ticketRoute({ tickets, ...services.parts }))
    await app.register(issuerEndpoints({ issuer, origin, isPublic, key: local.key }))
    await app.register(issuerPages({ issuer, limit, home, isPublic, ...services.parts }))
  }
  await app.register(resourceMetadata({ origin, issuer: options.issuerName }))
  await app.register(askedForByName({ origin, contact: options.securityContact }))
  const { parts, routes, isListed } = services
  const found = { ...services, database: parts.database, clock: parts.clock, origin }
  if (isListed)
    await app.register(
      oaiRoutes({
        ...found,
        name: options.publisherName,
        contact: options.securityContact,
        sets: oaiSets(options.sets, parts.report),
      }),
    )
  const closed = [...new Set([pagePaths(routes).list, '/oauth/', '/device'])]
  await app.register(discoveryRoutes({ ...found, name: options.publisherName, closed }))
  await app.register(async (api) => {
    refuseWhileSilent(api, parts.database)
    authenticate(api, {
      identity,
      isPublic,
      isSilent: parts.database.isSilent,
      findHolder: linkHolders(
        services.shareLinks,
        [...services.endpoints.values()].map((endpoint) => endpoint.routes),
      ),
      challenge: () => `Bearer resource_metadata="${origin()}${resourceMetadataPath}"`,
    })
    if (isPublic) limitChanges(api)
    serveDocument(api, described)
    await api.register(multipart, { limits: { fileSize: Infinity } })
    if (issuer) await api.register(userinfoRoute(services.parts.database))
    for (const routes of resources) await api.register(routes(services))
    for (const routes of options.foreign) await api.register(routes)
    for (const endpoint of services.endpoints.values()) {
      for (const routes of endpointResources) await api.register(routes(endpoint))
    }
    await api.register(observation(services, options.metrics, options.drain))
  })
  await app.register(pageRoutes(services, settings, { origin, name: options.publisherName }))
  return app
}

/** The routes that each endpoint has of its own. */
const endpointResources = [
  depositList,
  depositItem,
  depositActions,
  depositComments,
  depositExports,
  depositPackages,
  fileList,
  fileItem,
  fileBundles,
  depositUploads,
  depositPeople,
  depositLinks,
  depositHistory,
  depositTrash,
  fileVersion,
] as const

const resources = [
  bucketList,
  bucketObjects,
  recordRoutes,
  recordExports,
  recordPackages,
  schemaRoutes,
  serviceRoutes,
  tokenRoutes,
  signInRoutes,
  vocabularyRoutes,
  adminRoutes,
] as const
