import {
  asJson,
  asList,
  asText,
  readText,
  type Answer,
  type Exchange,
  type Json,
} from '../exchange.ts'
import { fieldsOf, hasTerms, latestOf, missingFields, unreadable, versionJson } from './dataset.ts'
import { badTerms, failed, parseJson, succeeded, type DataverseStore } from './store.ts'

/** @throws Refusal 401 without a key, 404 for a collection that is not there */
export function requireCollection(store: DataverseStore, exchange: Exchange): string {
  const user = store.requireUser(exchange)
  const alias = exchange.parameters['alias'] ?? ''
  if (!store.settings.collections.includes(alias))
    throw failed(404, `Can't find dataverse with identifier='${alias}'`)
  return user
}

export async function validate(store: DataverseStore, exchange: Exchange): Promise<Answer> {
  requireCollection(store, exchange)
  const version = asJson(parseJson(await readText(exchange))['datasetVersion'])
  const fault = unreadable(version) ?? missingFields(version)[0]
  if (fault !== undefined) throw failed(400, fault)
  return {
    body: succeeded({
      message: 'The Dataset JSON provided is valid for this Dataverse Collection.',
    }),
  }
}

export async function create(store: DataverseStore, exchange: Exchange): Promise<Answer> {
  const user = requireCollection(store, exchange)
  const version = asJson(parseJson(await readText(exchange))['datasetVersion'])
  const isLax = exchange.query.get('doNotValidate') === 'true'
  requireValid(version, isLax)
  const { id, persistentId } = store.create(user, version)
  return {
    status: 201,
    headers: { location: `${exchange.origin}/datasets/${id}` },
    body: succeeded({ id, persistentId }),
  }
}

/** @throws Refusal 400 for what cannot be read, 403 for what is missing */
function requireValid(version: Json, isLax = false): void {
  const fault = unreadable(version)
  if (fault !== undefined) throw failed(400, fault)
  const missing = isLax ? [] : missingFields(version)
  if (missing.length === 0) return
  const each = missing.map(
    (text) => `${text} (Invalid value:edu.harvard.iq.dataverse.DatasetField[ id=null ])`,
  )
  throw failed(403, `Validation Failed: ${each.join(', ')}.`)
}

export async function update(store: DataverseStore, exchange: Exchange): Promise<Answer> {
  const dataset = store.findToEdit(exchange)
  if (exchange.parameters['version'] !== ':draft')
    throw failed(400, 'Only the :draft version can be updated')
  const metadata = parseJson(await readText(exchange))
  requireValid(metadata)
  const draft = store.openDraft(dataset)
  const made = { license: draft.metadata['license'], ...metadata }
  if (!hasTerms({ ...draft, metadata: made })) throw failed(409, badTerms)
  draft.metadata = made
  return { body: succeeded(versionJson(draft, dataset)) }
}

/** Fields that are named are filled, or with `replace=true` replaced; others stay. */
export async function edit(store: DataverseStore, exchange: Exchange): Promise<Answer> {
  const dataset = store.findToEdit(exchange)
  const sent = asList(parseJson(await readText(exchange))['fields']).map(asJson)
  const isReplacing = exchange.query.get('replace') === 'true'
  const before = fieldsOf(latestOf(dataset)?.metadata ?? {})
  const kept = before.filter(
    ({ typeName }) => !sent.some((field) => field['typeName'] === typeName),
  )
  const changed = sent.map((field) => {
    const old = before.find(({ typeName }) => typeName === field['typeName'])
    if (!old || isReplacing) return field
    if (old['multiple'] === true)
      return { ...field, value: [...asList(old['value']), ...asList(field['value'])] }
    throw failed(
      400,
      `Error parsing dataset update: You may not add data to a field that already has data and does not allow multiples. Use replace=true to replace existing data (${asText(old['typeName'])})`,
    )
  })
  const { metadata = {} } = latestOf(dataset) ?? {}
  const blocks = asJson(metadata['metadataBlocks'])
  const citation = { ...asJson(blocks['citation']), fields: [...kept, ...changed] }
  const made = { ...metadata, metadataBlocks: { ...blocks, citation } }
  requireValid(made)
  const draft = store.openDraft(dataset)
  draft.metadata = made
  return { body: succeeded(versionJson(draft, dataset)) }
}
