/** What a layer may know. A layer is a folder or a single file; the longest matching path counts. */
export interface Layer {
  /** Other layers it may import; its own files always. */
  readonly mayImport: readonly string[]
  /** Packages it must not import; a trailing `*` stands for any ending. */
  readonly never?: readonly string[]
}

/** JSON itself: reading, pointing into, measuring and writing it canonically. */
const json = [
  'core/json/json.ts',
  'core/json/json-size.ts',
  'core/json/json-scan.ts',
  'core/json/json-text.ts',
  'core/json/canonical.ts',
]

const floor = [
  'core/base',
  'core/contract',
  'core/base/brand.ts',
  'core/errors/errors.ts',
  'core/errors/unfit-stores.ts',
  ...json,
]

/** From the bottom up: each may import those before it. */
const domain = [
  'core/pid',
  'core/access/caller.ts',
  'core/files',
  'core/schemas',
  'core/record',
  'core/deposit',
  'core/access',
  'core/search',
]

const stores = ['kysely', 'better-sqlite3', 'pg', 'minisearch', '@aws-sdk/*']
const http = ['fastify', '@fastify/*', 'node:http*']
const machinery = [...stores, ...http, 'node:fs*']

const domainLayers = domain.map((folder, floors): [string, Layer] => [
  folder,
  {
    mayImport: [...floor, ...domain.slice(0, floors)],
    never: machinery,
  },
])

/** Where adapters are chosen and everything is brought together. */
const composition = [
  'daemon/serve/build-daemon.ts',
  'daemon/stores/open-parts.ts',
  'daemon/stores/open-search.ts',
  'daemon/stores/open-stores.ts',
]

/** Who may import whom: the layers of `core`, the two programs, and how they start. */
export const layers: Readonly<Record<string, Layer>> = {
  // Knows nothing of deposits: both programs stand on it.
  'core/base': { mayImport: [], never: [...stores, ...http] },
  'core/contract': { mayImport: [], never: machinery },
  'core/base/brand.ts': { mayImport: [] },
  'core/json/json.ts': { mayImport: [] },
  'core/errors/errors.ts': { mayImport: ['core/contract', 'core/json/json.ts'] },
  'core/errors/unfit-stores.ts': { mayImport: [] },
  'core/json/json-size.ts': { mayImport: ['core/json/json.ts'] },
  'core/json/json-scan.ts': { mayImport: ['core/contract', 'core/errors/errors.ts'] },
  'core/json/json-text.ts': {
    mayImport: ['core/errors/errors.ts', 'core/json/json.ts', 'core/json/json-scan.ts'],
  },
  'core/json/canonical.ts': { mayImport: ['core/json/json.ts'] },
  ...Object.fromEntries(domainLayers),
  'core/ports': { mayImport: [...floor, ...domain], never: machinery },
  'core/signals': { mayImport: [...floor, ...domain, 'core/ports'], never: machinery },
  'core/actions': {
    mayImport: [...floor, ...domain, 'core/ports', 'core/signals'],
    never: machinery,
  },
  'core/service': {
    mayImport: [...floor, ...domain, 'core/ports', 'core/signals', 'core/actions'],
    never: machinery,
  },
  'core/adapters': { mayImport: [...floor, ...domain, 'core/ports'], never: http },
  'core/index.ts': {
    mayImport: [...floor, ...domain, 'core/ports', 'core/signals', 'core/actions', 'core/service'],
  },
  'core/launch.mjs': { mayImport: [] },

  daemon: {
    mayImport: [
      ...composition,
      'daemon/pages/text',
      'daemon/pages/wire',
      'core/index.ts',
      'core/base',
      'core/contract',
    ],
  },
  ...Object.fromEntries(
    composition.map((file): [string, Layer] => [
      file,
      {
        mayImport: [
          'daemon',
          ...composition,
          'core/index.ts',
          'core/base',
          'core/contract',
          'core/adapters',
        ],
      },
    ]),
  ),
  // What runs in the browser sees the wire, what JSON is, and the texts.
  'daemon/pages/text': { mayImport: [], never: [...machinery, 'node:*'] },
  'daemon/pages/wire': { mayImport: ['core/json/json.ts'], never: [...machinery, 'node:*'] },
  'daemon/pages/app': {
    mayImport: ['core/contract', 'core/json/json.ts', 'daemon/pages/text', 'daemon/pages/wire'],
    never: [...machinery, 'node:*'],
  },
  'daemon/bin.mjs': { mayImport: ['core/launch.mjs', 'dist/daemon/serve/main.js'] },

  cli: { mayImport: ['core/base', 'core/contract'], never: [...stores, 'fastify', '@fastify/*'] },
  'cli/bin.mjs': { mayImport: ['core/launch.mjs', 'dist/cli/program/main.js'] },
}
