import { dataciteXml, dublinCore, element } from '../../../core/index.ts'
import type { Description, ExportFormat, Markup } from '../../../core/index.ts'

/** A format of the metadata in an answer. */
interface OaiFormat {
  readonly prefix: string
  readonly schema: string
  readonly namespace: string
  readonly write: (about: Description) => Markup
}

const ofDatacite = 'http://schema.datacite.org/oai/oai-1.1/'

export const oaiFormats: readonly OaiFormat[] = [
  {
    prefix: 'oai_dc',
    schema: 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd',
    namespace: 'http://www.openarchives.org/OAI/2.0/oai_dc/',
    write: (about) => rootOf(dublinCore, about),
  },
  {
    prefix: 'oai_datacite',
    schema: 'http://schema.datacite.org/oai/oai-1.1/oai.xsd',
    namespace: ofDatacite,
    write: (about) =>
      element('oai_datacite', { xmlns: ofDatacite }, [
        element('schemaVersion', {}, '4.7'),
        // The account at DataCite, which a record does not name.
        element('datacentreSymbol', {}, ':unav'),
        element('payload', {}, [rootOf(dataciteXml, about)]),
      ]),
  },
  {
    prefix: 'datacite',
    schema: 'https://schema.datacite.org/meta/kernel-4.7/metadata.xsd',
    namespace: 'http://datacite.org/schema/kernel-4',
    write: (about) => rootOf(dataciteXml, about),
  },
]

/** The document without what may stand only at the beginning of a file. */
function rootOf(format: ExportFormat, about: Description): Markup {
  return { markup: format.write(about).replace(/^<\?xml[^>]*\?>\s*/, '') }
}
