import fields from './metadata/fields-v1.0.0.json' with { type: 'json' }

/** Fields that the default schema recommends and `dataset` requires. */
const essentials = [
  'title',
  'creators',
  'publication_date',
  'resource_type',
  'license',
  'description',
] as const

/**
 * The schemas of the package, by their path in the registry. All have the same fields, aligned with
 * DataCite's metadata schema 4.7, and allow others.
 *
 * They are written in draft-07, which form builders and validators alike know best. `recommended`
 * is an addition of this service: fields whose lack is a warning before publishing.
 *
 * @see Contract §3.9 and §5, "Metadata fields"
 */
export const packageSchemas = {
  'deposit-v1.0.0.json': schema('Record', {
    description: 'A record of any kind. Nothing is required.',
    recommended: essentials,
  }),
  'deposits/deposit-v1.0.0.json': schema('Deposit', {
    description: 'A record of any kind in preparation. Nothing is required.',
    recommended: essentials,
  }),
  'dataset-v1.0.0.json': schema('Data set', {
    description: 'A data set that can be cited: what DataCite demands, and what its reader needs.',
    properties: withContent(['creators']),
    required: essentials,
  }),
  'deposits/dataset-v1.0.0.json': schema('Data set in preparation', {
    description: 'A data set in preparation; what it must say is checked when it is published.',
    recommended: essentials,
  }),
} as const

interface Head {
  readonly description: string
  readonly properties?: object
  readonly required?: readonly string[]
  readonly recommended?: readonly string[]
}

function schema(title: string, { properties = fields.properties, ...head }: Head): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title,
    ...head,
    type: 'object',
    additionalProperties: true,
    properties,
    definitions: fields.definitions,
  }
}

function withContent(names: readonly 'creators'[]): object {
  const filled = names.map((name) => [name, { ...fields.properties[name], minItems: 1 }] as const)
  return { ...fields.properties, ...Object.fromEntries(filled) }
}
