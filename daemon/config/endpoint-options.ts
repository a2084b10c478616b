import { Type, type Static } from 'typebox'
import { defaultMaxResultWindow } from '../../core/contract/defaults.ts'
import type { Actions, Caller, Deposit, Permission, Visibility } from '../../core/index.ts'

/**
 * Turns the JSON of an answer into another media type. It gets what would be sent as JSON: a
 * deposit, a page of search results, a file or a list of files.
 */
export type Serializer = (body: object) => string

/** Makes the `links` of a deposit, given those it would have. */
export type LinksFactory = (
  deposit: Deposit,
  links: Readonly<Record<string, string>>,
) => Readonly<Record<string, string>>

/** The deposit class: the actions a deposit has. */
export interface RecordClass {
  readonly actions: Actions
}

/** The deposit search class: which deposits a caller may find. */
export interface SearchClass {
  readonly visibility: (caller: Caller) => Visibility
}

const route = Type.String({ pattern: '^/' })
const serializer = checked<'json' | Serializer>(
  (value) => value === 'json' || typeof value === 'function',
  'must be "json", or a function in a configuration file that is a program',
)
const serializers = Type.Record(Type.String({ pattern: '^[^/\\s]+/[^/\\s]+$' }), serializer)
const permission = checked<Permission>(
  isPermission,
  'must be made by scopePermission, writeScopePermission or indexedWriteScopePermission',
)

/** The options of an endpoint in `DEPOSIT_REST_ENDPOINTS`. */
export const endpointOptions = Type.Object(
  {
    pid_type: Type.Optional(Type.String()),
    list_route: Type.Optional(route),
    item_route: Type.Optional(route),
    file_list_route: Type.Optional(route),
    file_item_route: Type.Optional(route),
    default_media_type: Type.Optional(Type.String()),
    default_jsonschema: Type.Optional(Type.String({ minLength: 1 })),
    jsonschemas: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
    search_index: Type.Optional(Type.String({ minLength: 1 })),
    max_result_window: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    record_serializers: Type.Optional(serializers),
    search_serializers: Type.Optional(serializers),
    files_serializers: Type.Optional(serializers),
    read_permission_factory_imp: Type.Optional(permission),
    create_permission_factory_imp: Type.Optional(permission),
    update_permission_factory_imp: Type.Optional(permission),
    delete_permission_factory_imp: Type.Optional(permission),
    links_factory_imp: Type.Optional(
      checked<LinksFactory>((value) => typeof value === 'function', 'must be a function'),
    ),
    record_class: Type.Optional(
      checked<RecordClass>(
        (value) => isActions(field(value, 'actions')),
        'must have `actions`: functions `run` with a `summary`, by lower-case names',
      ),
    ),
    search_class: Type.Optional(
      checked<SearchClass>(
        (value) => typeof field(value, 'visibility') === 'function',
        'must have a function `visibility`',
      ),
    ),
  },
  { additionalProperties: false },
)
export type EndpointOptions = Static<typeof endpointOptions>

/** Each option's default and effect, for the manual. */
export const endpointManual: Readonly<Record<keyof EndpointOptions, readonly [string, string]>> = {
  pid_type: [
    'the name of the endpoint',
    'Type of the identifiers of its deposits, which no other endpoint has. That of `depid` is `depid`.',
  ],
  list_route: [
    '`/deposits/`; of a further endpoint what its `item_route` is below of, or its name: `/lab/`',
    'Below `/api`.',
  ],
  item_route: [
    '`/deposits/{pid_value}`; of a further endpoint `{pid_value}` below its `list_route`',
    'Below `/api`. Actions and uploads are below it.',
  ],
  file_list_route: ['`files` below `item_route`', 'Files of a deposit.'],
  file_item_route: ['`{key}` below `file_list_route`', 'One file of a deposit.'],
  default_media_type: ['`application/json`', 'Media type for clients that name none.'],
  default_jsonschema: [
    '`DEPOSIT_DEFAULT_JSONSCHEMA`, or the first of `jsonschemas` that does not have it',
    'Schema of its deposits that name none.',
  ],
  jsonschemas: [
    'all below `DEPOSIT_JSONSCHEMAS_PREFIX`',
    'Paths of the schemas that its deposits may have.',
  ],
  search_index: [
    '`DEPOSIT_UI_SEARCH_INDEX`',
    'Key of its facets, sort options and default sort. Regardless of it, a search never finds deposits of another endpoint.',
  ],
  max_result_window: [`\`${defaultMaxResultWindow}\``, 'Largest `page * size` of a search.'],
  record_serializers: ['`{"application/json": "json"}`', 'Of deposits, by media type.'],
  search_serializers: ['`{"application/json": "json"}`', 'Of search results, by media type.'],
  files_serializers: ['`{"application/json": "json"}`', 'Of files and lists of files.'],
  read_permission_factory_imp: [
    'people with a role, of a deposit that is indexed',
    'Who may read. Lists and searches count only these deposits; if some are refused, facets are empty, and at most 10,000 deposits are considered.',
  ],
  create_permission_factory_imp: ['anybody, with `deposit:write`', 'Who may create.'],
  update_permission_factory_imp: [
    'owners and editors, with `deposit:write`',
    'Who may change a deposit and its files, and with `deposit:actions` run its actions.',
  ],
  delete_permission_factory_imp: ['owners, with `deposit:write`', 'Who may delete.'],
  links_factory_imp: ['the links of the contract', 'Makes the `links` of a deposit.'],
  record_class: [
    'the actions of the package',
    'Object with all `actions` of a deposit, by name, instead of the package’s.',
  ],
  search_class: [
    'users see those they have a role on, administrators all',
    'Object with a function `visibility` from a caller to the deposits that it may find.',
  ],
}

/** `DEPOSIT_REST_ENDPOINTS`. */
export const restEndpoints = Type.Record(Type.String(), endpointOptions)

/** `DEPOSIT_RECORDS_UI_ENDPOINTS`. */
export const recordsUiEndpoints = Type.Record(
  Type.String(),
  Type.Object(
    { pid_type: Type.Optional(Type.String()), route: Type.Optional(route) },
    { additionalProperties: false },
  ),
)

/** A value that only a program can give: `isValid` checks it, `fault` is the message. */
function checked<T>(isValid: (value: unknown) => boolean, fault: string) {
  return Type.Refine(Type.Unsafe<T>({}), isValid, () => fault)
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined
}

function isPermission(value: unknown): boolean {
  return typeof field(value, 'check') === 'function' && Array.isArray(field(value, 'scopes'))
}

/** True for actions by names that can stand in a path and follow a link's. */
export function isActions(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).every(
    ([name, action]) =>
      /^[a-z][a-z0-9_-]*$/.test(name) &&
      typeof field(action, 'run') === 'function' &&
      typeof field(action, 'summary') === 'string',
  )
}

/** `DEPOSIT_FOREIGN_APIS`: names of interfaces of other services, with commas between. */
export const foreignApis = Type.String({
  pattern: '^(?:none|(?:zenodo|rdm)(?:,(?:zenodo|rdm))*)$',
  wanted: 'zenodo, rdm, both with a comma between, or none',
})
