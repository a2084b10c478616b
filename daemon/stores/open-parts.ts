import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import type { StorageHealth } from '../../core/adapters/storage-health.ts'
import {
  actions,
  defaultPermissions,
  depositVisibility,
  indexAfterPublish,
  indexPublished,
  isProblem,
  openToCurators,
  QuotaClaims,
  Signals,
  systemClock,
  Turns,
  releaseTrash,
  type BlobStore,
  type Parts,
  type Permissions,
  type Receivers,
} from '../../core/index.ts'
import type { DaemonConfig } from '../config/config.ts'
import type { EndpointOptions } from '../config/endpoint-options.ts'
import type { RestEndpoint } from '../config/rest-endpoints.ts'
import { checkedVisibility, openSearch } from './open-search.ts'
import { homeAt } from '../home/home.ts'
import { openDatabase, requireEndpoints } from './open-stores.ts'
import { openProviders } from './open-providers.ts'
import { newRows, openOwnBlobs, requireOwnStore } from './store-owner.ts'
import { readVersion } from '../version.ts'
import { chooseSchemas, openSchemas } from './operator-schemas.ts'

/** Failed work is repeated later: a store that is full shows in /health, a busy one is free again. */
const passing = ['storage_full', 'overloaded'] as const

/** A commit without an answer is one of a server that went away, or was too busy to be asked. */
function isPassing(error: unknown): boolean {
  if (isProblem(error, ...passing)) return true
  return (
    isProblem(error, 'storage_failed') &&
    isProblem(error.cause, 'storage_unavailable', 'overloaded')
  )
}

const dayMs = 24 * 60 * 60 * 1000

/** The parts of each endpoint's use cases, in the order of the configuration. */
export type EndpointParts = readonly [main: Parts, ...further: Parts[]]

/** The core on the adapters that the configuration names, closed with `stack`. */
export async function openParts(
  config: DaemonConfig,
  logger: Logger,
  stack: AsyncDisposableStack,
  origin: () => string,
  // Rows and bytes are on the same disk: where one fails, the other is not to be trusted.
  health: StorageHealth,
): Promise<EndpointParts> {
  const {
    values,
    endpoints: [main, ...further],
  } = config
  const home = homeAt(config.home, config)
  const report = (error: unknown): void => {
    // The log says once that a store went away, and once that it is back.
    if (isProblem(error, 'storage_unavailable')) {
      logger.debug({ err: error }, 'failed in the background')
      return
    }
    const level = isPassing(error) ? 'warn' : 'error'
    logger[level]({ err: error }, 'failed in the background')
  }
  const notice = (text: string): void => logger.warn(text)
  const schemas = await openSchemas({
    folder: home.schemas,
    prefix: values.DEPOSIT_JSONSCHEMAS_PREFIX,
    defaultPath: values.DEPOSIT_DEFAULT_JSONSCHEMA,
    origin,
  })
  const schemasOf = new Map(
    [main, ...further].map((endpoint) => [endpoint, chooseSchemas(schemas, endpoint)] as const),
  )
  const pidTypes = [main, ...further].map(({ pidType }) => pidType)
  // A start that is refused makes no rows.
  if (home.databaseUrl === undefined && !existsSync(home.database))
    await requireOwnStore(home, newRows)
  const database = stack.use(await openDatabase(home, report, health, notice))
  await requireEndpoints(database.read.deposits, pidTypes)
  const blobs: BlobStore = stack.use(
    await openOwnBlobs(home, {
      claims: true,
      database,
      health,
      report,
      release: (bytes) => releaseTrash({ database, blobs, report }, bytes),
      notice,
    }),
  )
  const search = stack.use(
    await openSearch(home, { database, schemaUrl: schemas.toUrl, report, values }),
  )
  const ofEndpoint = (endpoint: RestEndpoint) => ({
    schemas: schemasOf.get(endpoint) ?? schemas,
    actions: { ...(endpoint.options.record_class?.actions ?? actions), ...config.actions },
    permissions: permissionsOf(endpoint.options),
    pidType: endpoint.pidType,
    pidTypes,
    visibility: endpoint.options.search_class
      ? checkedVisibility(endpoint.options.search_class)
      : depositVisibility,
  })
  const settings = {
    storageClass: values.DEPOSIT_DEFAULT_STORAGE_CLASS,
    maxFileSize: values.DEPOSIT_MAX_FILE_SIZE,
    maxFiles: values.DEPOSIT_MAX_FILES,
    maxUploads: values.DEPOSIT_MAX_UPLOADS,
    quota: values.DEPOSIT_QUOTA,
    retentionMs: values.DEPOSIT_RETENTION_DAYS * dayMs,
    auditMs: values.DEPOSIT_AUDIT_DAYS * dayMs,
    historyMs: values.DEPOSIT_HISTORY_DAYS * dayMs,
    withdrawalMs: values.DEPOSIT_WITHDRAWAL_DAYS * dayMs,
    review: values.DEPOSIT_REVIEW,
    uploadExpiryMs: values.DEPOSIT_UPLOAD_DAYS * dayMs,
    redirectsDownloads: values.DEPOSIT_STORAGE_REDIRECT,
    checksums: values.DEPOSIT_FILES_CHECKSUMS === '' ? [] : [values.DEPOSIT_FILES_CHECKSUMS],
  }
  const parts: Parts = {
    ...ofEndpoint(main),
    database,
    blobs,
    search,
    report,
    signals: new Signals(
      values.DEPOSIT_REGISTER_SIGNALS ? receivers(config, () => parts) : {},
      {
        name: 'depositd',
        get url() {
          return origin()
        },
      },
      report,
    ),
    clock: systemClock,
    mintRecord: config.mintRecord,
    providers: openProviders(config, await readVersion(), origin),
    origin,
    claims: new QuotaClaims(),
    sums: new Map(),
    turns: new Turns({
      all: values.DEPOSIT_UPLOADS_AT_ONCE,
      each: values.DEPOSIT_UPLOADS_AT_ONCE_PER_USER,
    }),
    settings: { ...settings, searchOptions: main.searchOptions },
  }
  return [
    parts,
    ...further.map((endpoint) => ({
      ...parts,
      ...ofEndpoint(endpoint),
      settings: { ...settings, searchOptions: endpoint.searchOptions },
    })),
  ]
}

/** Receivers of the package, then those of the operator. */
function receivers({ receivers: given }: DaemonConfig, parts: () => Parts): Receivers {
  const index = indexAfterPublish((deposit) => indexPublished(parts(), deposit))
  return { ...given, postAction: [index, ...(given.postAction ?? [])] }
}

function permissionsOf(endpoint: EndpointOptions): Permissions {
  return {
    read: openToCurators(endpoint.read_permission_factory_imp ?? defaultPermissions.read),
    create: endpoint.create_permission_factory_imp ?? defaultPermissions.create,
    update: endpoint.update_permission_factory_imp ?? defaultPermissions.update,
    delete: endpoint.delete_permission_factory_imp ?? defaultPermissions.delete,
  }
}
