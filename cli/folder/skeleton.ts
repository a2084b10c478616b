import { fieldExamples } from '../../core/contract/metadata-examples.ts'
import type { Metadata } from '../client/deposit-client.ts'
import { metadataFields, type MetadataField } from '../metadata/fields.ts'
import { toYaml } from '../output/json.ts'
import { wrap } from '../output/print.ts'
import { pathWord } from '../plain.ts'

/** A new metadata file. */
export interface Skeleton {
  readonly text: string
  /** Recommended fields without a value, and the line of each in the text. */
  readonly unfilled: readonly { readonly field: string; readonly line: number }[]
}

/**
 * A `metadata.yaml` with every field of the schema: those that are known with their values, the
 * other recommended ones empty, all others as comments with an example.
 *
 * @param dir the folder, as the user named it
 */
export async function writeSkeleton(dir: string, known: Metadata): Promise<Skeleton> {
  const names = new Set(metadataFields.map(({ name }) => name))
  const further = Object.entries(known).filter(([name]) => !names.has(name))
  const parts = await Promise.all(metadataFields.map((field) => writeField(field, known)))
  const rest = further.length === 0 ? [] : [await toYaml(Object.fromEntries(further))]
  const text = [intro(dir), ...parts, ...rest].join('\n')
  const lines = text.split('\n')
  const unfilled = metadataFields
    .filter(({ name, isRecommended }) => isRecommended && !Object.hasOwn(known, name))
    .map(({ name: field }) => ({ field, line: lines.indexOf(emptyLine(field)) + 1 }))
  return { text, unfilled }
}

function intro(dir: string): string {
  return comment([
    'Metadata of the deposit that `deposit create` makes of this folder.',
    'To use a field that begins with #, remove the # from its lines.',
    `Check it with: deposit check ${pathWord(dir)}`,
    'All fields, with their parts: man deposit-metadata',
  ])
}

async function writeField(field: MetadataField, known: Metadata): Promise<string> {
  const { name, isRecommended, about } = field
  const listed = [field, ...partsOf(field)].filter(({ values }) => values.length > 0)
  const head = comment([
    `${name}: ${about}`,
    ...listed.map((part) => `Values of ${part.name}: ${part.values.join(', ')}`),
  ])
  if (Object.hasOwn(known, name)) return head + (await toYaml({ [name]: known[name] }))
  const value: unknown = Reflect.get(fieldExamples, name)
  const example = (await toYaml({ [name]: value })).trimEnd()
  if (!isRecommended) return `${head}${example.replaceAll(/^/gm, '#')}\n`
  return head + (placeholders[name] ?? `${emptyLine(name)}\n`)
}

function partsOf({ parts }: MetadataField): readonly MetadataField[] {
  return parts.flatMap((part) => [part, ...partsOf(part)])
}

/** The line where an empty field is filled in. */
function emptyLine(name: string): string {
  return name === 'creators' ? '  - name: ""' : `${name}: ""`
}

const placeholders: Readonly<Record<string, string>> = {
  creators: `creators:
${emptyLine('creators')}
#    orcid: 0000-0002-1825-0097
#    affiliation:
#      - name: Harbour Observatory
#        ror: https://ror.org/04wxnsj81
`,
}

/** Columns of the comments. */
const columns = 78

function comment(lines: readonly string[]): string {
  return lines
    .flatMap((line) => wrap(line, columns).map((part) => `# ${part.trimStart()}\n`))
    .join('')
}
