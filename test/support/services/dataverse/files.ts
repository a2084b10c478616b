import {
  asJson,
  asList,
  asText,
  download,
  Refusal,
  store as storeBytes,
  type Answer,
  type Exchange,
  type Json,
  type Stored,
} from '../exchange.ts'
import { readForm, textOf } from '../multipart.ts'
import {
  fileJson,
  latestOf,
  type Dataset,
  type DatasetFile,
  type DatasetVersion,
} from './dataset.ts'
import { unzip } from './unzip.ts'
import { failed, parseJson, succeeded, type DataverseStore } from './store.ts'

/** Formats that are turned into tables unless `tabIngest` is false. */
const tabular = /\.(csv|tsv|sav|por|dta|rdata|xlsx)$/i

/** `POST add`: a form with the bytes, or with what was sent to S3 before. A ZIP file is unpacked. @see https://guides.dataverse.org/en/latest/api/native-api.html#add-a-file-to-a-dataset */
export async function addFile(store: DataverseStore, exchange: Exchange): Promise<Answer> {
  const dataset = store.findToEdit(exchange)
  const { details, sent } = await receive(exchange)
  const draft = store.openDraft(dataset)
  const made = fileMade(store, { details, sent })
  const entries = sent && /\.zip$/i.test(sent.name) ? await unzip(sent.content) : undefined
  if (entries) {
    const unpacked = entries.map(({ label, directory, content }) => {
      const folder = directory === '' ? details : { ...details, directoryLabel: directory }
      const each = fileOf(store, folder, {
        label,
        contentType: 'application/octet-stream',
        content,
      })
      return append(store, dataset, draft, each, details)
    })
    return { body: succeeded({ files: unpacked.map((one) => fileJson(one, draft)) }) }
  }
  const twin = twinOf(store, draft, made)
  const file = append(store, dataset, draft, made, details)
  const warning = twin ? { message: { message: warningOf(twin) } } : {}
  return { body: succeeded({ files: [fileJson(file, draft)] }, warning) }
}

interface Received {
  readonly details: Json
  /** Nothing of a file that went to S3 before. */
  readonly sent:
    | { readonly name: string; readonly type?: string; readonly content: Stored }
    | undefined
}

/** What a form has about a file, and its bytes. */
export async function receive(exchange: Exchange): Promise<Received> {
  let details: Json = {}
  let sent: Received['sent']
  for await (const part of readForm(exchange)) {
    if (part.name === 'jsonData') details = parseJson(await textOf(part))
    if (part.name !== 'file') continue
    const content = await storeBytes(part.body)
    sent = {
      name: part.filename ?? '',
      content,
      ...(part.type !== undefined && { type: part.type }),
    }
  }
  if (!sent && details['storageIdentifier'] === undefined) {
    throw failed(
      400,
      'You must upload a file or provide a valid storageidentifier, filename, and mimetype.',
    )
  }
  return { details, sent }
}

export function fileMade(store: DataverseStore, { details, sent }: Received): DatasetFile {
  if (!sent) return directFile(store, details)
  const { name: label, type: contentType = 'application/octet-stream', content } = sent
  return fileOf(store, details, { label, contentType, content })
}

/** `POST addFiles`: many that were sent to S3. @see https://guides.dataverse.org/en/latest/developers/s3-direct-upload-api.html */
export async function addFiles(store: DataverseStore, exchange: Exchange): Promise<Answer> {
  const dataset = store.findToEdit(exchange)
  const list = await jsonData(exchange)
  const draft = store.openDraft(dataset)
  const results = asList(list).map((one) => {
    const details = asJson(one)
    const { storageIdentifier } = details
    return attempt(storageIdentifier, details, () => {
      const made = directFile(store, details)
      const twin = twinOf(store, draft, made)
      const outcome = twin
        ? { warningMessage: warningOf(twin) }
        : { successMessage: 'Added successfully to the dataset' }
      return { outcome, file: append(store, dataset, draft, made, details), draft }
    })
  })
  return { body: summary(results, 'Number of files successfully added') }
}

/**
 * A file with the same bytes, of which there is a warning; before version 5 it was an error.
 *
 * @see https://github.com/IQSS/dataverse/pull/6924
 * @see https://github.com/GlobalDataverseCommunityConsortium/dataverse-uploader/issues/9
 * @throws Refusal 400
 */
function twinOf(
  { settings }: DataverseStore,
  { files }: DatasetVersion,
  { checksum, label }: DatasetFile,
): DatasetFile | undefined {
  const twin = files.find((file) => file.checksum.value === checksum.value)
  if (twin && !settings.takesDuplicates)
    throw failed(400, `This file already exists in the dataset.  ${label}`)
  return twin
}

const warningOf = ({ label }: DatasetFile): string =>
  `This file has the same content as ${label} that is in the dataset. `

export async function jsonData(exchange: Exchange): Promise<unknown> {
  for await (const part of readForm(exchange)) {
    if (part.name === 'jsonData') return parseJson(await textOf(part))
  }
  throw failed(400, 'Error in parsing provided json')
}

/** Also as text, as forms have it. */
export const isTrue = (value: unknown): boolean => value === true || value === 'true'

interface Done {
  readonly outcome: Json
  readonly file: DatasetFile
  readonly draft: DatasetVersion
}

export function attempt(storageIdentifier: unknown, details: Json, add: () => Done): Json {
  try {
    const { outcome, file, draft } = add()
    return { storageIdentifier, ...outcome, fileDetails: fileJson(file, draft) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const errorMessage = `Bad Request:${asText(asJson(error.answer.body)['message'])}`
    return { storageIdentifier, errorMessage, fileDetails: details }
  }
}

export function summary(results: readonly Json[], count: string): Json {
  const done = results.filter((result) => !('errorMessage' in result)).length
  return succeeded({
    Files: results,
    Result: { 'Total number of files': results.length, [count]: done },
  })
}

interface Sent {
  readonly label: string
  readonly contentType: string
  readonly content: Stored
}

function fileOf(
  store: DataverseStore,
  details: Json,
  { label, contentType, content }: Sent,
): DatasetFile {
  const { size } = content
  const most = store.maxFileSize
  if (size > most)
    throw failed(400, `This file size (${size} B) exceeds the size limit of ${most} B.`)
  if (store.settings.isPublic && isTrue(details['restrict']))
    throw failed(400, 'Restricting files is not permitted on a public installation.')
  const directory = asText(details['directoryLabel'])
  if (/[:<>;#/"*|?\\]/.test(label)) {
    throw failed(
      400,
      'File Name cannot contain any of the following characters:  / : * ? " < > | ; #',
    )
  }
  if (/[^\w\-. \\/]/.test(directory)) {
    throw failed(
      400,
      "Directory Name cannot contain invalid characters. Valid characters are a-Z, 0-9, '_', '-', '.', '\\', '/' and ' ' (white space).",
    )
  }
  return {
    id: store.nextId(),
    label,
    ...(directory !== '' && { directoryLabel: directory }),
    description: asText(details['description']),
    categories: asList(details['categories']).map(asText),
    restricted: isTrue(details['restrict']),
    contentType,
    size,
    checksum: { type: 'MD5', value: content.md5 },
    storageIdentifier: `s3://demo-bucket:${store.nextId().toString(16)}`,
    content,
  }
}

/** The checksum is believed, as by the real one. */
export function directFile(store: DataverseStore, details: Json): DatasetFile {
  const identifier = asText(details['storageIdentifier'])
  const content = store.uploads.get(identifier)?.content
  if (!content)
    throw failed(400, 'Dataset store configuration does not allow provided storageIdentifier.')
  const checksum = asJson(details['checksum'])
  const type = asText(checksum['@type']) || 'MD5'
  const value = asText(checksum['@value']) || asText(details['md5Hash'])
  const contentType = asText(details['mimeType'])
  const label = asText(details['fileName'])
  if (!label || !contentType || !value) throw failed(400, 'The file name cannot be determined.')
  const file = fileOf(store, details, { label, contentType, content })
  return { ...file, checksum: { type, value }, storageIdentifier: identifier }
}

/** Adds a file under a name that is free in its folder, and begins the ingest of a table. */
export function append(
  store: DataverseStore,
  dataset: Dataset,
  draft: DatasetVersion,
  made: DatasetFile,
  details: Json,
): DatasetFile {
  const inFolder = draft.files.filter(
    ({ directoryLabel }) => directoryLabel === made.directoryLabel,
  )
  const taken = new Set(inFolder.map(({ label }) => label))
  const [, stem = made.label, extension = ''] = /^(.+?)(\.[^.]+)?$/.exec(made.label) ?? []
  let label = made.label
  for (let count = 1; taken.has(label); count += 1) label = `${stem}-${count}${extension}`
  const file = { ...made, label }
  draft.files = [...draft.files, file]
  if (tabular.test(label) && isTrue(details['tabIngest'] ?? true)) {
    store.lock(dataset, 'Ingest', () => {
      const table = label.replace(tabular, '.tab')
      const contentType = 'text/tab-separated-values'
      draft.files = draft.files.map((one) =>
        one.id === file.id ? { ...one, label: table, contentType, originalName: label } : one,
      )
    })
  }
  return file
}

export function removeFile(store: DataverseStore, exchange: Exchange): Answer {
  const { dataset } = fileById(store, exchange)
  const parameters = { ...exchange.parameters, id: String(dataset.id) }
  store.findToEdit({ ...exchange, parameters })
  const draft = store.openDraft(dataset)
  draft.files = draft.files.filter(({ id }) => String(id) !== exchange.parameters['file'])
  return {
    body: succeeded({ message: `File ${exchange.parameters['file']} deleted successfully` }),
  }
}

/** @see https://guides.dataverse.org/en/latest/installation/config.html `download-redirect` */
export function readFile(store: DataverseStore, exchange: Exchange): Answer {
  const { dataset, file } = fileById(store, exchange)
  store.find({ ...exchange, parameters: { id: String(dataset.id) } })
  const { downloadsAt } = store.settings
  if (downloadsAt === '') return readBytes(store, exchange)
  return { status: 303, headers: { location: `${downloadsAt}/s3-download/${file.id}` } }
}

/** What S3 answers to a presigned address. */
export function readBytes(store: DataverseStore, exchange: Exchange): Answer {
  const { file } = fileById(store, exchange)
  if (!file.content) throw failed(404, 'Not found')
  return download(file.content, exchange, file.contentType)
}

export function fileById(store: DataverseStore, { parameters }: Exchange) {
  for (const dataset of store.datasets) {
    const file = latestOf(dataset)?.files.find(({ id }) => String(id) === parameters['file'])
    if (file) return { dataset, file }
  }
  throw failed(404, `File with ID ${parameters['file']} not found.`)
}
