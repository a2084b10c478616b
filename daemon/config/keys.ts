import { Type } from 'typebox'
import { reviewRules, type ReviewRule } from '../../core/index.ts'
import { defaults } from '../../core/contract/defaults.ts'
import { identifierKeys } from './identifier-keys.ts'
import { key, optionalKey, sizeKey, type Value } from './key.ts'
import { foreignApis, recordsUiEndpoints, restEndpoints } from './endpoint-options.ts'
import { form, forms, publisher, responseMessages, uiLanguages } from './page-settings.ts'
import { defaultSorts, facets, sortOptions } from './search-options.ts'
import { issuerKeys } from './issuer-keys.ts'
import { storageAddress } from '../home/place.ts'

const text = Type.String({ minLength: 1 })
const anySize = [1, Number.MAX_SAFE_INTEGER] as const
const template = (what: string) =>
  optionalKey(text, 'the package’s own', `Template file of ${what}. Relative to \`DEPOSIT_HOME\`.`)
const count = Type.Integer({ minimum: 1, maximum: 1_000_000 })

/**
 * Every key of the configuration, in the order of the manual: what its value must look like, what
 * holds without it, and what it does. Reading, checking and `deposit-config(5)` are made from this.
 *
 * @see Specification, "Configuration keys"; Contract §5
 */
export const configKeys = {
  DEPOSIT_DEFAULT_JSONSCHEMA: key(
    text,
    defaults.DEPOSIT_DEFAULT_JSONSCHEMA,
    'Schema of deposits that name none: its path below `/schemas/`.',
  ),
  DEPOSIT_JSONSCHEMAS_PREFIX: key(
    Type.String({ pattern: '^([^/]+/)+$' }),
    defaults.DEPOSIT_JSONSCHEMAS_PREFIX,
    'Prefix of the paths of all deposit schemas. The schema of a record has the same path without it.',
  ),
  DEPOSIT_DEFAULT_STORAGE_CLASS: key(
    text,
    defaults.DEPOSIT_DEFAULT_STORAGE_CLASS,
    'The `storage_class` of each new file.',
  ),
  DEPOSIT_FILES_API: key(
    text,
    defaults.DEPOSIT_FILES_API,
    'Path of the buckets of files, also in links.',
  ),
  DEPOSIT_RECORDS_API: optionalKey(
    text,
    defaults.DEPOSIT_RECORDS_API,
    'Path of the item route of deposits, also in links. The same as `item_route` of `DEPOSIT_REST_ENDPOINTS`, with `/api` before it.',
  ),
  DEPOSIT_SEARCH_API: optionalKey(
    text,
    defaults.DEPOSIT_SEARCH_API,
    'Path of the list route of deposits, also in links. The same as `list_route` of `DEPOSIT_REST_ENDPOINTS`, with `/api` before it.',
  ),
  ...identifierKeys,
  DEPOSIT_REGISTER_SIGNALS: key(
    Type.Boolean(),
    defaults.DEPOSIT_REGISTER_SIGNALS,
    'Whether signals have receivers: those of the configuration file, and the one that indexes a published record. Without it, a search of records finds those published since the start only after `depositd reindex`; on PostgreSQL it finds them anyway.',
  ),
  DEPOSIT_RESPONSE_MESSAGES: key(
    responseMessages,
    {},
    'Alerts that the pages show after an action, by the name of the action: a text, or an object with a `message`. Other clients find them in `_options` of the list route.',
    'none',
  ),
  DEPOSIT_UI_ENDPOINT: optionalKey(
    text,
    defaults.DEPOSIT_UI_ENDPOINT,
    'Address of the page of a deposit, which its `html` link shows: http or https, with `{pid_value}` in it. `{scheme}`, `{host}` and `{pid_value}` are filled in.',
  ),
  DEPOSIT_UI_SEARCH_INDEX: key(
    text,
    defaults.DEPOSIT_UI_SEARCH_INDEX,
    'Name of the search index: the key of facets, sort options and the default sort.',
  ),
  DEPOSIT_REST_ENDPOINTS: key(
    restEndpoints,
    {},
    'The REST endpoints of deposits by name; see ENDPOINTS. Beside the built-in `depid`, each is a separate kind of deposits, with its own routes, permissions, search and schemas.',
    'one endpoint keyed `depid`',
  ),
  DEPOSIT_REST_FACETS: optionalKey(
    facets,
    'the facet `status`',
    'Aggregations of a search, by index; each is a post filter of the same name, unless `post_filters` lists the post filters. `size` of `terms` limits the number of counted values.',
  ),
  DEPOSIT_REST_SORT_OPTIONS: optionalKey(
    sortOptions,
    '`bestmatch` and `mostrecent`',
    'Sort options of a search, by index.',
  ),
  DEPOSIT_REST_DEFAULT_SORT: optionalKey(
    defaultSorts,
    '`bestmatch` with a query, `mostrecent` without',
    'The default sort option of searches, by index.',
  ),
  DEPOSIT_RECORDS_UI_ENDPOINTS: key(
    recordsUiEndpoints,
    {},
    'Paths of the pages: an object with a `route` under the key `depid`, for the page of a deposit, above which the list stands (`/desk` of `/desk/<pid_value>`), with `/desk/new` and `/desk/signed-in`; under the key `recid` for the page of a record, which is `/records/<pid_value>` by default, above which the search of records stands; under the name of a further endpoint for the pages of its deposits, which lie below those of `depid` by default: `/deposit/lab/<pid_value>`. Paths that the service needs itself, such as `/oai` and `/docs`, are refused.',
    'one entry keyed `depid`, route `/deposit/<pid_value>`',
  ),
  DEPOSIT_DEFAULT_SCHEMAFORM: optionalKey(
    form,
    'a form made from the schema',
    'Layout of the form of the deposit page (the `uiSchema` of a form by JSON Schema).',
  ),
  DEPOSIT_FORM_TEMPLATES: key(
    forms,
    {},
    'Layouts of forms by the path of a deposit schema, in place of the default one.',
    'none',
  ),
  DEPOSIT_UI_LANGUAGES: key(
    uiLanguages,
    'en',
    'Languages of the pages, with commas between: `en`, `de`. With several, a page is in the one that its reader chose at its foot, else in the one that the browser prefers (`Accept-Language`), else in the first. Texts of your own templates, schemas, layouts of forms and messages stay as you wrote them. The interface speaks English in any case.',
  ),
  DEPOSIT_UI_LAYOUT_TEMPLATE: template('the frame of all pages'),
  DEPOSIT_UI_HOME_TEMPLATE: template('the home page'),
  DEPOSIT_UI_SEARCH_TEMPLATE: template('the search of records'),
  DEPOSIT_UI_INDEX_TEMPLATE: template('the list of deposits'),
  DEPOSIT_UI_NEW_TEMPLATE: template('the page of a new deposit'),
  DEPOSIT_UI_EDIT_TEMPLATE: template('the page of a deposit'),
  DEPOSIT_UI_TOMBSTONE_TEMPLATE: template('the page of a deleted deposit or record'),
  DEPOSIT_UI_RECORD_TEMPLATE: template('the page of a record'),
  DEPOSIT_UI_PROBLEM_TEMPLATE: template('the page of an error'),
  DEPOSIT_PUBLIC_URL: optionalKey(
    text,
    'the address it listens on',
    'Public address, behind a proxy: `https://deposit.example.org`. Without it the daemon listens on this machine only; with it, request rates are limited.',
  ),
  DEPOSIT_PUBLISHER: optionalKey(
    publisher,
    'the host of the service',
    'Publisher of records that name none, in citations and exports: a name, or `{"name": "…", "ror": "https://ror.org/…"}`.',
  ),
  DEPOSIT_PUBLIC_SEARCH: key(
    Type.Boolean(),
    true,
    'Whether everybody can list and search what is published: the home page, the search page (`/records`), `GET /api/records/`, OAI-PMH (`/oai`), the feed (`/records.atom`) and the sitemap. A record can be read at its address in any case. With `false`, `GET /api/records/` needs a token, `/` leads to the deposits, and the others are not there.',
  ),
  DEPOSIT_FOREIGN_APIS: optionalKey(
    foreignApis,
    '`zenodo,rdm` on this machine alone, else `none`',
    'Interfaces of other services that the daemon speaks over the same deposits, with commas between: `zenodo` is Zenodo’s deposit API, under `/zenodo` (deposit-zenodo(7)), `rdm` is InvenioRDM’s, under `/rdm` (deposit-rdm(7)). `none` turns all of them off. They are on unless `DEPOSIT_PUBLIC_URL` is set.',
  ),
  DEPOSIT_SECURITY_CONTACT: optionalKey(
    Type.String({
      pattern: '^(mailto:[^\\s@]+@[^\\s@]+|https://\\S+|tel:\\S+)$',
      wanted: 'mailto:…, https://… or tel:…',
    }),
    'none',
    'Contact for vulnerability reports, in `/.well-known/security.txt` (RFC 9116): `mailto:security@example.org`, or an `https://` address. Without it there is no such file.',
  ),
  DEPOSIT_TRUSTED_PROXIES: optionalKey(
    text,
    'none',
    'Addresses and networks of trusted proxies, with commas between: their `X-Forwarded-*` headers are used.',
  ),
  DEPOSIT_DATABASE_URL: optionalKey(
    Type.String({
      pattern: '^postgres(ql)?://',
      wanted: 'an address such as postgres://deposit@db.example.org:5432/deposit',
    }),
    'SQLite in `DEPOSIT_HOME`',
    'PostgreSQL for the rows, instead of the embedded SQLite: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; see POSTGRESQL in depositd(8). Version 13 or newer; the database must exist, with the encoding UTF8. Back it up with `pg_dump`.',
  ),
  DEPOSIT_STORAGE_URL: optionalKey(
    Type.String({
      pattern: storageAddress.pattern,
      wanted:
        'the address of a bucket, such as s3://deposit?endpoint=https://s3.example.org&region=eu-1 (leave it out to keep files in the home)',
    }),
    'the folder `blobs` of `DEPOSIT_HOME`',
    'A bucket of S3 or a compatible store, for the bytes of files and the manifests of records: `s3://BUCKET/PREFIX?endpoint=https://…&region=…&create_bucket=true`; see S3 in depositd(8). Credentials are found as by the AWS tools (`AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, profiles, roles).',
  ),
  DEPOSIT_STORAGE_REDIRECT: key(
    Type.Boolean(),
    false,
    'Whether requests for the bytes of a file are redirected to a presigned URL of the store, valid for five minutes; scripts of pages are not redirected. Clients must be able to reach the store. The daemon does not verify the digest of these bytes.',
  ),
  DEPOSIT_SEARCH: optionalKey(
    Type.Unsafe<'minisearch' | 'postgres'>(Type.Enum(['minisearch', 'postgres'])),
    '`postgres` with `DEPOSIT_DATABASE_URL`, else `minisearch`',
    'Search engine, which follows from the database: there is no need to set it. `postgres` without `DEPOSIT_DATABASE_URL`, or `minisearch` with it, is refused at the start.',
  ),
  DEPOSIT_SEARCH_MEMORY: sizeKey(
    [1, 1_000_000_000_000],
    134_217_728,
    'Bytes of memory that search may use for its indexes, estimated: a document of 70 words takes about 7,000. An owner whose deposits take more than 16 MiB, or have more than 16 KiB of text in one document, is searched in an index on disk (`search` in `DEPOSIT_HOME`), which is built and updated in the background. So is an owner with more than 5,000 different words if a query has `*` or `~`, and a search over all owners once its index takes more than a tenth of the whole.',
  ),
  ...issuerKeys,
  DEPOSIT_MAX_FILE_SIZE: sizeKey(anySize, 2 ** 40, 'Largest file.'),
  DEPOSIT_MAX_FILES: key(count, 10_000, 'Maximum number of files in a deposit.'),
  DEPOSIT_MAX_UPLOADS: key(
    count,
    10_000,
    'Maximum number of unfinished uploads of a deposit; one more is answered with 507.',
  ),
  DEPOSIT_QUOTA: sizeKey(
    anySize,
    50 * 2 ** 30,
    'Maximum number of bytes of one user: all files, the metadata of deposits, the revisions of records and the answers kept for `Idempotency-Key`. Each version of a file counts 512 bytes beside its content, and each file its name, deleted ones that are kept too.',
  ),
  DEPOSIT_UPLOAD_DAYS: key(
    Type.Integer({ minimum: 1, maximum: 3650 }),
    7,
    'Lifetime of an unfinished upload after its last byte. Days.',
  ),
  DEPOSIT_UPLOADS_AT_ONCE: key(count, 64, 'Parallel uploads; more of them wait.'),
  DEPOSIT_UPLOADS_AT_ONCE_PER_USER: key(count, 8, 'Parallel uploads of one user.'),
  DEPOSIT_MAX_BODY: sizeKey(
    anySize,
    2 ** 20,
    'Largest JSON body. Of bodies over 64 KiB, four of one user are read at once and a hundred more wait; the next is answered with 429. Answers with such documents are made one at a time for each user, exports and actions two at a time; more wait, and none is refused. A document has at most 50,000 objects and arrays, 10,000 fields in an object, and 64 levels.',
  ),
  DEPOSIT_MAX_HEADERS: sizeKey(
    [4096, 2 ** 20],
    2 ** 14,
    'Maximum size of the headers of a request; larger ones are answered with 431.',
  ),
  DEPOSIT_MAX_CONNECTIONS: key(
    count,
    20_000,
    'Maximum number of open connections; more are closed.',
  ),
  DEPOSIT_PROGRESS_SECONDS: key(
    Type.Integer({ minimum: 1, maximum: 86_400 }),
    30,
    'Time without progress after which a request is answered with 408; an unread answer may wait twice as long. Requests that make progress are never ended. Seconds.',
  ),
  DEPOSIT_FILES_CHECKSUMS: key(
    Type.String({ pattern: '^(md5)?$' }),
    '',
    'Further digest to compute for each file, beside SHA-256: `md5`. It takes longer than all the rest of an upload.',
    'none',
  ),
  DEPOSIT_RETENTION_DAYS: key(
    Type.Integer({ minimum: 0, maximum: 36_500 }),
    30,
    'Time during which `depositd undelete` can restore a deposit that was deleted with `force=false`, and its owner a file that was deleted from a draft. Such files go earlier where the disk or the quota is short; 0 for not keeping them. Days.',
  ),
  DEPOSIT_HISTORY_DAYS: key(
    Type.Integer({ minimum: 0, maximum: 36_500 }),
    90,
    'Time that changes of the metadata of drafts are kept, to be seen and undone. They count in the quota of the owner, and the oldest give way where it is used up. Days.',
  ),
  DEPOSIT_WITHDRAWAL_DAYS: key(
    Type.Integer({ minimum: 0, maximum: 36_500 }),
    30,
    'Time after its publication in which the owner can withdraw a record; curators and administrators always can. Days.',
  ),
  DEPOSIT_REVIEW: key(
    Type.Unsafe<ReviewRule>(Type.Enum([...reviewRules])),
    'none',
    'Review of drafts before they are published: `none`; `optional`, where owners publish a draft or submit it; or `required`, where a reviewer, a curator or an administrator accepts each draft, and only administrators their own. See deposit-review(7).',
  ),
  DEPOSIT_AUDIT_DAYS: key(
    Type.Integer({ minimum: 0, maximum: 36_500 }),
    365,
    'Time for which entries of the audit trail are kept; 0 for ever. Days.',
  ),
  DEPOSIT_SCRUB_DAYS: key(
    Type.Integer({ minimum: 0, maximum: 36_500 }),
    30,
    'Period in which every file is read back and compared with its digest; 0 for never. Days.',
  ),
  DEPOSIT_SCRUB_RATE: sizeKey(anySize, 20_000_000, 'Bytes a second for reading files back.'),
  DEPOSIT_DRAIN_NOTICE_SECONDS: key(
    Type.Integer({ minimum: 0, maximum: 3600 }),
    0,
    'Time after a stop signal during which the daemon still accepts requests while `/ready` answers 503, so that a proxy sends new ones to other daemons. Seconds.',
  ),
  DEPOSIT_DRAIN_SECONDS: key(
    Type.Integer({ minimum: 0, maximum: 86_400 }),
    30,
    'Time for requests under way to finish after a stop signal. Seconds.',
  ),
  DEPOSIT_ALLOW_NETWORK_FS: key(
    Type.Boolean(),
    false,
    'Whether `DEPOSIT_HOME` may be on a network file system, where rows can be lost.',
  ),
  DEPOSIT_LOG_LEVEL: key(
    Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'info',
    'Log level: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
  ),
} as const

/** Keys that say where the configuration is, and so cannot stand in it. */
export const environmentKeys = {
  DEPOSIT_HOME:
    'Folder of all data of the daemon. Default: the platform’s data folder of the user.',
  DEPOSIT_CONFIG:
    'The configuration file. Default: `deposit.config.ts`, `.js` or `.json` in `DEPOSIT_HOME`.',
} as const

export type ConfigKey = keyof typeof configKeys

/** A value for each key, checked. */
export type ConfigValues = { readonly [Name in ConfigKey]: Value<(typeof configKeys)[Name]> }

export function isConfigKey(name: string): name is ConfigKey {
  return Object.hasOwn(configKeys, name)
}
