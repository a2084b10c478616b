import type { Agent, Description } from '../describe/description.ts'
import { some, toJsonText, type ExportFormat } from './format.ts'

const profile = 'https://datapackage.org/profiles/2.0/datapackage.json'

/** @see https://datapackage.org/standard/data-package/ */
export const datapackage: ExportFormat = {
  name: 'datapackage',
  title: 'Data Package',
  mediaTypes: ['application/json'],
  byNameOnly: true,
  profile,
  filename: 'datapackage.json',
  extension: '.json',
  write: (about) => toJsonText(toDatapackage(about)),
}

function toDatapackage(about: Description) {
  const { rights } = about
  const name = rights?.id
  return {
    $schema: profile,
    name: about.id.toLowerCase().replaceAll(/[^a-z\d._-]/g, '-'),
    id: about.citedAs,
    title: about.title,
    description: about.description,
    homepage: about.url,
    version: about.version,
    created: about.created,
    contributors: some([
      ...about.creators.map((agent) => toContributor(agent, 'creator')),
      ...about.contributors.map((agent) => toContributor(agent, agent.role)),
    ]),
    keywords: some(about.keywords),
    licenses:
      name === undefined && rights?.url === undefined
        ? undefined
        : [{ name, path: rights?.url, title: rights?.name }],
    sources: some(
      about.relations
        .filter(({ relation }) => relation === 'IsDerivedFrom')
        .map(({ identifier, url }) => ({ title: identifier, path: url })),
    ),
    resources: toResources(about),
  }
}

function toContributor({ name, family, given, orcid, affiliations }: Agent, role: string) {
  return {
    title: name,
    givenName: given,
    familyName: family,
    path: orcid,
    organization: affiliations[0]?.name,
    roles: [role],
  }
}

/** A package has at least one: where there are no files, it is the metadata of the record. */
function toResources({ files, links, url }: Description) {
  if (files.length === 0) {
    return [{ name: 'record', path: links['self'] ?? url, mediatype: 'application/json' }]
  }
  const taken = new Map<string, number>()
  return files.map((file) => ({
    name: freeName(file.key, taken),
    path: file.url,
    title: file.key,
    format: /\.(\w+)$/.exec(file.key)?.[1]?.toLowerCase(),
    mediatype: file.mediaType,
    bytes: file.size,
    hash: `sha256:${file.sha256}`,
  }))
}

/** A name in few characters that no other file has. */
function freeName(key: string, taken: Map<string, number>): string {
  const plain = key
    .toLowerCase()
    .replaceAll(/[^a-z\d._-]+/g, '-')
    .replace(/^[-.]+/, '')
  const base = plain === '' ? 'file' : plain
  let number = taken.get(base) ?? 0
  let name = base
  do {
    number += 1
    name = number === 1 ? base : `${base}-${number}`
  } while (taken.has(name) && number > 1)
  taken.set(base, number).set(name, taken.get(name) ?? 1)
  return name
}
