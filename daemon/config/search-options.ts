import { Type, type Static } from 'typebox'
import { depositSearch, maxBuckets, type SearchOptions } from '../../core/index.ts'
import { StartFailure } from '../start-failure.ts'

const terms = Type.Object({
  terms: Type.Object(
    {
      field: Type.String({ minLength: 1 }),
      size: Type.Optional(Type.Integer({ minimum: 1, maximum: maxBuckets })),
    },
    { additionalProperties: false },
  ),
})

const facetsOfIndex = Type.Object(
  {
    aggs: Type.Record(Type.String(), terms),
    /** Which aggregations are filters as well; all of them where it is absent. */
    post_filters: Type.Optional(Type.Record(Type.String(), terms)),
  },
  { additionalProperties: false },
)

const sortOption = Type.Object(
  {
    title: Type.String(),
    fields: Type.Array(Type.String({ pattern: '^-?[^-\\s]\\S*$' }), { minItems: 1 }),
    order: Type.Integer({ description: 'Rank in a list of the options.' }),
  },
  { additionalProperties: false },
)

const defaultSort = Type.Object(
  { query: Type.String(), noquery: Type.String() },
  { additionalProperties: false },
)

/** `DEPOSIT_REST_FACETS`, by index. */
export const facets = Type.Record(Type.String(), facetsOfIndex)
/** `DEPOSIT_REST_SORT_OPTIONS`, by index. */
export const sortOptions = Type.Record(Type.String(), Type.Record(Type.String(), sortOption))
/** `DEPOSIT_REST_DEFAULT_SORT`, by index. */
export const defaultSorts = Type.Record(Type.String(), defaultSort)

interface SearchValues {
  readonly DEPOSIT_UI_SEARCH_INDEX: string
  readonly DEPOSIT_REST_FACETS: Static<typeof facets> | undefined
  readonly DEPOSIT_REST_SORT_OPTIONS: Static<typeof sortOptions> | undefined
  readonly DEPOSIT_REST_DEFAULT_SORT: Static<typeof defaultSorts> | undefined
}

/**
 * The names a search may use: the tables' entries for the index, the specification's for a table
 * that is not set.
 *
 * @param endpoint its name, whose option `search_index` is `ownIndex`
 * @throws {StartFailure} a table has nothing for the index, or the tables contradict each other
 */
export function toSearchOptions(
  values: SearchValues,
  maxResultWindow: number,
  endpoint: string,
  ownIndex: string | undefined,
): SearchOptions {
  const index = {
    name: ownIndex ?? values.DEPOSIT_UI_SEARCH_INDEX,
    key:
      ownIndex === undefined
        ? 'DEPOSIT_UI_SEARCH_INDEX'
        : `DEPOSIT_REST_ENDPOINTS.${endpoint}.search_index`,
  }
  const {
    DEPOSIT_REST_FACETS: facetTable,
    DEPOSIT_REST_SORT_OPTIONS: sortTable,
    DEPOSIT_REST_DEFAULT_SORT: defaultTable,
  } = values
  const sorts = entry('DEPOSIT_REST_SORT_OPTIONS', sortTable, index)
  const defaultSort = entry('DEPOSIT_REST_DEFAULT_SORT', defaultTable, index)
  const options = {
    maxResultWindow,
    sortOptions: sorts ?? depositSearch.sortOptions,
    defaultSort: defaultSort ?? depositSearch.defaultSort,
    facets: toFacets(entry('DEPOSIT_REST_FACETS', facetTable, index)) ?? depositSearch.facets,
  }
  for (const name of Object.values(options.defaultSort)) {
    if (Object.hasOwn(options.sortOptions, name.replace(/^-/, ''))) continue
    throw new StartFailure(
      'config',
      `DEPOSIT_REST_DEFAULT_SORT.${index.name} names "${name}", which is not a sort option: ` +
        `${Object.keys(options.sortOptions).join(', ')}.`,
    )
  }
  return options
}

function entry<Entry>(
  name: string,
  table: Readonly<Record<string, Entry>> | undefined,
  index: { readonly name: string; readonly key: string },
): Entry | undefined {
  if (!table || Object.hasOwn(table, index.name)) return table?.[index.name]
  const names = Object.keys(table).join(', ') || 'no others'
  throw new StartFailure(
    'config',
    `${name} has nothing for the index "${index.name}", which ${index.key} names; it has ${names}.`,
  )
}

function toFacets(
  given: Static<typeof facetsOfIndex> | undefined,
): SearchOptions['facets'] | undefined {
  if (!given) return undefined
  for (const [name, filter] of Object.entries(given.post_filters ?? {})) {
    const aggregated = Object.hasOwn(given.aggs, name) ? given.aggs[name]?.terms.field : undefined
    if (aggregated === filter.terms.field) continue
    throw new StartFailure(
      'config',
      `DEPOSIT_REST_FACETS: the post filter "${name}" has no aggregation of that name and field.`,
    )
  }
  const { aggs, post_filters: named } = given
  return Object.fromEntries(
    Object.entries(aggs).map(([name, { terms: counted }]) => {
      return [name, { ...counted, filters: !named || Object.hasOwn(named, name) }]
    }),
  )
}
