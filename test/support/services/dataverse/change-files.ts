import { asJson, asList, readText, type Answer, type Exchange } from '../exchange.ts'
import {
  fileJson,
  hasTerms,
  type Dataset,
  type DatasetFile,
  type DatasetVersion,
} from './dataset.ts'
import {
  append,
  attempt,
  directFile,
  fileById,
  fileMade,
  isTrue,
  jsonData,
  receive,
  summary,
} from './files.ts'
import { badTerms, failed, parseJson, succeeded, type DataverseStore } from './store.ts'

/** `POST replaceFiles`: many that were sent to S3. @see https://guides.dataverse.org/en/latest/developers/s3-direct-upload-api.html#replacing-multiple-existing-files-in-the-dataset */
export async function replaceFiles(store: DataverseStore, exchange: Exchange): Promise<Answer> {
  const dataset = store.findToEdit(exchange)
  const list = await jsonData(exchange)
  const draft = store.openDraft(dataset)
  const results = asList(list).map((one) => {
    const details = asJson(one)
    const { storageIdentifier, fileToReplaceId, forceReplace } = details
    return attempt(storageIdentifier, details, () => {
      if (typeof fileToReplaceId !== 'number')
        throw failed(
          400,
          'You must provide a fileToReplaceId, storageidentifier, filename, and mimetype.',
        )
      const made = directFile(store, details)
      const old = requireReplaceable(store, draft, { id: fileToReplaceId, made })
      requireType(old, made, forceReplace === true)
      draft.files = draft.files.filter(({ id }) => id !== old.id)
      const outcome = { successMessage: 'Replaced successfully in the dataset' }
      return { outcome, file: append(store, dataset, draft, made, details), draft }
    })
  })
  return { body: summary(results, 'Number of files successfully replaced') }
}

/** `POST replace` of a file, with a form or with what was sent to S3. @see https://guides.dataverse.org/en/latest/api/native-api.html#replacing-files */
export async function replaceFile(store: DataverseStore, exchange: Exchange): Promise<Answer> {
  const { dataset, file } = find(store, exchange)
  const { details, sent } = await receive(exchange)
  const draft = store.openDraft(dataset)
  const made = fileMade(store, { details, sent })
  requireReplaceable(store, draft, { id: file.id, made })
  requireType(file, made, isTrue(details['forceReplace']))
  draft.files = draft.files.filter(({ id }) => id !== file.id)
  const added = append(store, dataset, draft, made, details)
  return { body: succeeded({ files: [fileJson(added, draft)] }) }
}

function find(store: DataverseStore, exchange: Exchange): { dataset: Dataset; file: DatasetFile } {
  const found = fileById(store, exchange)
  const parameters = { ...exchange.parameters, id: String(found.dataset.id) }
  store.findToEdit({ ...exchange, parameters })
  return found
}

/** @throws Refusal 400 */
function requireReplaceable(
  { settings, datasets }: DataverseStore,
  draft: DatasetVersion,
  { id, made }: { readonly id: number; readonly made: DatasetFile },
): DatasetFile {
  const old = draft.files.find((file) => file.id === id)
  if (!old) throw failed(400, 'The file to replace does not belong to this dataset.')
  const isPublished = datasets
    .flatMap(({ versions }) => versions)
    .some(({ number, files }) => number !== undefined && files.some((file) => file.id === id))
  if (!isPublished && !settings.replacesUnpublished)
    throw failed(
      400,
      'You cannot replace an unpublished file. Please delete it instead of replacing it.',
    )
  if (old.checksum.value === made.checksum.value)
    throw failed(400, 'Error! You may not replace a file with a file that has duplicate content.')
  return old
}

/** @throws Refusal 400 */
function requireType(old: DatasetFile, made: DatasetFile, isForced: boolean): void {
  if (made.contentType === old.contentType || isForced) return
  throw failed(
    400,
    `The original file (${old.contentType}) and replacement file (${made.contentType}) are different file types.`,
  )
}

/**
 * `PUT restrict`, with `true`, `false`, or JSON.
 *
 * @see https://guides.dataverse.org/en/latest/api/native-api.html#restrict-files
 * @see https://github.com/IQSS/dataverse `RestrictFileCommand.java`
 */
export async function restrictFile(store: DataverseStore, exchange: Exchange): Promise<Answer> {
  const { dataset, file } = find(store, exchange)
  const text = await readText(exchange)
  const restricted = text.trim().startsWith('{')
    ? isTrue(asJson(parseJson(text))['restrict'])
    : text.trim().toLowerCase() === 'true'
  const words = restricted ? 'restricted' : 'unrestricted'
  const refuse = (reason: string) =>
    failed(400, `Problem trying to update restriction status on ${file.label}: ${reason}`)
  if (store.settings.isPublic)
    throw refuse('Restricting files is not permitted on a public installation.')
  if (file.restricted === restricted) throw refuse(`File ${file.label} is already ${words}`)
  const draft = store.openDraft(dataset)
  const files = draft.files.map((one) => (one.id === file.id ? { ...one, restricted } : one))
  if (!hasTerms({ ...draft, files })) throw failed(409, badTerms)
  draft.files = files
  return { body: succeeded({ message: `File ${file.label} ${words}.` }) }
}
