import type { Description } from '../describe/description.ts'
import { some, toJsonText, type ExportFormat } from './format.ts'
import { toSchemaOrg } from './schema-org.ts'

/** @see https://codemeta.github.io/terms, version 3.0 */
export const codemeta: ExportFormat = {
  name: 'codemeta',
  title: 'CodeMeta',
  mediaTypes: ['application/vnd.codemeta.ld+json'],
  profile: 'https://w3id.org/codemeta/3.0',
  filename: 'codemeta.json',
  extension: '.json',
  write: (about) => toJsonText(toCodemeta(about)),
}

/** Schema.org in CodeMeta's context: creators are its authors, and code has a repository. */
function toCodemeta(about: Description) {
  const { creator, distribution, includedInDataCatalog, measurementTechnique, ...shared } =
    toSchemaOrg(about)
  const code = about.relations.find(
    ({ relation, scheme, url }) =>
      relation === 'IsSupplementTo' && scheme === 'URL' && url !== undefined,
  )
  const awards = about.funding.flatMap(({ award }) => award ?? [])
  return {
    '@context': 'https://w3id.org/codemeta/3.0',
    ...shared,
    author: creator,
    codeRepository: about.resourceType?.general === 'Software' ? code?.url : undefined,
    funder: shared.funding?.map(({ funder }) => funder),
    funding: awards.length === 1 ? awards[0] : some(awards),
  }
}
