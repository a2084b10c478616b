import { exportNames, type ExportName } from '../core/contract/exports.ts'
import {
  describe,
  exportFormats,
  filenameOf,
  mediaTypeOf,
  type Description,
  type ExportFormat,
} from '../core/index.ts'

/** The page `deposit-formats(7)` in Markdown: every format of a record, with an example. */
export function formatsManual(): string {
  const formats = new Map(exportFormats.map((format) => [format.name, format]))
  const entries = exportNames.flatMap((name) => {
    const format = formats.get(name)
    return format === undefined ? [] : [entry(format, purposes[name])]
  })
  return [head, ...entries, foot].join('\n')
}

/** An example of each format; of citations one in each style. */
export function formatExamples(): readonly FormatExample[] {
  return exportFormats.flatMap((format) =>
    (format.styles ?? [undefined]).map((style) => ({
      name: format.name,
      style,
      text: format.write(exampleRecord, style),
    })),
  )
}

interface FormatExample {
  readonly name: string
  readonly style: string | undefined
  readonly text: string
}

function entry(format: ExportFormat, purpose: string): string {
  const { name, title, mediaTypes, byNameOnly, profile, styles } = format
  const [type = ''] = mediaTypes
  const asked = byNameOnly ? `Sent as \`${type}\`, and asked for by its name alone.` : ''
  const types = mediaTypes.map((each) => `\`${each}\``).join(', ')
  const facts = [
    byNameOnly ? asked : `Media type${mediaTypes.length > 1 ? 's' : ''}: ${types}.`,
    profile === undefined ? '' : `Profile: <${profile}>.`,
    `File: \`${filenameOf(format, exampleRecord.id)}\`.`,
  ]
  const examples = formatExamples().filter((each) => each.name === name)
  return [
    `### ${name}\n`,
    `${title}: ${purpose}\n`,
    `${facts.filter(Boolean).join('\n')}\n`,
    ...examples.map(({ style, text }) => {
      const block = text.trimEnd().replaceAll('\r', '').replaceAll(/^/gm, '    ')
      return styles === undefined ? `${block}\n` : `As \`${style}\`:\n\n${block}\n`
    }),
  ].join('\n')
}

/** What each format is for, as the rest of a sentence. */
const purposes: Readonly<Record<ExportName, string>> = {
  json: 'the document itself, with nothing left out, for programs of this service.',
  'datacite-xml': 'what DataCite and its members register, by version 4.7 of its schema.',
  'datacite-json': "the same in the form of DataCite's REST API.",
  'schema-org': 'for search engines such as Google Dataset Search; it is in the page, too.',
  croissant: 'version 1.1, for tools of machine learning that load the files.',
  'ro-crate': 'version 1.2, detached: the metadata of a research object, without its files.',
  'csl-json': 'for citation processors: citeproc, Pandoc, Zotero.',
  bibtex:
    'for LaTeX. Characters that mean something to LaTeX are escaped. The entry is `misc`, which every style knows.',
  ris: 'for reference managers: EndNote, Mendeley, Zotero. Its lines end with CR LF.',
  citation:
    'a sentence for a list of references. Without `?style=` it is in the first of the styles; **deposit cite** prints it.',
  'dublin-core': 'the fifteen elements, as OAI-PMH sends them.',
  cff: 'version 1.2.0, for the root of a repository of code. **deposit create** reads it.',
  codemeta: 'version 3.0, for descriptions of software. **deposit create** reads it.',
  dcat: 'version 3, in Turtle, for catalogues of open data; as RDF/XML by `Accept: application/rdf+xml`.',
  datapackage: "version 2.0 of Frictionless' data packages: the files, with their digests.",
  zenodo:
    'for a repository of code that Zenodo archives. Description, methods and notes are HTML there. **deposit create** reads it, with the same Markdown.',
  linkset: 'all links of the page as one document (RFC 9264), by the FAIR profile of Signposting.',
}

const origin = 'https://deposit.example.org'
const value = '7f3k2-9x8w1'
const page = `${origin}/records/${value}`
const api = `${origin}/api/records/${value}`
const metadata = {
  title: 'Hourly water levels at the north pier, March 2026',
  creators: [
    {
      name: 'Carberry, Josiah',
      given_name: 'Josiah',
      family_name: 'Carberry',
      orcid: '0000-0002-1825-0097',
    },
    { name: 'Harbour Observatory' },
  ],
  description: 'Two weeks of hourly water levels from a radar tide gauge.',
  publication_date: '2026-03-16',
  publisher: 'Harbour Observatory',
  resource_type: 'dataset',
  license: 'CC-BY-4.0',
  keywords: ['tide gauge', 'sea level'],
  related_identifiers: [{ identifier: '10.1234/example', relation: 'IsSupplementTo' }],
  version: '1.0.0',
  language: 'en',
} as const

/** The record of all examples: written by the same writers as any other. */
const exampleRecord: Description = describe({
  id: value,
  isDraft: false,
  revision: 0,
  created: '2026-03-16T09:30:00Z',
  updated: '2026-03-16T09:30:00Z',
  metadata,
  document: { ...metadata },
  files: [
    {
      key: 'levels.csv',
      size: 7392,
      sha256: '8c1f1046219ddd216a023f792356ddf127fce372a72ec9b4cdac989ee5b0b455',
      mediaType: mediaTypeOf('levels.csv'),
      url: `${origin}/api/files/5d6e0c12/levels.csv`,
    },
  ],
  url: page,
  links: { self: api, html: page },
  exports: exportFormats
    .filter(({ name }) => name === 'datacite-xml')
    .map((format) => ({
      name: format.name,
      title: format.title,
      mediaType: format.mediaTypes[0] ?? '',
      profile: format.profile,
      filename: filenameOf(format, value),
      url: `${api}/export/${format.name}`,
    })),
  publisher: { name: 'deposit.example.org', ror: undefined },
  origin,
  today: '2026-03-16',
})

const head = `# DEPOSIT-FORMATS(7)

## NAME

deposit-formats - formats in which a record can be exported

## DESCRIPTION

Every record can be exported in the formats below, and a draft as its record would be. **deposit export**
prints one:

    deposit export ID --as bibtex

Other programs ask for \`/api/records/ID/export/NAME\`, or name the media type at the address of the
record:

    curl ${api}/export/bibtex
    curl -H 'Accept: application/x-bibtex' ${page}

Both answer \`ETag\`, so that \`If-None-Match\` asks whether it has changed, and may be read by
browsers from pages of any origin. If no format has a media type of \`Accept\`, the answer is 406 with
a list of those there are. \`?revision=N\` asks for an older revision. A draft is at
\`/api/deposits/ID/export/NAME\`, for those who may read it.

A value that a format has no place for is left out. If a format demands a value that the record does
not have, it says \`:unav\`, DataCite's code for one that is not known. Files of a record whose files
are restricted are not listed.

Operators add formats of their own by **exports** in **deposit-config**(5).

## PACKAGES

A record with all its files is a ZIP archive at \`/api/records/ID/packages/NAME\`, and a draft at
\`/api/deposits/ID/packages/zip\`, for those who may read it. **deposit export** saves one:

    deposit export ID --as bagit --output bag.zip

All files are in one folder that has the identifier of the record as its name, and are stored as
they are. The bytes follow from the record alone, so the length is known, any range can be asked for,
and an interrupted download continues:

    curl -C - -o ${value}.zip ${api}/packages/zip

Names are those of the files. **deposit check** warns of names that Windows cannot store (\`aux.csv\`,
\`a:b\`, or two that differ only in case), for programs there rename such files or leave them out.

\`ETag\` changes with the bytes. \`?revision=N\` asks for an older revision. \`GET …/packages\` lists
them with their sizes.

**zip**
: The files alone.

**ro-crate**
: The same as an RO-Crate, version 1.2, attached: \`ro-crate-metadata.json\` describes the record, and
  each file with its size, media type and SHA-256; \`ro-crate-preview.html\` says it for people,
  and until when closed files are closed. If
  the files of the record have a \`ro-crate-metadata.json\` in their top folder, they are a crate
  already: they are kept as they are, and nothing is added. A \`ro-crate-preview.html\` of theirs is
  kept, too.

**bagit**
: A bag (BagIt 1.0, RFC 8493). \`data/\` is that crate; \`manifest-sha256.txt\` has the digests of its
  files and \`tagmanifest-sha256.txt\` those of the others; \`bag-info.txt\` says which record it is;
  \`metadata/datacite.xml\` is the record in the format of DataCite. If the crate is the user's own,
  \`metadata/ro-crate-metadata.json\` is that of the record. In the folder of the bag,

      sha256sum --check manifest-sha256.txt

  verifies the files. As the RFC demands, the manifest has \`%25\` for each \`%\` in a name;
  **sha256sum** does not know that, and finds no file of such a name.

**datapackage**
: A Data Package 2.0 (Frictionless): \`datapackage.json\` describes the record, and each file with its
  size, media type and SHA-256. A \`datapackage.json\` of the user's own is kept as it is. A file
  whose name the standard does not allow as a path (hidden, or with \`..\` in it) is listed by its
  address.

**deposit export ID --as ocfl --output DIR** writes an object of OCFL 1.1 as well: a folder with a
version for each revision, whose files are in \`files/\`, beside \`record.json\`, the record as the API
answers it. The server has no such package; **depositd export-ocfl** writes one for every record.

**deposit verify** tells whether a package is complete and unchanged, and **deposit create** makes a
draft of a bag, a crate or a Data Package.

The metadata document of the record is in each of the three as well, with all its fields but those of the
service (\`$schema\`, \`_deposit\`): in a crate as the \`text\` of the entity \`#deposit-record\`, from which
the metadata file says it was made (\`isBasedOn\`), in a Data Package as the property \`deposit:record\`. It
names the service and the record, and has a digest of all that the description says beside it, but for the
files. **deposit create** takes this document, so that a package of one service becomes the same record at
another, and leaves the description out of the files, for the next service writes its own. Another layout of
the file changes nothing. If somebody has changed what it says, the document is not used: the description is
read as one of any other program, is kept as a file, and a note tells so. The files never become more public
by the document than by the description, and an embargo that is over is left out. A \`metadata.yaml\` in the
folder is read in place of both.

## FORMATS

The examples are the same record.
`

const foot = `## WHAT FORMATS LEAVE OUT

\`json\` has everything. The others were made for other purposes:

**bibtex**, **ris**, **csl-json**, **citation**
: What a reference needs: creators, title, date, publisher, version, DOI and address; \`ris\` and
  \`csl-json\` also the type, description, keywords and language. No ORCID iDs, affiliations,
  contributors, funding, places, related works or licenses. An entry of \`bibtex\` is \`@misc\`
  whatever the record is: its styles know neither data sets nor software.

**cff**
: It knows software and data sets: all other types become data sets. Of contributors it has contacts
  alone, of relations none; no publisher, methods, notes, subjects, language, dates of events,
  references, funding, places or limits of access. A date that is no whole day is left out.

**codemeta**
: Types are those of schema.org. Contributors have no roles; a license is one text; of dates it has
  when it was made, and the time it is about; a place is a point or a box; an award is a text beside
  all funders. No methods, notes, end of an embargo or its reason.

**zenodo**
: It has fewer types of works and of dates, licenses by their identifiers, funders by DOIs and grants
  by numbers; a location needs a name, a subject an address; affiliations become one text. It
  publishes itself, so the publisher is left out.

**ro-crate**
: For who reads it without the document of the record: relations without a property of schema.org are
  \`mentions\`, and the description of a related work says which relation it is; roles of contributors are
  \`roleName\`, subjects \`about\`, notes \`comment\`. Of dates it has when it was made, and the time it is
  about. The reason of a restriction, and fields that are not of the schema, are in the document alone.

**datapackage**
: Without that document it has title, creators, contributors with their roles, description, keywords, license,
  version, the day of publication (\`datePublished\`), sources and access.

Suffixes of names (\`Jr.\`) are in a part of their own in \`bibtex\`, \`ris\`, \`csl-json\` and \`cff\`,
and in the whole name elsewhere.

## SEE ALSO

**deposit-export**(1), **deposit-cite**(1), **deposit-metadata**(5), **deposit-config**(5)
`
