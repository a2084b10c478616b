import { asJson, asList, asText, isJson, type Json } from '../exchange.ts'
import type { FieldFault, Version } from '../invenio/store.ts'

/** Identifiers of the vocabulary. @see https://github.com/inveniosoftware/invenio-rdm-records `fixtures/data/vocabularies/resource_types.yaml` */
export const resourceTypes =
  `publication publication-annotationcollection publication-book publication-section
  publication-conferencepaper publication-conferenceproceeding publication-datamanagementplan
  publication-journal publication-article publication-patent publication-peerreview
  publication-preprint publication-deliverable publication-milestone publication-proposal
  publication-report publication-softwaredocumentation publication-taxonomictreatment
  publication-technicalnote publication-workingpaper publication-datapaper
  publication-dissertation publication-standard publication-studyregistration publication-other
  poster presentation event dataset image image-figure image-plot image-drawing image-diagram
  image-photo image-other model video audio software lesson software-computationalnotebook
  other physicalobject workflow project instrument`.split(/\s+/)

const roles = /^[a-z]+$/
const relations = /^[a-z]+$/
const known = [
  'access',
  'custom_fields',
  'files',
  'metadata',
  'pids',
  'parent',
  'id',
  'links',
  'created',
  'updated',
  'revision_id',
  'is_published',
  'is_draft',
  'versions',
  'status',
  'expires_at',
  'errors',
]
/** EDTF level 0. */
const date = /^-?\d{4}(-\d\d(-\d\d)?)?(\/-?\d{4}(-\d\d(-\d\d)?)?)?$/

interface Checked {
  readonly document: Json
  readonly errors: readonly FieldFault[]
}

/** What of a document can be saved, and what is wrong with the rest. @see https://inveniordm.docs.cern.ch/reference/metadata/ */
export function checkDocument(body: Json): Checked {
  const { access, custom_fields, files, metadata, pids } = body
  const unknown = Object.keys(body).filter((name) => !known.includes(name))
  const checked = checkMetadata(asJson(metadata))
  const { record, files: fileAccess } = asJson(access)
  const strange = [record, fileAccess].some(
    (value) => value !== undefined && !['public', 'restricted'].includes(asText(value)),
  )
  const rights = { record: 'public', files: 'public', ...(strange ? {} : asJson(access)) }
  return {
    document: {
      access: rights,
      custom_fields: asJson(custom_fields),
      files: { enabled: true, ...asJson(files) },
      metadata: checked.document,
      pids: asJson(pids),
    },
    errors: [
      ...unknown.map((field) => ({ field, messages: ['Unknown field.'] })),
      ...(strange
        ? [
            {
              field: 'access.record',
              messages: ["'record' must be either 'public' or 'restricted'"],
            },
          ]
        : []),
      ...checked.errors,
    ],
  }
}

function checkMetadata(metadata: Json): Checked {
  const errors: FieldFault[] = []
  const document: Record<string, unknown> = { ...metadata }
  const refuse = (field: string, message: string): void => {
    errors.push({ field: `metadata.${field}`, messages: [message] })
    const [name = ''] = field.split('.')
    delete document[name]
  }
  const { title, publication_date, resource_type } = metadata
  if (title !== undefined && asText(title).length < 3)
    refuse('title', 'Shorter than minimum length 3.')
  if (publication_date === '') delete document['publication_date']
  else if (publication_date !== undefined && !date.test(asText(publication_date))) {
    refuse('publication_date', 'Please provide a valid date or interval.')
  }
  const type = asText(asJson(resource_type)['id'])
  if (resource_type !== undefined && !resourceTypes.includes(type))
    refuse('resource_type', `Invalid value ${type}.`)
  for (const group of ['creators', 'contributors']) {
    asList(metadata[group]).forEach((one, at) => {
      const { person_or_org, role } = asJson(one)
      const { type: kind, name, family_name } = asJson(person_or_org)
      const field = `${group}.${at}.person_or_org`
      if (kind === 'personal' && !family_name)
        refuse(`${field}.family_name`, 'Family name cannot be blank.')
      else if (kind === 'organizational' && !name) refuse(`${field}.name`, 'Name cannot be blank.')
      else if (kind !== 'personal' && kind !== 'organizational')
        refuse(`${field}.type`, 'Invalid value.')
      const id = asText(asJson(role)['id'])
      if (role !== undefined && !roles.test(id))
        refuse(`${group}.${at}.role`, `Invalid value ${id}.`)
      if (role === undefined && group === 'contributors')
        refuse(`${group}.${at}.role`, 'Missing data for required field.')
    })
  }
  asList(metadata['related_identifiers']).forEach((one, at) => {
    const { relation_type, identifier } = asJson(one)
    const id = asText(asJson(relation_type)['id'])
    if (!relations.test(id))
      refuse(`related_identifiers.${at}.relation_type`, `Invalid value ${id}.`)
    if (!identifier)
      refuse(`related_identifiers.${at}.identifier`, 'Missing data for required field.')
  })
  asList(metadata['languages']).forEach((one, at) => {
    const id = asText(asJson(one)['id'])
    if (!/^[a-z]{3}$/.test(id)) refuse(`languages.${at}`, `Invalid value ${id}.`)
  })
  asList(metadata['rights']).forEach((one, at) => {
    const { id, title: name } = asJson(one)
    if (id === undefined && !isJson(name))
      refuse(`rights.${at}`, 'An identifier or title is required.')
    if (id !== undefined && asText(id) !== asText(id).toLowerCase())
      refuse(`rights.${at}`, `Invalid value ${asText(id)}.`)
  })
  return { document, errors }
}

/** @see https://github.com/inveniosoftware/invenio-rdm-records `tests/resources/test_publish_errors.py` */
export function missingForPublishing({ document, files }: Version): readonly FieldFault[] {
  const metadata = asJson(document['metadata'])
  const needed = ['resource_type', 'creators', 'title', 'publication_date']
  const missing = needed
    .filter((name) => asList(metadata[name]).length === 0)
    .map((name) => ({ field: `metadata.${name}`, messages: ['Missing data for required field.'] }))
  const isEnabled = asJson(document['files'])['enabled'] !== false
  const all = [...files.values()]
  const none =
    'Missing uploaded files. To disable files for this record please mark it as metadata-only.'
  const open = 'One or more files have not completed their transfer, please wait.'
  const publisher = 'Missing publisher field required for DOI registration.'
  const external = asJson(asJson(document['pids'])['doi'])['provider'] === 'external'
  const fault = (field: string, message: string) => [{ field, messages: [message] }]
  return [
    ...missing,
    ...(metadata['publisher'] || external ? [] : fault('metadata.publisher', publisher)),
    ...(isEnabled && all.length === 0 ? fault('files.enabled', none) : []),
    ...(all.some(({ isCommitted }) => !isCommitted) ? fault('files.enabled', open) : []),
  ]
}
