import type {
  Bundles,
  Deposits,
  Files,
  Parts,
  People,
  Records,
  ShareLinks,
  Trash,
  Uploads,
} from '../../core/index.ts'
import type { Attempts } from './attempts.ts'
import type { DownloadLinks } from '../sign-in/identity/download-links.ts'
import type { Describer } from '../discovery/describer.ts'
import type { Health } from '../stores/health.ts'
import type { ApiRoutes } from '../config/endpoints.ts'
import type { EndpointSerializers } from '../config/serializers.ts'
import type { Links } from '../config/links.ts'

/** The use cases of an endpoint, with its routes and links. */
export interface Services {
  /** Those of each endpoint, by the type of its identifiers: these are among them. */
  readonly endpoints: ReadonlyMap<string, Services>
  /** The endpoint's key in `DEPOSIT_REST_ENDPOINTS`. */
  readonly endpoint: string
  readonly parts: Parts
  readonly deposits: Deposits
  readonly people: People
  readonly shareLinks: ShareLinks
  readonly files: Files
  readonly trash: Trash
  readonly bundles: Bundles
  readonly uploads: Uploads
  readonly records: Records
  readonly routes: ApiRoutes
  /** Scheme, host and port that clients see. */
  readonly origin: () => string
  readonly links: Links
  readonly attempts: Attempts
  readonly downloads: DownloadLinks
  readonly serializers: EndpointSerializers
  /** `DEPOSIT_RESPONSE_MESSAGES`: alerts of the pages, by action. */
  readonly responseMessages: Readonly<Record<string, string>>
  readonly describer: Describer
  /** `DEPOSIT_PUBLIC_SEARCH`: whether everybody can list what was published. */
  readonly isListed: boolean
  readonly version: string
  readonly health: Health
  /** The issuer of an institution, where it does not answer now. */
  readonly failingIssuer: () => string | undefined
  /** Writes the entries of the audit trail that were gathered. */
  readonly flushAudit: () => Promise<void>
}
