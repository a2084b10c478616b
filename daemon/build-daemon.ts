import type { Logger } from 'pino'
import {
  actions,
  createDeposits,
  createFiles,
  createRecords,
  createUploads,
  defaultPermissions,
  depositSearch,
  loadDocuments,
  recordMinters,
  Signals,
  systemClock,
  Turns,
  type Parts,
} from '../core/index.ts'
import { MiniSearchIndex } from '../core/adapters/search/minisearch-index.ts'
import type { DaemonConfig } from './config.ts'
import { apiRoutes } from './endpoints.ts'
import { createApp } from './http/create-app.ts'
import { Drain, drainApp } from './http/drain.ts'
import { announce } from './announcement.ts'
import { homeAt, ownerKey } from './home.ts'
import { lockHome } from './home-lock.ts'
import { anyIdentity } from './identity/any-identity.ts'
import { issuerTokens } from './identity/issuer-tokens.ts'
import { Attempts } from './idempotency/attempts.ts'
import { personalTokens } from './identity/personal-tokens.ts'
import { embeddedIssuer } from './issuer/embedded-issuer.ts'
import { ownNames } from './http/own-names.ts'
import { listen } from './listen.ts'
import { addGauges } from './metrics/gauges.ts'
import { Metrics } from './metrics/metrics.ts'
import { openBlobs, openDatabase } from './open-stores.ts'
import { openSchemas } from './operator-schemas.ts'
import { createLinks } from './serializers/links.ts'
import { startScrub } from './start-scrub.ts'
import { startSweeper } from './sweeper.ts'
import { readVersion } from './version.ts'

/** A daemon that was built and does not listen yet. Disposing of it closes all parts in reverse. */
export interface Daemon extends AsyncDisposable {
  /** Accepts requests from now on; answers the URL it does so at. */
  readonly listen: () => Promise<string>
  /** Lets requests that are under way end, for `limitMs` at most; new ones are refused. */
  readonly drain: (limitMs: number) => Promise<void>
}

/** Brings configuration, adapters, services and routes together; the only place that does. */
export async function buildDaemon(config: DaemonConfig, logger: Logger): Promise<Daemon> {
  await using stack = new AsyncDisposableStack()
  const home = homeAt(config.home)
  const version = await readVersion()
  stack.use(await lockHome(home))
  const { publicOrigin } = config.exposure
  const address = addressAt('http://127.0.0.1', publicOrigin)
  const origin = (): string => publicOrigin ?? address.origin
  const parts = await openParts(config, logger, stack, origin)
  const routes = apiRoutes()
  const links = createLinks({
    origin,
    routes,
    actions: Object.keys(parts.actions),
  })
  const { database, clock, report } = parts
  const issuer = embeddedIssuer({ database, clock, keys: home.issuerKeys, origin, report })
  const drain = new Drain()
  const metrics = stack.use(new Metrics())
  addGauges(metrics, parts, home.root)
  const files = createFiles(parts)
  const app = await createApp({
    services: {
      parts,
      routes,
      links,
      version,
      deposits: createDeposits(parts),
      files,
      uploads: createUploads(parts, files),
      attempts: new Attempts(parts),
      records: createRecords(parts),
    },
    local: {
      context: { database, clock, origin },
      work: { parts, home },
      key: await ownerKey(home),
      issuer,
    },
    identity: anyIdentity(
      personalTokens({ database, clock }),
      issuerTokens({ database, clock, origin }),
    ),
    issuer,
    origin,
    drain,
    metrics,
    logger,
    maxBody: config.maxBody,
    names: () => address.names,
    trustedProxies: config.exposure.trustedProxies,
  })
  stack.defer(() => app.close())
  stack.use(startScrub(parts, config, logger))
  const owned = stack.move()
  return {
    listen: async () => {
      Object.assign(address, addressAt(await listen(app, config), publicOrigin))
      owned.use(await announce(home, address.origin, version))
      owned.use(startSweeper(parts))
      return address.origin
    },
    drain: async (limitMs) => {
      const isWhole = await drainApp(app, drain, limitMs)
      if (!isWhole) logger.warn({ limitMs }, 'requests were cut at the end of the limit')
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** The core on its default adapters, closed with `stack`. */
export async function openParts(
  config: DaemonConfig,
  logger: Logger,
  stack: AsyncDisposableStack,
  origin: () => string,
): Promise<Parts> {
  const home = homeAt(config.home)
  const report = (error: unknown): void => logger.error({ err: error }, 'failed in the background')
  const schemas = await openSchemas({
    folder: home.schemas,
    prefix: config.schemasPrefix,
    defaultSchema: config.defaultSchema,
    origin,
  })
  const database = stack.use(await openDatabase(home, report))
  const blobs = stack.use(await openBlobs(home))
  const load = loadDocuments(database.read, schemas.toUrl)
  const search = stack.use(new MiniSearchIndex({ load }))
  const { defaultSchema, storageClass, maxFileSize, maxFiles, checksums } = config
  const { quota, uploadDays, uploadsAtOnce, uploadsAtOncePerUser } = config
  return {
    database,
    blobs,
    search,
    schemas,
    actions,
    report,
    signals: new Signals({}, report),
    clock: systemClock,
    permissions: defaultPermissions,
    mintRecord: recordMinters[config.minter],
    turns: new Turns({ all: uploadsAtOnce, each: uploadsAtOncePerUser }),
    settings: {
      defaultSchema,
      storageClass,
      maxFileSize,
      maxFiles,
      quota,
      uploadExpiryMs: uploadDays * 24 * 60 * 60 * 1000,
      checksums,
      searchOptions: depositSearch,
    },
  }
}

/** Where the service listens, and what it is called then. */
function addressAt(origin: string, publicOrigin: string | undefined) {
  return { origin, names: ownNames(origin, publicOrigin) }
}
