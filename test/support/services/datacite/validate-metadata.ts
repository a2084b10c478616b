import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { validateXML } from 'xmllint-wasm'
import { breaches, type Breach } from './kernel-rules.ts'
import { parseXml, XmlFault } from './xml-tree.ts'

/** The schema has no licence that allows a copy in this repository. */
const folder = new URL('../../../../../shared/data/standards/datacite-4.7/', import.meta.url)
const schemaFile = new URL('metadata.xsd', folder)
export const hasSchema = existsSync(schemaFile)

/**
 * What breaks schema 4.7 in a document, by the rules beside this file: as the schema says it, in a
 * hundredth of the time.
 * @see https://github.com/datacite/lupo `app/validators/xml_schema_validator.rb`
 */
export function breachesOfRules(xml: string): readonly Breach[] {
  try {
    const root = parseXml(xml)
    const { name, namespace, line } = root
    if (name === 'resource' && namespace.startsWith('http://datacite.org/schema/kernel-4')) {
      return breaches(root)
    }
    const message = 'No matching global declaration available for the validation root.'
    return [{ source: 'resource', message, line }]
  } catch (error) {
    if (error instanceof XmlFault) return [{ source: 'resource', message: error.message, line: 1 }]
    throw error
  }
}

export async function breachesOfSchema(xml: string): Promise<readonly Breach[]> {
  const includes = new URL('include/', folder)
  const { errors } = await validateXML({
    xml: [{ fileName: 'metadata.xml', contents: xml }],
    schema: [{ fileName: 'metadata.xsd', contents: readFileSync(schemaFile, 'utf8') }],
    preload: readdirSync(includes).map((file) => ({
      fileName: `include/${file}`,
      contents: readFileSync(new URL(file, includes), 'utf8'),
    })),
  })
  return errors.map(({ rawMessage, loc }) => {
    const [, element = "resource'", message = rawMessage] =
      /Element '(?:\{[^}]*\})?(.*?)'(?=: ): (.*)$/s.exec(rawMessage) ?? []
    return { source: element.replace(/'$/, ''), message, line: loc?.lineNumber ?? 1 }
  })
}
