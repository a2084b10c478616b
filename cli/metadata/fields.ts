import { contributorTypes, relationTypes } from '../../core/contract/datacite.ts'
import schema from '../../core/contract/metadata/fields-v1.0.0.json' with { type: 'json' }
import { packageSchemas } from '../../core/contract/metadata.ts'

/** A field of the package's schemas, for the manual and for a new metadata file. */
export interface MetadataField {
  /** `creators`; of a part, its place: `creators[].orcid`. */
  readonly name: string
  /** `text`, `list of objects`. */
  readonly type: string
  /** One or two sentences; empty if the name says it all. */
  readonly about: string
  /** The only values; empty if there are others. */
  readonly values: readonly string[]
  /** A part that its object must have. */
  readonly isRequired: boolean
  /** A field that a record should have. */
  readonly isRecommended: boolean
  readonly parts: readonly MetadataField[]
}

/** The part of a JSON Schema that our fields use. */
interface Part {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly examples?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Part
  readonly properties?: Readonly<Record<string, Part>>
  readonly required?: readonly string[]
}

const definitions: Readonly<Record<string, Part>> = schema.definitions
const { recommended } = packageSchemas['deposit-v1.0.0.json'] as {
  readonly recommended: readonly string[]
}

/** Every field, in the order of the schema. */
export const metadataFields: readonly MetadataField[] = Object.entries<Part>(schema.properties).map(
  ([name, part]) => toField(name, part, { isRecommended: recommended.includes(name) }),
)

function toField(name: string, given: Part, marks: Partial<MetadataField>): MetadataField {
  const part = resolve(given)
  return {
    name,
    type: typeOf(part),
    about: aboutOf(name, part),
    values: valuesOf(part),
    isRequired: false,
    isRecommended: false,
    parts: partsOf(name, part),
    ...marks,
  }
}

function partsOf(name: string, { items, properties = {}, required = [] }: Part): MetadataField[] {
  if (items !== undefined) return partsOf(`${name}[]`, resolve(items))
  return Object.entries(properties).map(([key, part]) =>
    toField(`${name}.${key}`, part, { isRequired: required.includes(key) }),
  )
}

function resolve(part: Part): Part {
  const name = part.$ref?.split('/').at(-1)
  return (name === undefined ? undefined : definitions[name]) ?? part
}

function typeOf({ type, items, properties, minimum, maximum }: Part): string {
  if (items !== undefined) return `list of ${typeOf(resolve(items)).replaceAll(/t(?=$| )/g, 'ts')}`
  const known = type ?? (properties === undefined ? 'string' : 'object')
  const names = [known].flat().map((name) => (name === 'string' ? 'text' : name))
  const range = minimum === undefined ? '' : ` from ${minimum} to ${maximum}`
  return `${names.join(' or ')}${range}`
}

/** The description, or the title where that says more than the name. */
function aboutOf(name: string, part: Part): string {
  const { title = '', description, examples = [] } = part
  const isListed = valuesOf(part).length > 0
  const isPlain =
    name
      .split(/[.[\]]/)
      .at(-1)
      ?.replaceAll('_', ' ') === title.toLowerCase()
  const said = description ?? (isPlain ? '' : `${title}.`)
  const like = examples.length === 0 || isListed ? '' : `For example: ${examples.join(', ')}.`
  return [said, like].filter(Boolean).join(' ')
}

function valuesOf({ enum: values, format }: Part): readonly string[] {
  if (values !== undefined) return values
  if (format === 'relation-type') return [...relationTypes.values()]
  return format === 'contributor-type' ? [...contributorTypes.values()] : []
}
