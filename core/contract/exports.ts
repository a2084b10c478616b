/**
 * Names of the formats of a record, in the order of menus. Of those that a request likes alike the
 * first is sent. Operators may add others.
 */
export const exportNames = [
  'json',
  'datacite-xml',
  'datacite-json',
  'schema-org',
  'croissant',
  'ro-crate',
  'csl-json',
  'bibtex',
  'ris',
  'citation',
  'dublin-core',
  'cff',
  'codemeta',
  'dcat',
  'datapackage',
  'zenodo',
  'linkset',
] as const

export type ExportName = (typeof exportNames)[number]

/** Styles of a citation by their names in `text/x-bibliography; style=…`, the usual one first. */
export const citationStyles = [
  'apa',
  'chicago',
  'harvard',
  'ieee',
  'vancouver',
  'datacite',
] as const

export type CitationStyle = (typeof citationStyles)[number]

/** Names of the packages of a record, in the order of menus; a draft has the first alone. */
export const packageNames = ['zip', 'ro-crate', 'bagit', 'datapackage'] as const

export type PackageName = (typeof packageNames)[number]

/** What is written for a package, beside the files of its record: paths below its folder. */
export const writtenFiles: Readonly<Record<PackageName, RegExp>> = {
  zip: /^$/,
  'ro-crate': /^ro-crate-(?:metadata\.json|preview\.html)$/,
  bagit:
    /^(?:bagit\.txt|bag-info\.txt|(?:tag)?manifest-sha256\.txt|metadata\/[\w-]+\.(?:xml|json)|data\/ro-crate-(?:metadata\.json|preview\.html))$/,
  datapackage: /^datapackage\.json$/,
}
