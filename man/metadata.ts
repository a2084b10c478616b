import { metadataFields, type MetadataField } from '../cli/metadata/fields.ts'
import { toYaml } from '../cli/output/json.ts'
import { fieldExamples } from '../core/contract/metadata-examples.ts'

/** The page `deposit-metadata(5)` in Markdown: every field of the schemas, with an example. */
export async function metadataManual(): Promise<string> {
  const fields = await Promise.all(metadataFields.map(withExample))
  const basic = metadataFields.filter(({ isRecommended }) => isRecommended)
  return [
    head,
    '## FIELDS\n',
    ...fields,
    '## EXAMPLE\n',
    'A file with the recommended fields:\n',
    ...(await Promise.all(basic.map(example))),
    '\n' + foot,
  ].join('\n')
}

async function withExample(field: MetadataField): Promise<string> {
  return [entry(field), `${await example(field)}\n`, ...field.parts.flatMap(entries)].join('\n')
}

function entries(field: MetadataField): readonly string[] {
  return [entry(field), ...field.parts.flatMap(entries)]
}

function entry({ name, type, about, isRequired, isRecommended, values }: MetadataField): string {
  const said = [
    `${type.charAt(0).toUpperCase()}${type.slice(1)}.`,
    isRecommended ? 'Recommended.' : '',
    isRequired ? 'Required.' : '',
    about,
    sayValues(name, values),
  ]
  return `**${name}**\n: ${said.filter(Boolean).join(' ')}\n`
}

/** A list that another field has, too, is told once. */
function sayValues(name: string, values: readonly string[]): string {
  if (values.length === 0) return ''
  const first = metadataFields.find((field) => field.values.join() === values.join())
  if (first !== undefined && first.name !== name)
    return `The values are those of **${first.name}**.`
  return `One of: ${values.join(', ')}.`
}

async function example({ name }: MetadataField): Promise<string> {
  const value: unknown = Reflect.get(fieldExamples, name)
  const yaml = await toYaml({ [name]: value })
  return yaml.trimEnd().replaceAll(/^/gm, '    ')
}

const head = `# DEPOSIT-METADATA(5)

## NAME

deposit-metadata - fields of metadata.yaml

## DESCRIPTION

The metadata of a deposit are one document in YAML or JSON: \`metadata.yaml\`, \`metadata.yml\` or
\`metadata.json\` in the folder that **deposit create** takes, or any file given to \`--metadata\`.
\`deposit check FILE\` shows each fault with its line and column; nothing is sent.

**deposit init** writes one with every field, and your answers to a few questions.

In a folder without such a file, the first of \`.zenodo.json\`, \`ro-crate-metadata.json\`,
\`CITATION.cff\`, \`codemeta.json\` and \`datapackage.json\` is converted; fields that have no equivalent here
are named. A crate or a Data Package that **deposit export** saved comes before the others: it carries the
metadata document of its record, which is taken as it is (deposit-formats(7)).

All fields are optional. The recommended ones cause a warning if they are missing, and so do
**keywords**: search engines and assessments of FAIR data look for them. Google Dataset Search takes a **description** of 50 to 5,000
characters. Pages show it as a small Markdown: paragraphs, lists within each other, headings, quotes, code, links,
tables whose lines begin with \`|\`, and \`*emphasis*\` around whole words; \`\\*\` is a plain star. It is stored as it
was written. Repositories that show HTML get it as HTML (see **deposit-formats**(7)); other exports have it as it was
written. Descriptions in HTML, of a \`.zenodo.json\`, InvenioRDM, DataCite, CSL JSON and others, are read as this
Markdown: \`10<sup>-3</sup>\` becomes 10⁻³, scripts without such characters \`^(…)\` and \`_(…)\`, an image the
link to it. A document whose \`$schema\` is the service's \`deposits/dataset-v1.0.0.json\` cannot
be published without the recommended fields. A field that is not listed here is kept as it is, with a
warning; if it is probably a misspelling of a recommended field that is missing, the data set is not
published.

The fields are at the top of the document, and not in a field \`metadata\`, as the interfaces of Zenodo and
InvenioRDM have them: there they have no effect. A document without any field of its schema is published
with \`--yes\` alone.

A part of an object has the name of the field before it: \`creators[].name\` is the name of each
creator. Terms of DataCite's lists may be in any case, but types are in lower case. Put a text in
quotes if it has a colon followed by a space, or begins with a sign such as \`#\`, \`@\` or \`[\`.

The schemas are served by **depositd** at \`/schemas/\`; an operator may add others, whose fields
only the server knows.
`

const foot = `## ACCESS

Metadata of a record are public. Its files are, too, unless **access** restricts them:

    access: {files: restricted, until: 2027-05-01, reason: A patent is pending.}

Until that day, at 00:00 UTC, nobody gets the bytes, names, sizes or digests of the files but the owners
of the deposit, those they share it with, and administrators. Then the files are public by themselves.
Without \`until\` they stay restricted. \`reason\` is shown to everybody, with the day.
A draft whose day has come before it is published is refused: its files would be public at once. An embargo
of a record that has ended stays in it, also when the record is edited.

The newest revision of a record decides, also for earlier ones. **deposit edit** can shorten, lengthen or
lift an embargo; it cannot close files that are public, since copies of them are out: withdraw the record,
or ask an administrator for a correction. A correction of a record, or of a submitted draft, that leaves
**access** out while the files are closed is refused: it opens them by files: public. A new version takes over access as long as it restricts the
files, and **deposit publish** warns of it, as it does of a new version that opens files which the version
before keeps closed. An embargo that is over is not taken over. Where the files of a record are closed and
the metadata leave **access** out, **deposit publish**, **release** and **batch --update** publish neither an edit
nor a next version, with \`--yes\` either: write \`access: {files: public}\` to make the files public. A terminal asks.

Metadata of others are read as **access** where they are clear: \`access_right\` with \`embargo_date\` of
Zenodo, \`access\` of InvenioRDM, and the words of COAR, OpenAIRE and DataCite in a metadata file that is
converted. In a file of ours, other words (\`access: restricted\`, \`access_right: embargoed\`, an
\`embargo_date\` in the future and the like) are kept in a draft, and are not published unless
**access** keeps the files closed at least as long. That also holds for metadata files of the folder that
are not used. \`access: {files: public}\` says that the data are public, whatever those files say.

**deposit create**, **release**, **publish**, **batch** and **push** do not publish a draft with a field that is
probably meant for **access**: in another spelling (\`acess\`), an unknown one that says \`restricted\`, \`closed\` or
\`embargoed\`, one with a field \`until\` and a day to come, or such a day under a name that tells when files open
(\`until\`, \`data_release\`; not \`valid_until\`). **deposit check** names it, and what to write in its place.
The service itself, and so its pages and its API, refuse to publish \`acess\` and what says \`files: restricted\` under
another name; of a field that may speak of the data, as \`valve: closed\`, it warns, and the commands refuse it.
\`access: {files: public}\` beside such a field settles it, and beside a statement in words, as
\`data_availability: The code is available on request.\` Fields of other services that say how the files are,
as \`access_right\` or \`embargo_date\`, contradict it, and are refused.

## SEE ALSO

**deposit-init**(1), **deposit-create**(1), **deposit-check**(1), **deposit-update**(1), **depositd**(8)
`
