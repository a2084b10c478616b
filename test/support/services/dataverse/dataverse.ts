import type { Answer, Exchange } from '../exchange.ts'
import { citationBlock } from './citation-fields.ts'
import { startService, type FakeService, type Service } from '../service.ts'
import {
  datasetJson,
  draftOf,
  fileJson,
  hasTerms,
  latestOf,
  now,
  versionJson,
  versionOf,
} from './dataset.ts'
import { abortUpload, completeUpload, putToS3, uploadUrls } from './direct-upload.ts'
import { create, edit, requireCollection, update, validate } from './edit-dataset.ts'
import { replaceFile, replaceFiles, restrictFile } from './change-files.ts'
import { addFile, addFiles, readBytes, readFile, removeFile } from './files.ts'
import {
  badTerms,
  DataverseStore,
  failed,
  failure,
  succeeded,
  type DataverseOptions,
} from './store.ts'

/**
 * Dataverse's native API, with direct uploads and the S3 behind them. Not in it: permissions but
 * those of owners, and blocks of metadata other than the citation.
 * @see https://guides.dataverse.org/en/latest/api/native-api.html
 */
export async function startDataverse(options: DataverseOptions = {}): Promise<FakeService> {
  const store = new DataverseStore(options)
  const route = (
    method: string,
    path: string,
    answer: (store: DataverseStore, exchange: Exchange) => Answer | Promise<Answer>,
  ) => ({
    method,
    path,
    answer: (exchange: Exchange) => answer(store, exchange),
  })
  const dataset = '/api/datasets/:id'
  const service: Service = {
    routes: [
      route('GET', '/api/info/version', () => ({
        body: succeeded({ version: '6.8', build: 'demo' }),
      })),
      route('GET', '/api/users/:me', (_, exchange) => ({
        body: succeeded({ identifier: `@${store.requireUser(exchange)}` }),
      })),
      route('GET', '/api/search', search),
      route('GET', '/api/metadatablocks/citation', () => ({ body: succeeded(citationBlock) })),
      route('GET', '/api/dataverses/:alias', readCollection),
      route('GET', '/api/dataverses/:alias/userPermissions', permissions),
      route('GET', '/api/dataverses/:alias/datasetSchema', schema),
      route('POST', '/api/dataverses/:alias/validateDatasetJson', validate),
      route('POST', '/api/dataverses/:alias/datasets', create),
      route('PUT', '/api/datasets/mpupload', completeUpload),
      route('DELETE', '/api/datasets/mpupload', abortUpload),
      route('GET', dataset, (_, exchange) => ({
        body: succeeded(datasetJson(store.find(exchange))),
      })),
      route('DELETE', dataset, removeDraft),
      route('GET', `${dataset}/versions`, versions),
      route('GET', `${dataset}/versions/:version`, readVersion),
      route('PUT', `${dataset}/versions/:version`, update),
      route('DELETE', `${dataset}/versions/:version`, removeDraft),
      route('GET', `${dataset}/versions/:version/files`, listFiles),
      route('PUT', `${dataset}/editMetadata`, edit),
      route('GET', `${dataset}/locks`, locks),
      route('GET', `${dataset}/uploadurls`, uploadUrls),
      route('POST', `${dataset}/add`, addFile),
      route('POST', `${dataset}/addFiles`, addFiles),
      route('POST', `${dataset}/replaceFiles`, replaceFiles),
      route('POST', `${dataset}/actions/:action`, publish),
      route('POST', `${dataset}/submitForReview`, submit),
      route('DELETE', '/api/files/:file', removeFile),
      route('POST', '/api/files/:file/replace', replaceFile),
      route('PUT', '/api/files/:file/restrict', restrictFile),
      route('GET', '/api/access/datafile/:file', readFile),
      route('GET', '/s3-download/:file', readBytes),
      route('PUT', '/s3/demo-bucket/*key', putToS3),
    ],
    before: () => {
      store.countRequest()
      return undefined
    },
    unknown: (_, allowed) => ({
      status: allowed.length > 0 ? 405 : 404,
      body: failure(allowed.length > 0 ? 405 : 404),
    }),
    failure,
    state: () => store.state(),
  }
  return startService(service, options)
}

function readCollection(store: DataverseStore, exchange: Exchange): Answer {
  requireCollection(store, exchange)
  const { alias } = exchange.parameters
  return { body: succeeded({ id: 1, alias, name: alias, isReleased: true }) }
}

function permissions(store: DataverseStore, exchange: Exchange): Answer {
  requireCollection(store, exchange)
  return {
    body: succeeded({
      canAddDataverse: true,
      canAddDataset: store.settings.canAddDataset,
      canPublishDataverse: true,
    }),
  }
}

function schema(store: DataverseStore, exchange: Exchange): Answer {
  requireCollection(store, exchange)
  const metadataBlocks = { type: 'object', required: ['citation'] }
  const datasetVersion = {
    type: 'object',
    required: ['metadataBlocks'],
    properties: { metadataBlocks },
  }
  return {
    body: {
      $schema: 'http://json-schema.org/draft-04/schema#',
      type: 'object',
      properties: { datasetVersion },
      required: ['datasetVersion'],
    },
  }
}

function versions(store: DataverseStore, exchange: Exchange): Answer {
  const dataset = store.find(exchange)
  return {
    body: succeeded(
      [...dataset.versions].reverse().map((version) => versionJson(version, dataset)),
    ),
  }
}

function requireVersion(store: DataverseStore, exchange: Exchange) {
  const dataset = store.find(exchange)
  const name = exchange.parameters['version'] ?? ''
  const version = versionOf(dataset, name)
  if (!version) throw failed(404, `Dataset version ${name} of dataset ${dataset.id} not found`)
  return { dataset, version }
}

function readVersion(store: DataverseStore, exchange: Exchange): Answer {
  const { dataset, version } = requireVersion(store, exchange)
  const { files, ...rest } = versionJson(version, dataset)
  const isShort = exchange.query.get('excludeFiles') === 'true'
  return { body: succeeded(isShort ? rest : { ...rest, files }) }
}

function listFiles(store: DataverseStore, exchange: Exchange): Answer {
  const { version } = requireVersion(store, exchange)
  const { query } = exchange
  const offset = Number(query.get('offset') ?? 0)
  const limit = Number(query.get('limit') ?? Infinity)
  const files = version.files.slice(offset, offset + limit).map((file) => fileJson(file, version))
  return { body: succeeded(files, { totalCount: version.files.length }) }
}

function removeDraft(store: DataverseStore, exchange: Exchange): Answer {
  const dataset = store.findToEdit(exchange)
  const draft = draftOf(dataset)
  if (!draft) throw failed(403, 'Cannot delete a released version')
  dataset.versions.splice(dataset.versions.indexOf(draft), 1)
  if (dataset.versions.length === 0) store.datasets.splice(store.datasets.indexOf(dataset), 1)
  return { body: succeeded({ message: `Draft version of dataset ${dataset.id} deleted` }) }
}

function locks(store: DataverseStore, exchange: Exchange): Answer {
  const dataset = store.find(exchange)
  const wanted = exchange.query.get('type')
  const shown = store.locksOf(dataset).filter(({ type }) => wanted === null || type === wanted)
  const { owner, persistentId } = dataset
  return {
    body: succeeded(
      shown.map(({ type, since }) => ({
        lockType: type,
        date: since,
        user: owner,
        dataset: persistentId,
      })),
    ),
  }
}

/** @see https://guides.dataverse.org/en/latest/api/native-api.html#publish-a-dataset */
function publish(store: DataverseStore, exchange: Exchange): Answer {
  const user = store.requireUser(exchange)
  const dataset = store.find(exchange)
  const { query, parameters } = exchange
  if (parameters['action'] !== ':publish')
    throw failed(404, 'API endpoint does not exist on this server.')
  if (dataset.owner !== user)
    throw failed(401, `User @${user} is not permitted to perform requested action.`)
  const type = query.get('type')?.toLowerCase()
  if (type === undefined)
    throw failed(400, "Missing 'type' parameter (either 'major','minor', or 'updatecurrent').")
  if (type !== 'major' && type !== 'minor') {
    throw failed(
      400,
      `Illegal 'type' parameter value '${type}'. It needs to be either 'major', 'minor', or 'updatecurrent'.`,
    )
  }
  if (query.get('assureIsIndexed') === 'true' && dataset.unindexed >= 0)
    throw failed(409, 'Dataset is awaiting indexing')
  if (dataset.locks.length > 0) {
    const reasons = dataset.locks.map((lock) => lock.type).join(',')
    throw failed(403, `This dataset is locked. Reason: ${reasons}. Please try publishing later.`)
  }
  const draft = draftOf(dataset)
  if (!draft)
    throw failed(
      403,
      `Latest version of dataset ${dataset.persistentId} is already released. Only draft versions can be released.`,
    )
  if (!draft.metadata['license'] && !draft.metadata['termsOfUse']) {
    throw failed(
      403,
      'Dataset must have a valid license or Custom Terms Of Use configured before it can be published.',
    )
  }
  const last = dataset.versions.findLast(({ number }) => number)?.number
  if (type === 'minor' && !last)
    throw failed(403, 'Cannot publish as minor version. Re-try as major release.')
  const [major = 0, minor = 0] = last ?? []
  if (!hasTerms(draft)) throw failed(409, badTerms)
  const { workflow } = store.settings
  const release = (): void => {
    if (workflow === 'fails') return
    if (workflow === 'invalid') {
      store.lock(dataset, 'FileValidationFailed')
      return
    }
    draft.number = type === 'minor' ? [major, minor + 1] : [major + 1, 0]
    draft.updated = now()
  }
  if (workflow === false) {
    release()
    return { body: succeeded(datasetJson(dataset)) }
  }
  const begin = (): void => store.lock(dataset, 'finalizePublication', release)
  if (workflow === 'late') store.lockLater(dataset, begin)
  else begin()
  return { status: 202, body: { status: 'WORKFLOW_IN_PROGRESS', data: datasetJson(dataset) } }
}

function submit(store: DataverseStore, exchange: Exchange): Answer {
  const dataset = store.findToEdit(exchange)
  if (!draftOf(dataset)) throw failed(403, 'Latest version of dataset is already released.')
  store.lock(dataset, 'InReview')
  return { body: succeeded({ inReview: true }) }
}

/** Finds what the index has seen; drafts only for their owner. */
function search(store: DataverseStore, exchange: Exchange): Answer {
  const { query } = exchange
  const user = store.user(exchange)
  const wanted = (query.get('q') ?? '*').replaceAll(/^[\w.]+:|["\\]/g, '').toLowerCase()
  const found = store.datasets.filter(
    (dataset) =>
      dataset.unindexed < 0 &&
      (dataset.owner === user || latestOf(dataset)?.number) &&
      (wanted === '*' || JSON.stringify(dataset.versions).toLowerCase().includes(wanted)),
  )
  const items = found.map(({ persistentId }) => ({
    name: persistentId,
    type: 'dataset',
    global_id: persistentId,
  }))
  return {
    body: succeeded({
      q: query.get('q'),
      total_count: items.length,
      start: 0,
      items,
      count_in_response: items.length,
    }),
  }
}
