import { document, element, type Markup } from './xml.ts'

/** The object of a statement: an address, a term of a vocabulary, a text or a node without a name. */
export type RdfTerm =
  | { readonly iri: string }
  | { readonly term: Term }
  | { readonly text: string; readonly type?: Term }
  | { readonly statements: readonly Statement[] }

/** A predicate and its object; one without an object says nothing. */
export type Statement = readonly [predicate: Term, object: RdfTerm | undefined]

/** What is said about an address. */
export interface RdfNode {
  readonly iri: string
  readonly statements: readonly Statement[]
}

const prefixes = {
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  geo: 'http://www.opengis.net/ont/geosparql#',
  prov: 'http://www.w3.org/ns/prov#',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  spdx: 'http://spdx.org/rdf/terms#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
} as const

/** A name of a vocabulary, such as `dct:title`. */
export type Term = `${keyof typeof prefixes}:${string}`

/** @see https://www.w3.org/TR/turtle/ */
export function toTurtle(nodes: readonly RdfNode[]): string {
  return [
    ...Object.entries(prefixes)
      .filter(([name]) => name !== 'rdf')
      .map(([name, url]) => `@prefix ${name}: <${url}> .`),
    '',
    ...nodes.map(({ iri, statements }) => `\n<${toIri(iri)}>\n  ${joined(statements, ' ;\n  ')} .`),
    '',
  ].join('\n')
}

/** @see https://www.w3.org/TR/rdf-syntax-grammar/ */
export function toRdfXml(nodes: readonly RdfNode[]): string {
  const names = Object.entries(prefixes).map(([name, url]) => [`xmlns:${name}`, url] as const)
  const described = nodes.map(({ iri, statements }) =>
    element('rdf:Description', { 'rdf:about': toIri(iri) }, statements.map(toProperty)),
  )
  return document(element('rdf:RDF', Object.fromEntries(names), described))
}

function toProperty([predicate, object]: Statement): Markup | undefined {
  if (!object) return undefined
  if ('iri' in object) return element(predicate, { 'rdf:resource': toIri(object.iri) }, '')
  if ('term' in object) return element(predicate, { 'rdf:resource': expanded(object.term) }, '')
  if ('text' in object) {
    const type = object.type && expanded(object.type)
    return element(predicate, { 'rdf:datatype': type }, object.text)
  }
  const node = element('rdf:Description', {}, object.statements.map(toProperty))
  return element(predicate, {}, [node])
}

function expanded(term: Term): string {
  const at = term.indexOf(':')
  return prefixes[term.slice(0, at) as keyof typeof prefixes] + term.slice(at + 1)
}

function joined(statements: readonly Statement[], separator: string): string {
  return statements
    .flatMap(([predicate, object]) => (object ? [`${toName(predicate)} ${toObject(object)}`] : []))
    .join(separator)
}

function toName(predicate: Term): string {
  return predicate === 'rdf:type' ? 'a' : predicate
}

function toObject(object: RdfTerm): string {
  if ('iri' in object) return `<${toIri(object.iri)}>`
  if ('term' in object) return object.term
  if ('text' in object) return quoted(object.text) + (object.type ? `^^${object.type}` : '')
  return `[ ${joined(object.statements, ' ; ')} ]`
}

/** Descriptions hold no address with other characters; an operator's own may. */
function toIri(url: string): string {
  return Array.from(url, (letter) =>
    /[\p{Cc}\s<>"{}|^`\\]/u.test(letter) ? encodeURIComponent(letter) : letter,
  ).join('')
}

function quoted(value: string): string {
  return `"${value.replaceAll(/["\\\n\r\t]/g, (character) => escapes.get(character) ?? character)}"`
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])
