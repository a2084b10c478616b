import { citationFields, subjects } from './citation-fields.ts'
import { asJson, asList, asText, isJson, type Json, type Stored } from '../exchange.ts'

/** A file in a version of a dataset. */
export interface DatasetFile {
  readonly id: number
  readonly label: string
  readonly directoryLabel?: string
  readonly description: string
  readonly categories: readonly string[]
  readonly restricted: boolean
  readonly contentType: string
  readonly size: number
  readonly checksum: { readonly type: string; readonly value: string }
  readonly storageIdentifier: string
  readonly content?: Stored
  /** Its name before it was ingested as a table. */
  readonly originalName?: string
}

export interface DatasetVersion {
  readonly id: number
  /** Nothing for a draft. */
  number?: readonly [number, number]
  updated: string
  metadata: Json
  files: readonly DatasetFile[]
}

export type LockType = 'Ingest' | 'finalizePublication' | 'InReview' | 'FileValidationFailed'

export interface Lock {
  readonly type: LockType
  readonly since: string
  /** So many questions for the locks pass before it is gone. */
  left: number
  readonly end: () => void
}

export interface Dataset {
  readonly id: number
  /** E.g. `doi:10.5072/FK2/ABC123`. */
  readonly persistentId: string
  readonly owner: string
  /** Oldest first. */
  readonly versions: DatasetVersion[]
  locks: readonly Lock[]
  /** Requests until the index has seen its last change. */
  unindexed: number
}

export const latestOf = ({ versions }: Dataset): DatasetVersion | undefined => versions.at(-1)

export const draftOf = (dataset: Dataset): DatasetVersion | undefined =>
  dataset.versions.find(({ number }) => number === undefined)

/** @param name `:draft`, `:latest`, `:latest-published` or `1.0` */
export function versionOf(dataset: Dataset, name: string): DatasetVersion | undefined {
  if (name === ':draft') return draftOf(dataset)
  if (name === ':latest') return latestOf(dataset)
  const published = dataset.versions.filter(({ number }) => number !== undefined)
  if (name === ':latest-published') return published.at(-1)
  return published.find(({ number }) => number?.join('.') === name)
}

/** Restricted files need a way to ask for them, or words. @see https://github.com/IQSS/dataverse `TermsOfUseAndAccessValidator.java` */
export const hasTerms = ({ files, metadata }: DatasetVersion): boolean =>
  files.every(({ restricted }) => !restricted) ||
  metadata['fileAccessRequest'] === true ||
  asText(metadata['termsOfAccess']) !== ''

export const now = (): string => `${new Date().toISOString().slice(0, 19)}Z`

const needed: readonly (readonly [string, string | undefined, string])[] = [
  ['title', undefined, 'Title'],
  ['author', 'authorName', 'Author Name'],
  ['datasetContact', 'datasetContactEmail', 'Point of Contact E-mail'],
  ['dsDescription', 'dsDescriptionValue', 'Description Text'],
  ['subject', undefined, 'Subject'],
]

export const fieldsOf = (version: Json): readonly Json[] =>
  asList(asJson(asJson(version['metadataBlocks'])['citation'])['fields']).map(asJson)

/** What cannot be read as a dataset; nothing if it can. */
export function unreadable(version: Json): string | undefined {
  if (!isJson(version['metadataBlocks'])) return 'Error parsing Json: metadataBlocks are missing.'
  for (const { typeName, typeClass, multiple, value } of fieldsOf(version)) {
    const name = asText(typeName)
    const known = citationFields.find((field) => field.name === name)
    if (!known) return `Error parsing Json: Can't find type '${name}'`
    if (known.multiple !== multiple)
      return `Error parsing Json: incorrect multiple   for field ${name}`
    if (known.typeClass !== typeClass) {
      return `Error parsing Json: incorrect  typeClass for field ${name}, should be ${known.typeClass}`
    }
    if (known.multiple && !Array.isArray(value)) {
      return `Error parsing Json: multiple values expected for field ${name}`
    }
    const parts =
      known.typeClass === 'compound' ? asList(value).flatMap((one) => Object.keys(asJson(one))) : []
    const strangePart = parts.find((part) => !known.parts.some((one) => one.name === part))
    if (strangePart !== undefined) {
      return `Error parsing Json: field ${strangePart} is not a child of ${name}`
    }
    if (name !== 'subject') continue
    const strange = asList(value).find((one) => !subjects.includes(asText(one)))
    if (strange !== undefined) {
      return `Error parsing Json: Value '${asText(strange)}' does not exist in type 'subject'`
    }
  }
  return undefined
}

/** Mandatory fields without a value. @see https://guides.dataverse.org/en/latest/api/native-api.html#create-a-dataset-in-a-dataverse-collection */
export function missingFields(version: Json): readonly string[] {
  const fields = fieldsOf(version)
  return needed.flatMap(([name, part, label]) => {
    const value = fields.find(({ typeName }) => typeName === name)?.['value']
    const [first] = asList(value)
    const given = part === undefined ? first : asJson(asJson(first)[part])['value']
    return asText(given) === '' ? [`${label} is required.`] : []
  })
}

/** @see https://guides.dataverse.org/en/latest/api/native-api.html#get-json-representation-of-a-dataset */
export function versionJson(version: DatasetVersion, dataset: Dataset): Json {
  const { number } = version
  const identifier = { datasetId: dataset.id, datasetPersistentId: dataset.persistentId }
  return {
    id: version.id,
    ...identifier,
    storageIdentifier: `s3://${dataset.persistentId.replace('doi:', '')}`,
    ...(number && { versionNumber: number[0], versionMinorNumber: number[1] }),
    versionState: number ? 'RELEASED' : 'DRAFT',
    latestVersionPublishingState: latestOf(dataset)?.number ? 'RELEASED' : 'DRAFT',
    lastUpdateTime: version.updated,
    ...(number && { releaseTime: version.updated }),
    license: version.metadata['license'],
    metadataBlocks: namedBlocks(version.metadata),
    files: version.files.map((file) => fileJson(file, version)),
  }
}

function namedBlocks({ metadataBlocks }: Json): Json {
  const blocks = Object.entries(asJson(metadataBlocks))
  return Object.fromEntries(
    blocks.map(([name, block]) => [
      name,
      { displayName: 'Citation Metadata', name, ...asJson(block) },
    ]),
  )
}

export function datasetJson(dataset: Dataset): Json {
  const [protocol = '', path = ''] = dataset.persistentId.split(':')
  const [authority = '', ...identifier] = path.split('/')
  const latest = latestOf(dataset)
  return {
    id: dataset.id,
    identifier: identifier.join('/'),
    persistentUrl: `https://doi.org/${path}`,
    protocol,
    authority,
    publisher: 'Demo Dataverse',
    storageIdentifier: `s3://${path}`,
    datasetType: 'dataset',
    ...(latest && { latestVersion: versionJson(latest, dataset) }),
  }
}

export function fileJson(file: DatasetFile, version: DatasetVersion): Json {
  const { description, label, restricted, directoryLabel, categories, checksum } = file
  const named = { description, ...(directoryLabel !== undefined && { directoryLabel }) }
  return {
    ...named,
    label,
    restricted,
    version: 1,
    datasetVersionId: version.id,
    categories,
    dataFile: {
      id: file.id,
      persistentId: '',
      filename: label,
      contentType: file.contentType,
      filesize: file.size,
      ...named,
      categories,
      storageIdentifier: file.storageIdentifier,
      rootDataFileId: -1,
      ...(checksum.type === 'MD5' && { md5: checksum.value }),
      checksum,
      tabularData: file.originalName !== undefined,
      ...(file.originalName !== undefined && { originalFileName: file.originalName }),
      creationDate: version.updated.slice(0, 10),
      fileAccessRequest: false,
    },
  }
}
