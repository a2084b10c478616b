import { expect, it } from 'vitest'
import type { PublishedRecord } from '../../core/index.ts'
import type { RecordSet } from '../../daemon/config/extensions.ts'
import { oaiSets } from '../../daemon/discovery/oai/sets.ts'

/** A configuration file is JavaScript: its functions may do anything. */
const functions: Readonly<Record<string, (metadata: never) => unknown>> = {
  all: () => true,
  broken: ({ creators }: { readonly creators: readonly unknown[] }) => creators.length > 0,
  late: async () => true,
}

it('a set whose function fails holds no record, and is reported once', () => {
  const reported: unknown[] = []
  const own = Object.entries(functions).map(([name, has]) => [name, { has }])
  const sets = oaiSets(Object.fromEntries(own) as Readonly<Record<string, RecordSet>>, (error) =>
    reported.push(error),
  )
  const record = { value: 'abcde-fghij', metadata: { title: 'T' } } as unknown as PublishedRecord

  expect([sets.of(record), sets.of(record)]).toEqual([['all'], ['all']])
  expect(reported.map(String)).toEqual([
    'Error: sets.broken failed for record abcde-fghij',
    'Error: sets.late failed for record abcde-fghij',
  ])
})
