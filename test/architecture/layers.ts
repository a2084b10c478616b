/** What a layer may know. A layer is a folder or a single file; the longest matching path counts. */
export interface Layer {
  /** Other layers it may import; its own files always. */
  readonly mayImport: readonly string[]
  /** Packages it must not import; a trailing `*` stands for any ending. */
  readonly never?: readonly string[]
}

const stores = ['kysely', 'better-sqlite3', 'pg', 'minisearch', '@aws-sdk/*']
const http = ['fastify', '@fastify/*', 'node:http*']
const machinery = [...stores, ...http, 'node:fs*']
const outsideBrowsers = [...machinery, 'node:*']

/** Below every room of the core. */
const floor = [
  'core/base',
  'core/base/amounts.ts',
  'core/base/json.ts',
  'core/contract',
  'core/errors',
  'core/json',
]

/** Formats of packages that one program writes and the other reads. */
const formats = ['core/packages/bag-format.ts', 'core/packages/zip-format.ts']

/** The domain, leaves first. */
const domain = [
  ...formats,
  'core/describe',
  'core/exports',
  'core/packages',
  'core/pid',
  'core/access',
  'core/files',
  'core/schemas',
  'core/record',
  'core/deposit',
  'core/search',
  'core/vocabularies',
]

/** The rooms of the core, leaves first. */
const core = [
  ...stack([...domain, 'core/ports', 'core/identifiers', 'core/actions', 'core/service'], floor, {
    never: machinery,
  }),
]

/** Objects and storage roots on a disk, which both programs write and read. */
const ocfl = 'core/packages/ocfl'

/** What both programs stand on. */
const ground = ['core/base', 'core/base/amounts.ts', 'core/base/json.ts', 'core/contract', ocfl]

/** The rooms of the daemon, leaves first. */
const daemonRooms = [
  'daemon/home',
  'daemon/config',
  'daemon/http',
  'daemon/stores',
  'daemon/discovery',
  'daemon/sign-in',
  'daemon/api',
  'daemon/foreign',
  'daemon/pages',
  'daemon/operator',
  'daemon/serve',
]

const wire = ['daemon/pages/text']

/** The rooms of the command line, leaves first. */
const cliRooms = [
  'cli/output',
  'cli/client',
  'cli/local-daemon',
  'cli/auth',
  'cli/session',
  'cli/packages',
  'cli/metadata',
  'cli/transfer',
  'cli/check',
  'cli/folder',
  'cli/remote',
  'cli/batch',
  'cli/library',
  'cli/commands',
  'cli/program',
  'cli/build',
]

/** Each of `rooms` may import those before it, and what is below all of them. */
function stack(
  rooms: readonly string[],
  below: readonly string[],
  { never }: { readonly never: readonly string[] },
): readonly (readonly [string, Layer])[] {
  return rooms.map((room, floors) => [
    room,
    { mayImport: [...below, ...rooms.slice(0, floors)], never },
  ])
}

/** Who may import whom. Loose files of a program are its smallest words: they import no room. */
export const layers: Readonly<Record<string, Layer>> = {
  // Knows nothing of deposits: both programs stand on it.
  'core/base': { mayImport: [], never: [...stores, ...http] },
  // The browser shows amounts and reads JSON too.
  'core/base/amounts.ts': { mayImport: [], never: outsideBrowsers },
  'core/base/json.ts': { mayImport: [], never: outsideBrowsers },
  'core/contract': { mayImport: ['core/base/json.ts'], never: machinery },
  // Knows no deposits, only OCFL.
  [ocfl]: { mayImport: ['core/base'], never: [...stores, ...http] },
  'core/errors': { mayImport: ['core/contract', 'core/base/json.ts'], never: machinery },
  'core/json': { mayImport: ['core/contract', 'core/errors', 'core/base', 'core/base/json.ts'] },
  ...Object.fromEntries(core),
  'core/adapters': { mayImport: [...floor, ...domain, 'core/ports'], never: http },
  'core/index.ts': { mayImport: [...floor, ...core.map(([room]) => room)] },
  'core/launch.mjs': { mayImport: [] },

  daemon: { mayImport: [...ground, 'core/index.ts'], never: stores },
  ...Object.fromEntries(
    stack(daemonRooms, ['daemon', 'core/index.ts', ...ground, ...wire], { never: stores }),
  ),
  // The lock of a home is a lock of SQLite.
  'daemon/home': {
    mayImport: ['daemon', 'core/index.ts', ...ground],
    never: stores.filter((name) => name !== 'better-sqlite3'),
  },
  // Services beside each other count requests in their database.
  'daemon/http': {
    mayImport: ['daemon', 'daemon/home', 'daemon/config', 'core/index.ts', ...ground],
    never: stores.filter((name) => name !== 'pg'),
  },
  // The one room that sees adapters: it chooses them.
  'daemon/stores': {
    mayImport: [
      'daemon',
      'daemon/home',
      'daemon/config',
      'daemon/http',
      'core/index.ts',
      'core/adapters',
      ...ground,
    ],
  },
  // The browser sees the wire, JSON, amounts for people, and the texts.
  'daemon/pages/text': {
    mayImport: ['core/base/json.ts', 'core/base/amounts.ts'],
    never: outsideBrowsers,
  },
  'daemon/pages/app': {
    mayImport: [...wire, 'core/base/amounts.ts', 'core/contract', 'core/base/json.ts'],
    never: outsideBrowsers,
  },
  'daemon/bin.mjs': { mayImport: ['core/launch.mjs', 'dist/depositd/main.js'] },

  cli: { mayImport: ground, never: [...stores, 'fastify', '@fastify/*'] },
  ...Object.fromEntries(
    stack(cliRooms, ['cli', ...ground, ...formats], {
      never: [...stores, 'fastify', '@fastify/*'],
    }),
  ),
  // Writes metadata for others, as exports are written.
  'cli/remote': {
    mayImport: [
      'cli',
      ...ground,
      ...formats,
      'core/describe',
      'core/exports',
      ...cliRooms.slice(0, cliRooms.indexOf('cli/remote')),
    ],
    never: [...stores, 'fastify', '@fastify/*'],
  },
  'cli/bin.mjs': { mayImport: ['core/launch.mjs', 'dist/deposit/main.js'] },
}
