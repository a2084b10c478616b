import type { Agent, DescribedFile, Description } from '../describe/description.ts'
import { withCopy } from '../contract/own-copy.ts'
import { copiedFrom, some, toJsonText, type ExportFormat } from './format.ts'

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
  const descriptor = {
    $schema: profile,
    name: about.id.toLowerCase().replaceAll(/[^a-z\d._-]/g, '-'),
    id: about.citedAs,
    title: about.title,
    description: about.description,
    homepage: about.url,
    version: about.version,
    created: about.created,
    // No term of the standard either, and of schema.org.
    datePublished: about.date,
    contributors: some([
      ...about.creators.map((agent) => toContributor(agent, 'creator')),
      ...about.contributors.map((agent) => toContributor(agent, agent.role)),
    ]),
    keywords: some(about.keywords),
    // No term of the standard: who reads the package elsewhere publishes its files no earlier.
    access: about.access.files === 'public' ? undefined : about.access,
    licenses:
      name === undefined && rights?.url === undefined
        ? undefined
        : [{ name, path: rights?.url, title: rights?.name }],
    sources: some(
      about.relations
        .filter(({ relation }) => relation === 'IsDerivedFrom')
        .map(({ identifier, url }) => ({ title: identifier, path: url })),
    ),
  }
  return { ...withCopy(descriptor, copiedFrom(about)), resources: toResources(about) }
}

function toContributor({ name, family, given, orcid, affiliations }: Agent, role: string) {
  return {
    title: name,
    givenName: given,
    familyName: family,
    path: orcid,
    organization:
      affiliations.length === 0 ? undefined : affiliations.map((each) => each.name).join('; '),
    roles: [role],
  }
}

/** A package has at least one: where there are no files, it is the metadata of the record. */
function toResources({ files, links, url }: Description) {
  if (files.length === 0) {
    return [{ name: 'record', path: links['self'] ?? url, mediatype: 'application/json' }]
  }
  const taken = new Map<string, number>()
  return files.map((file) => toResource(file, file.url, taken))
}

function toResource(file: DescribedFile, path: string, taken: Map<string, number>) {
  return {
    name: freeName(file.key, taken),
    path,
    title: file.key,
    format: /\.(\w+)$/.exec(file.key)?.[1]?.toLowerCase(),
    mediatype: file.mediaType,
    bytes: file.size,
    hash: `sha256:${file.sha256}`,
  }
}

/** The descriptor of a record, but for its files: those of a package are written one by one. */
export interface DatapackageFrame {
  readonly before: string
  readonly after: string
}

/** With one resource, in whose place the files are written. */
export function toDatapackageFrame(about: Description): DatapackageFrame {
  const text = toJsonText({ ...toDatapackage({ ...about, files: [] }), resources: ['\0'] })
  const [before = '', after = ''] = text.split('\n    "\\u0000"')
  return { before, after }
}

/** Writes the files of a package that lie beside its descriptor. */
export function* toLocalResources(
  keys: readonly string[],
  describe: (index: number) => DescribedFile,
): Iterable<string> {
  const taken = new Map<string, number>()
  for (const [index, key] of keys.entries()) {
    const file = describe(index)
    const resource = toResource(file, isLocalPath(key) ? key : file.url, taken)
    yield `${index === 0 ? '' : ','}\n    ${JSON.stringify(resource)}`
  }
}

/** What the standard allows as a path: no file is hidden, and none above the descriptor. */
function isLocalPath(key: string): boolean {
  return /^[^./~]/.test(key) && !key.includes('..') && !key.includes('://')
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
