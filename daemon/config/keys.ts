import { Type } from 'typebox'
import { defaults } from '../../core/contract/defaults.ts'
import { key, optionalKey, sizeKey, type Value } from './key.ts'
import { recordsUiEndpoints, restEndpoints } from './endpoint-options.ts'
import { form, forms, responseMessages } from './page-settings.ts'
import { defaultSorts, facets, sortOptions } from './search-options.ts'
import { storageAddress } from '../home/place.ts'

const text = Type.String({ minLength: 1 })
const anySize = [1, Number.MAX_SAFE_INTEGER] as const
const template = (what: string) =>
  optionalKey(
    text,
    'the package’s own',
    `File with the template of ${what}. Relative to \`DEPOSIT_HOME\`.`,
  )
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
    'Where the buckets of files are mounted, and what links to them show.',
  ),
  DEPOSIT_RECORDS_API: optionalKey(
    text,
    defaults.DEPOSIT_RECORDS_API,
    'Where the item route of deposits is mounted, and what links show. The same as `item_route` of `DEPOSIT_REST_ENDPOINTS`, with `/api` before it.',
  ),
  DEPOSIT_SEARCH_API: optionalKey(
    text,
    defaults.DEPOSIT_SEARCH_API,
    'Where the list route of deposits is mounted, and what links show. The same as `list_route` of `DEPOSIT_REST_ENDPOINTS`, with `/api` before it.',
  ),
  DEPOSIT_PID_MINTER: key(
    text,
    defaults.DEPOSIT_PID_MINTER,
    'What mints the identifier of a record at its first publish: `recid`, or one of the `minters` of the configuration file; see EXTENSIONS.',
  ),
  DEPOSIT_REGISTER_SIGNALS: key(
    Type.Boolean(),
    defaults.DEPOSIT_REGISTER_SIGNALS,
    'Whether signals have receivers: those of the configuration file, and the one that makes a published record found by search. Without it a search of records finds what was published since the start after `depositd reindex` alone; on PostgreSQL it is found all the same.',
  ),
  DEPOSIT_RESPONSE_MESSAGES: key(
    responseMessages,
    {},
    'Alerts that the pages show after an action, by the name of the action: a text, or an object with a `message`. `_options` of the list route tells them to other clients.',
    'none',
  ),
  DEPOSIT_UI_ENDPOINT: optionalKey(
    text,
    defaults.DEPOSIT_UI_ENDPOINT,
    'Address of the page of a deposit, which its `html` link shows. `{scheme}`, `{host}` and `{pid_value}` are filled in.',
  ),
  DEPOSIT_UI_SEARCH_INDEX: key(
    text,
    defaults.DEPOSIT_UI_SEARCH_INDEX,
    'Name of the search index: what facets, sort options and the default sort are looked up under.',
  ),
  DEPOSIT_REST_ENDPOINTS: key(
    restEndpoints,
    {},
    'The REST endpoints of deposits by name; see ENDPOINTS. Beside `depid`, which is always there, each is a kind of deposits of its own, with routes, permissions, search and schemas.',
    'one endpoint keyed `depid`',
  ),
  DEPOSIT_REST_FACETS: optionalKey(
    facets,
    'the facet `status`',
    'Aggregations of a search, by index; each is a post filter of the same name, unless `post_filters` names those that are. `size` of `terms` says how many values are counted.',
  ),
  DEPOSIT_REST_SORT_OPTIONS: optionalKey(
    sortOptions,
    '`bestmatch` and `mostrecent`',
    'What a search may be sorted by, by index.',
  ),
  DEPOSIT_REST_DEFAULT_SORT: optionalKey(
    defaultSorts,
    '`bestmatch` with a query, `mostrecent` without',
    'The sort option of searches that ask for none, by index.',
  ),
  DEPOSIT_RECORDS_UI_ENDPOINTS: key(
    recordsUiEndpoints,
    {},
    'Where the pages are mounted: an object with a `route` under the key `depid`, for the page of a deposit, above which the list stands (`/desk` of `/desk/<pid_value>`), with `/desk/new` and `/desk/signed-in`; under the key `recid` for the page of a record, which is `/records/<pid_value>` by default; under the name of a further endpoint for the pages of its deposits, which lie below those of `depid` by default: `/deposit/lab/<pid_value>`.',
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
  DEPOSIT_UI_LAYOUT_TEMPLATE: template('what all pages have around them'),
  DEPOSIT_UI_INDEX_TEMPLATE: template('the list of deposits'),
  DEPOSIT_UI_NEW_TEMPLATE: template('the page of a new deposit'),
  DEPOSIT_UI_EDIT_TEMPLATE: template('the page of a deposit'),
  DEPOSIT_UI_TOMBSTONE_TEMPLATE: template('the page of what was deleted'),
  DEPOSIT_UI_RECORD_TEMPLATE: template('the page of a record'),
  DEPOSIT_UI_PROBLEM_TEMPLATE: template('the page of an error'),
  DEPOSIT_PUBLIC_URL: optionalKey(
    text,
    'the address it listens on',
    'Address that clients see, where a proxy stands in front: `https://deposit.example.org`. Without it the daemon listens on this machine alone. Rates of requests are limited where it is set.',
  ),
  DEPOSIT_SECURITY_CONTACT: optionalKey(
    Type.String({
      pattern: '^(mailto:[^\\s@]+@[^\\s@]+|https://\\S+|tel:\\S+)$',
      wanted: 'mailto:…, https://… or tel:…',
    }),
    'none',
    'Whom to tell of a weakness of the service, in `/.well-known/security.txt` (RFC 9116): `mailto:security@example.org`, or an address that begins with `https://`. Without it there is no such file.',
  ),
  DEPOSIT_TRUSTED_PROXIES: optionalKey(
    text,
    'none',
    'Addresses and networks of proxies whose `X-Forwarded-*` is believed, with commas between.',
  ),
  DEPOSIT_DATABASE_URL: optionalKey(
    Type.String({
      pattern: '^postgres(ql)?://',
      wanted: 'an address such as postgres://deposit@db.example.org:5432/deposit',
    }),
    'SQLite in `DEPOSIT_HOME`',
    'PostgreSQL for the rows, in place of the embedded SQLite: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; see POSTGRESQL in depositd(8). Version 13 or newer; the database must be there, with the encoding UTF8. Back it up with `pg_dump`.',
  ),
  DEPOSIT_STORAGE_URL: optionalKey(
    Type.String({
      pattern: storageAddress.pattern,
      wanted:
        'the address of a bucket, such as s3://deposit?endpoint=https://s3.example.org&region=eu-1 (leave it out to keep files in the home)',
    }),
    'the folder `blobs` of `DEPOSIT_HOME`',
    'A bucket of S3, or of a store that speaks like it, for the bytes of files and the manifests of records: `s3://BUCKET/PREFIX?endpoint=https://…&region=…&create_bucket=true`; see S3 in depositd(8). Credentials are found where the tools of AWS find them (`AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, profiles, roles).',
  ),
  DEPOSIT_STORAGE_REDIRECT: key(
    Type.Boolean(),
    false,
    'Whether those who ask for the bytes of a file are sent to the store for them, with an address that is good for five minutes; scripts of pages are not. The store must be one that clients can reach. What it sends is not compared with its digest first.',
  ),
  DEPOSIT_SEARCH: optionalKey(
    Type.Unsafe<'minisearch' | 'postgres'>(Type.Enum(['minisearch', 'postgres'])),
    '`postgres` with `DEPOSIT_DATABASE_URL`, else `minisearch`',
    'What searches are answered from: `minisearch` for memory, or `postgres`. With `minisearch` on PostgreSQL each daemon has an index of its own, and asks before each search what others have changed: it is meant for one daemon.',
  ),
  DEPOSIT_SEARCH_MEMORY: sizeKey(
    [1, 1_000_000_000_000],
    134_217_728,
    'Bytes of memory that search may use for its indexes, estimated: a document of 70 words takes about 7,000. An owner whose deposits take more than 16 MiB, or have more than 16 KiB of text in one document, is searched in an index on disk (`search` in `DEPOSIT_HOME`), which is built and updated in the background. So is an owner with more than 5,000 different words where a query has `*` or `~`, and what spans owners once it takes more than a tenth of the whole.',
  ),
  DEPOSIT_ISSUER: optionalKey(
    text,
    'the embedded issuer',
    'Issuer whose access tokens are taken, in place of the embedded one: its exact name, an address that begins with `https://`. Users are who it says; they need no account here.',
  ),
  DEPOSIT_ISSUER_AUDIENCE: optionalKey(
    text,
    'the address of the interface',
    'What the tokens of `DEPOSIT_ISSUER` must be made for (`aud`).',
  ),
  DEPOSIT_ISSUER_CLIENT_ID: optionalKey(
    text,
    'none',
    'With `DEPOSIT_ISSUER_CLIENT_SECRET`: who asks `DEPOSIT_ISSUER` about tokens that are not signed (introspection).',
  ),
  DEPOSIT_ISSUER_CLIENT_SECRET: optionalKey(text, 'none', 'Its secret.'),
  DEPOSIT_ISSUER_PAGES_CLIENT: key(
    text,
    'deposit-pages',
    'What the pages are called at `DEPOSIT_ISSUER`: a public client that signs people in by the code flow with PKCE, and is sent back to `/deposit/signed-in`.',
  ),
  DEPOSIT_ISSUER_ADMIN_CLAIM: optionalKey(
    text,
    'none',
    'The claim that makes a user of `DEPOSIT_ISSUER` an administrator, and its value: `groups=deposit-admins`.',
  ),
  DEPOSIT_MAX_FILE_SIZE: sizeKey(anySize, 2 ** 40, 'Largest file.'),
  DEPOSIT_MAX_FILES: key(count, 10_000, 'Most files of a deposit.'),
  DEPOSIT_MAX_UPLOADS: key(
    count,
    10_000,
    'Most unfinished uploads of a deposit; one more is answered with 507.',
  ),
  DEPOSIT_QUOTA: sizeKey(
    anySize,
    50 * 2 ** 30,
    'Most bytes of one user: all files, and the metadata of deposits, the revisions of records and the answers kept for `Idempotency-Key`.',
  ),
  DEPOSIT_UPLOAD_DAYS: key(
    Type.Integer({ minimum: 1, maximum: 3650 }),
    7,
    'How long an unfinished upload is kept after its last byte came. Days.',
  ),
  DEPOSIT_UPLOADS_AT_ONCE: key(count, 64, 'Uploads written at the same time; more of them wait.'),
  DEPOSIT_UPLOADS_AT_ONCE_PER_USER: key(count, 8, 'The same, of one user.'),
  DEPOSIT_MAX_BODY: sizeKey(anySize, 2 ** 20, 'Largest JSON body.'),
  DEPOSIT_MAX_HEADERS: sizeKey(
    [4096, 2 ** 20],
    2 ** 14,
    'Largest head of a request; beyond it the answer is 431.',
  ),
  DEPOSIT_MAX_CONNECTIONS: key(count, 20_000, 'Connections at the same time; more are closed.'),
  DEPOSIT_PROGRESS_SECONDS: key(
    Type.Integer({ minimum: 1, maximum: 86_400 }),
    30,
    'How long a request may send next to nothing before it is answered with 408; an answer may go unread twice as long. What makes progress is let be, however long it takes. Seconds.',
  ),
  DEPOSIT_FILES_CHECKSUMS: key(
    Type.String({ pattern: '^(md5)?$' }),
    '',
    'Digests to compute of each file beside SHA-256: `md5`. It costs more than all the rest of an upload.',
    'none',
  ),
  DEPOSIT_RETENTION_DAYS: key(
    Type.Integer({ minimum: 0, maximum: 36_500 }),
    30,
    'How long a deposit that was deleted with `force=false` can be brought back by `depositd undelete`. Days.',
  ),
  DEPOSIT_SCRUB_DAYS: key(
    Type.Integer({ minimum: 0, maximum: 36_500 }),
    30,
    'Within which every file is read back and compared with its digest; 0 for never. Days.',
  ),
  DEPOSIT_SCRUB_RATE: sizeKey(anySize, 20_000_000, 'Bytes a second that are read for it.'),
  DEPOSIT_DRAIN_NOTICE_SECONDS: key(
    Type.Integer({ minimum: 0, maximum: 3600 }),
    0,
    'How long the daemon takes requests still when it is told to stop, while `/ready` says that it leaves: so a proxy in front of several of them sends the next ones elsewhere. Seconds.',
  ),
  DEPOSIT_DRAIN_SECONDS: key(
    Type.Integer({ minimum: 0, maximum: 86_400 }),
    30,
    'How long requests that are under way are given when the daemon is told to stop. Seconds.',
  ),
  DEPOSIT_ALLOW_NETWORK_FS: key(
    Type.Boolean(),
    false,
    'Whether `DEPOSIT_HOME` may lie on the file system of a network, where rows can be lost.',
  ),
  DEPOSIT_LOG_LEVEL: key(
    Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'info',
    'What is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
  ),
} as const

/** Keys that say where the configuration is, and so cannot stand in it. */
export const environmentKeys = {
  DEPOSIT_HOME: 'Folder of all that the daemon keeps. Default: the platform’s for its user.',
  DEPOSIT_CONFIG:
    'The configuration file. Default: `deposit.config.ts`, `.js` or `.json` in `DEPOSIT_HOME`.',
} as const

export type ConfigKey = keyof typeof configKeys

/** A value for each key, checked. */
export type ConfigValues = { readonly [Name in ConfigKey]: Value<(typeof configKeys)[Name]> }

export function isConfigKey(name: string): name is ConfigKey {
  return Object.hasOwn(configKeys, name)
}
