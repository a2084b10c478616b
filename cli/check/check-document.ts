import type { ErrorObject } from 'ajv'
import { findAccessLimits } from '../../core/contract/access-limits.ts'
import { defaults } from '../../core/contract/defaults.ts'
import { parsePointer, valueAt } from '../../core/base/json.ts'
import { findWrapped } from '../../core/contract/described.ts'
import { findDoubts, findMisspelt, findMissing } from '../../core/contract/metadata-advice.ts'
import { packageSchemas } from '../../core/contract/metadata.ts'
import { toFault } from '../../core/contract/schema-fault.ts'
import { findStrayAccess, isPackageField } from '../../core/contract/stray-access.ts'
import type { Metadata } from '../client/deposit-client.ts'
import { findPastEmbargo } from '../metadata/past-embargo.ts'
import { limitBehind, type OtherAccess } from '../metadata/other-access.ts'
import type { MetadataFile } from '../metadata/read-metadata.ts'
import type { Finding, Findings } from '../output/finding.ts'
import { validatorOf, type SchemaName } from './schema-validators.ts'

/**
 * A draft may be incomplete: only the types of its fields are checked. `edit` checks all that is
 * present; `publish` also finds what is missing.
 */
export type Purpose = 'draft' | 'edit' | 'publish'

/** Decides by keyword of the schema whether a finding is an error or a warning. */
const isFault: Readonly<Record<Purpose, (keyword: string) => boolean>> = {
  draft: (keyword) => keyword === 'type',
  edit: (keyword) => keyword !== 'required',
  publish: () => true,
}

/**
 * Checks a document for `purpose`: against the package's schema in its `$schema`, or the default,
 * and its access. Only the server knows an operator's own schema.
 */
export async function checkDocument(document: Metadata, purpose: Purpose): Promise<Findings> {
  const now = new Date().toISOString()
  const limits = limitsOf(document, now)
  const name = schemaOf(document)
  const unknown = name === undefined ? [unknownSchema(document)] : []
  const schema: object = name === undefined ? {} : packageSchemas[name]
  const found = name === undefined ? [] : await validate(name, document)
  // Limits say what to write.
  const isTold = ({ field }: Finding): boolean => limits.some((limit) => limit.field === field)
  const [faults, gaps] = [true, false].map((isWrong) =>
    found.flatMap(({ fault, keyword }) => (isFault[purpose](keyword) === isWrong ? [fault] : [])),
  )
  const { spdx } = document['license'] === undefined ? noLicense : await loadSpdx()
  const wrapped = findWrapped({ ...schema }, document)
  const isLast = purpose === 'publish'
  const missing = isLast ? findMissing({ ...schema }, document) : (gaps ?? [])
  const misspelt = isLast ? findMisspelt({ ...schema }, document) : []
  const isNew = (found: Finding): boolean =>
    !isTold(found) && [...misspelt, ...wrapped].every(({ field }) => field !== found.field)
  return {
    errors: [
      ...(faults ?? []).filter((fault) => !isTold(fault)),
      ...(isLast ? [...limits, ...findPastEmbargo(document)] : []),
      ...misspelt,
    ],
    warnings: [
      // The reason of most others.
      ...wrapped,
      ...missing.filter((gap) => !isTold(gap)),
      ...(isLast ? [] : limits),
      ...unknown,
      ...(purpose === 'draft' ? findPastEmbargo(document) : []),
      ...findDoubts({ ...schema }, document, { now, spdx }).filter(isNew),
    ],
  }
}

async function loadSpdx(): Promise<typeof noLicense> {
  return { spdx: (await import('spdx-correct')).default }
}

const noLicense = { spdx: (_text: string): string | null => null }

/** Statements that the files are closed, and fields that are probably meant to close them. */
function limitsOf(document: Metadata, now: string): readonly Finding[] {
  const limits = findAccessLimits(document, now).map(({ field, message }) => ({ field, message }))
  const isFound = ({ field }: Finding): boolean =>
    limits.some((limit) => limit.field === field || limit.field.startsWith(`${field}/`))
  return [...limits, ...strayIn(document).filter((found) => !isFound(found))]
}

/** Fields that are probably meant to close the files: a service keeps them as they are. */
export function strayIn(document: Metadata): readonly Finding[] {
  return findStrayAccess(document, new Date().toISOString(), isPackageField).map(
    ({ field, message }) => ({ field, message }),
  )
}

/** The origin of a document. */
export interface Origin {
  readonly source?: MetadataFile | undefined
  /** Other files beside it. */
  readonly other?: OtherAccess | undefined
}

/** As {@link checkDocument}, with the place of each finding in the files of the document. */
export async function checkMetadata(
  document: Metadata,
  { source, other }: Origin,
  purpose: Purpose,
): Promise<Findings> {
  const { errors, warnings } = await checkDocument(document, purpose)
  const place = source === undefined ? undefined : await placeIn(source)
  const isOfFile = ({ field }: Finding): boolean => {
    const [name = ''] = parsePointer(field) ?? []
    return valueAt(document, [name]) === valueAt(source?.metadata, [name])
  }
  // A recommended field that is absent has no place in the file.
  const isThere = ({ field }: Finding): boolean =>
    valueAt(document, parsePointer(field) ?? []) !== undefined
  const limit = other && limitBehind(document, other)
  const limits = limit === undefined ? [] : [limit]
  const placed = (found: Finding, mayBeAbsent: boolean): Finding => {
    if (place === undefined || !isOfFile(found)) return found
    return mayBeAbsent || isThere(found) ? place(found) : found
  }
  return {
    errors: [
      ...errors.map((found) => placed(found, true)),
      ...(purpose === 'publish' ? limits : []),
    ],
    warnings: [
      ...warnings.map((found) => placed(found, false)),
      ...(purpose === 'publish' ? [] : limits),
    ],
  }
}

async function placeIn(source: MetadataFile): Promise<(finding: Finding) => Finding> {
  const { file, text, foreignText, metadata } = source
  if (text === undefined) {
    const { locateText } = await import('../metadata/locate.ts')
    return (finding) => {
      const value = valueAt(metadata, parsePointer(finding.field) ?? [])
      if (foreignText === undefined || typeof value !== 'string') return { ...finding, file }
      return { ...finding, file, ...locateText(foreignText, value) }
    }
  }
  const { locateIn } = await import('../metadata/locate.ts')
  const locate = locateIn(text)
  return (finding) => ({ ...finding, file, ...locate(finding.field) })
}

/** The schema of the record, which is stricter than that of the draft. */
export function schemaOf({ $schema: given }: Metadata): SchemaName | undefined {
  const path = typeof given === 'string' ? given : defaults.DEPOSIT_DEFAULT_JSONSCHEMA
  const [, name = ''] = /(?:^|\/)([\w.-]+\.json)#?$/.exec(path) ?? []
  return isSchemaName(name) ? name : undefined
}

function isSchemaName(name: string): name is SchemaName {
  return Object.hasOwn(packageSchemas, name)
}

interface SchemaFinding {
  readonly fault: Finding
  readonly keyword: string
}

async function validate(name: SchemaName, document: Metadata): Promise<readonly SchemaFinding[]> {
  const isValid = await validatorOf(name)
  if (isValid(document)) return []
  const found = (isValid.errors ?? []).map(toFinding)
  return [...new Map(found.map((one) => [`${one.fault.field} ${one.fault.message}`, one])).values()]
}

function toFinding(error: ErrorObject): SchemaFinding {
  const { field, message } = toFault(error)
  return { fault: { field, message }, keyword: error.keyword }
}

function unknownSchema({ $schema: schema }: Metadata): Finding {
  return { field: '/$schema', message: `${String(schema)} is checked by the server alone.` }
}
