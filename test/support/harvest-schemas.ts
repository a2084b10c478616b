import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { validateXML } from 'xmllint-wasm'

const standards = new URL('../../../shared/data/standards/', import.meta.url)
/** The schemas of others are not in the repository. */
export const hasSchemas = existsSync(new URL('oai-all.xsd', standards))
if (!hasSchemas) {
  process.stderr.write(
    'SKIPPED: there is no ../shared/data/standards/oai-all.xsd to validate by.\n',
  )
}

/** Faults of answers of OAI-PMH by its schemas and those of the metadata. */
export async function faultsOfAnswers(answers: readonly string[]): Promise<readonly string[]> {
  const { errors } = await validateXML({
    xml: answers.map((contents, at) => ({ fileName: `${at}.xml`, contents })),
    schema: [{ fileName: 'all.xsd', contents: allSchemas }],
    preload: [{ fileName: 'rdf.xsd', contents: rdfSchema }, ...preloaded()],
    maxMemoryPages: 16_384,
  })
  return errors.map(({ rawMessage }) => rawMessage)
}

/** Faults of a feed as XML. */
export async function faultsOfFeed(feed: string): Promise<readonly string[]> {
  const { errors } = await validateXML({ xml: feed, schema: anyXml })
  return errors.map(({ rawMessage }) => rawMessage)
}

/** Accepts any feed. */
const anyXml = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"
  targetNamespace="http://www.w3.org/2005/Atom">
  <xs:element name="feed"><xs:complexType><xs:sequence>
    <xs:any processContents="skip" minOccurs="0" maxOccurs="unbounded"/>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>`

function file(fileName: string) {
  return { fileName, contents: readFileSync(new URL(fileName, standards), 'utf8') }
}

/** With RDF/XML, whose statements other tests compare. */
const allSchemas = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:include schemaLocation="oai-all.xsd"/>
  <xs:import namespace="http://www.w3.org/1999/02/22-rdf-syntax-ns#" schemaLocation="rdf.xsd"/>
</xs:schema>`
const rdfSchema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"
  targetNamespace="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <xs:element name="RDF"><xs:complexType><xs:sequence>
    <xs:any processContents="skip" minOccurs="0" maxOccurs="unbounded"/>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>`

function preloaded() {
  const folder = 'datacite-4.7/include/'
  const includes = readdirSync(new URL(folder, standards)).map((name) => file(folder + name))
  const others = [
    'oai-all.xsd',
    'OAI-PMH.xsd',
    'oai_dc.xsd',
    'simpledc.xsd',
    'oai-datacite-1.1.xsd',
  ]
  return [...includes, ...[...others, 'datacite-4.7/metadata.xsd'].map(file)]
}
