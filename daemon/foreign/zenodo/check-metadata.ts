import { contributorTypes, termOf } from '../../../core/contract/datacite.ts'
import { isDay } from '../../../core/contract/file-access.ts'
import { doiOf } from '../../../core/contract/foreign-values.ts'
import { threeLetters } from '../../../core/contract/languages.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../../core/index.ts'
import {
  faultsOf,
  firstOf,
  isBlank,
  known,
  listOf,
  objectOf,
  oneOf,
  requiredMessage,
  text,
  textLike,
  type MetadataFault,
  type Rule,
  type Rules,
} from '../rules.ts'
import { isLicense } from './licenses.ts'

const day = textLike(/^\d{4}(?:-\d{2}){0,2}$/, 'Not a valid date.')

const licenseName = known(isLicense, 'Invalid license provided.')

/** An identifier alone, an object that has it, or a list of these. */
const license: Rule = (value, field) => {
  if (isJsonArray(value)) return listOf(license)(value, field)
  return isJsonObject(value)
    ? objectOf({ id: licenseName }, 'id')(value, field)
    : licenseName(value, field)
}

/** With or without its resolver and its hyphens. */
const orcid = textLike(
  /^(?:(?:orcid:\s*|(?:https?:\/\/)?orcid\.org\/))?(?:\d{4}-?){3}\d{3}[\dX]$/i,
  'Invalid ORCID identifier.',
)

const person = { name: text, affiliation: text, orcid, gnd: text }

const isLanguage = (code: string): boolean =>
  /^(?:[a-z]{2}|[a-z]{3})$/i.test(code) && threeLetters(code) !== undefined

const role = known(
  (type) => termOf(contributorTypes, type) !== undefined,
  'Invalid contributor type.',
)

const kinds = {
  access: 'open embargoed restricted closed',
  upload:
    'publication poster presentation dataset image video software lesson physicalobject workflow other',
  publication:
    'annotationcollection article book conferencepaper datamanagementplan datapaper deliverable dissertation milestone other patent peerreview preprint proceeding proposal report section softwaredocumentation standard taxonomictreatment technicalnote thesis workingpaper',
  image: 'figure plot drawing diagram photo other',
}

const rules: Rules = {
  upload_type: oneOf(kinds.upload),
  publication_type: oneOf(kinds.publication),
  image_type: oneOf(kinds.image),
  access_right: oneOf(kinds.access),
  access_conditions: text,
  embargo_date: day,
  publication_date: day,
  title: text,
  description: text,
  creators: listOf(objectOf(person, 'name')),
  contributors: listOf(objectOf({ ...person, type: role }, 'name', 'type')),
  doi: known(
    (doi) => doiOf(doi) !== undefined,
    "The provided DOI is invalid - it should look similar to '10.1234/foo.bar'.",
  ),
  keywords: listOf(text),
  notes: text,
  method: text,
  version: text,
  language: known(isLanguage, 'Language must be either ISO-639-1 or 639-2 compatible.'),
  license,
  references: listOf(text),
  related_identifiers: listOf(
    objectOf(
      { identifier: text, relation: text, scheme: text, resource_type: text },
      'identifier',
      'relation',
    ),
  ),
  communities: listOf(objectOf({ identifier: text }, 'identifier')),
  grants: listOf(objectOf({ id: text }, 'id')),
  subjects: listOf(objectOf({ term: text, identifier: text, scheme: text }, 'term')),
  dates: listOf(objectOf({ type: text, description: text }, 'type')),
  locations: listOf(objectOf({ place: text, description: text }, 'place')),
  thesis_supervisors: listOf(objectOf(person, 'name')),
  custom: objectOf({}),
}

/** The first faults in metadata that a client sends. A draft may lack any field. */
export function findFaults(metadata: JsonObject): readonly MetadataFault[] {
  return firstOf(faultsOf(rules, metadata, 'metadata.'))
}

/** Every fault that keeps Zenodo from publishing metadata, and us. */
export function findPublishFaults(metadata: JsonObject): readonly MetadataFault[] {
  const { upload_type: type, access_right: access } = metadata
  const required = [
    'title',
    'upload_type',
    'description',
    'creators',
    ...(type === 'publication' ? ['publication_type'] : []),
    ...(type === 'image' ? ['image_type'] : []),
  ]
  const missing = required
    .filter((name) => isBlank(metadata[name]))
    .map((name) => ({ field: `metadata.${name}`, message: requiredMessage }))
  const { embargo_date: end } = metadata
  if (access !== 'embargoed' || isDay(end)) return missing
  const message = isBlank(end) ? requiredMessage : 'The day is missing: write it as YYYY-MM-DD.'
  return [...missing, { field: 'metadata.embargo_date', message }]
}
