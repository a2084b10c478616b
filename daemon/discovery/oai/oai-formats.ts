import { dataciteXml, dcatXml, dublinCore, element } from '../../../core/index.ts'
import type { ExportFormat, Markup } from '../../../core/index.ts'

/** A format of the metadata in an answer. */
interface OaiFormat {
  readonly prefix: string
  readonly schema: string
  readonly namespace: string
  readonly format: ExportFormat
  /** Puts its document into another; by default it stands alone. */
  readonly wrap?: (root: Markup) => Markup
}

const ofDatacite = 'http://schema.datacite.org/oai/oai-1.1/'

export const oaiFormats: readonly OaiFormat[] = [
  {
    prefix: 'oai_dc',
    schema: 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd',
    namespace: 'http://www.openarchives.org/OAI/2.0/oai_dc/',
    format: dublinCore,
  },
  {
    prefix: 'oai_datacite',
    schema: 'http://schema.datacite.org/oai/oai-1.1/oai.xsd',
    namespace: ofDatacite,
    format: dataciteXml,
    wrap: (root) =>
      element('oai_datacite', { xmlns: ofDatacite }, [
        element('schemaVersion', {}, '4.7'),
        // The account at DataCite, which a record does not name.
        element('datacentreSymbol', {}, ':unav'),
        element('payload', {}, [root]),
      ]),
  },
  {
    prefix: 'datacite',
    schema: 'https://schema.datacite.org/meta/kernel-4.7/metadata.xsd',
    namespace: 'http://datacite.org/schema/kernel-4',
    format: dataciteXml,
  },
  {
    prefix: 'dcat',
    schema: 'http://www.openarchives.org/OAI/2.0/rdf.xsd',
    namespace: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
    format: dcatXml,
  },
]

/** The document in an answer, without what may stand only at the beginning of a file. */
export function payloadOf({ wrap }: OaiFormat, document: string): Markup {
  const root = { markup: document.replace(/^<\?xml[^>]*\?>\s*/, '') }
  return wrap ? wrap(root) : root
}
