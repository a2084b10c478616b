import type { Place } from '../faults/place.ts'

/** Tests that are run at each place; what vitest is to run there. */
export interface Suite {
  readonly name: string
  readonly files: Readonly<Record<Place, readonly string[]>>
}

export const suites: readonly Suite[] = [
  atBoth('test/spec'),
  atBoth('test/uploads'),
  atBoth('test/durability'),
  atBoth('test/security'),
  {
    name: 'test/ports: the rows',
    files: { home: ['test/ports/sqlite-'], 'postgres-s3': ['test/ports/postgres-database'] },
  },
  {
    name: 'test/ports: the bytes',
    files: {
      home: ['test/ports/folder-', 'test/ports/blob-reader'],
      'postgres-s3': ['test/ports/s3-', 'test/ports/strict-s3'],
    },
  },
  {
    name: 'test/ports: search',
    files: {
      home: ['test/ports/minisearch-', 'test/ports/fts-'],
      'postgres-s3': ['test/ports/postgres-index'],
    },
  },
]

/** The same tests at both places. */
function atBoth(folder: string): Suite {
  return { name: folder, files: { home: [`${folder}/`], 'postgres-s3': [`${folder}/`] } }
}
