import { describe, expect, it } from 'vitest'
import { bibtex } from '../../core/exports/bibtex.ts'
import { ris } from '../../core/exports/ris.ts'
import { ExportThread } from '../../core/exports/export-thread.ts'
import { exportFormats } from '../../core/exports/registry.ts'
import { describeDocument, sourceOf } from '../support/describe-document.ts'

const josiah = { name: 'Carberry, Josiah', given_name: 'Josiah', family_name: 'Carberry' }

describe('the BibTeX entry of a record', () => {
  it('splits the names of people into parts', () => {
    const creators = [
      josiah,
      { name: 'Le Guen, Maëlle', given_name: 'Maëlle', family_name: 'Le Guen' },
      { name: 'van der Berg, Jan' },
      { name: 'German Research Foundation' },
      { name: 'University of Oxford, Department of Physics, UK' },
      { name: 'University of California, Berkeley' },
      { name: 'Group, Ada', orcid: 'https://orcid.org/0000-0002-1825-0097' },
      { name: 'R&D_team {x}' },
    ]

    expect(bibtex.write(describeDocument({ creators }))).toContain(
      String.raw`author = {Carberry, Josiah and {Le Guen}, Maëlle and van der Berg, Jan and {German Research Foundation} and {University of Oxford, Department of Physics, UK} and {University of California, Berkeley} and Group, Ada and {R\&D\_team \textbraceleft{}x\textbraceright{}}}`,
    )
  })

  it('has the suffix of a name in its own part', () => {
    const names = [
      'King, Martin Luther, Jr.',
      'King, Jr., Martin Luther',
      'King Jr., Martin Luther',
    ]
    for (const name of names)
      expect(bibtex.write(describeDocument({ creators: [{ name }] }))).toContain(
        'author = {King, Jr., Martin Luther}',
      )
    const creators = [
      { name: 'King, Martin Luther, III', family_name: 'King', given_name: 'Martin' },
    ]
    expect(bibtex.write(describeDocument({ creators }))).toContain('author = {King, III, Martin}')
  })

  it('has all fields of a data set', () => {
    const metadata = {
      title: 'Sea level at 5 % of {all} stations',
      creators: [josiah],
      publication_date: '2026-11-20',
      resource_type: 'dataset',
      publisher: 'Institute of the Coast',
      version: '1.0',
    }

    expect(bibtex.write(describeDocument(metadata))).toBe(
      String.raw`@misc{abcde-12345,
  author = {Carberry, Josiah},
  title = {{Sea level at 5 \% of \textbraceleft{}all\textbraceright{} stations}},
  year = {2026},
  date = {2026-11-20},
  howpublished = {Institute of the Coast},
  publisher = {Institute of the Coast},
  version = {1.0},
  url = {https://deposit.example.org/records/abcde-12345}
}
`,
    )
  })

  it.for([
    ['dataset', 'DATA'],
    ['software', 'COMP'],
    ['report', 'RPRT'],
    ['', 'GEN'],
  ] as const)('of the type %j is one that every style knows, in RIS %s', ([resourceType, type]) => {
    const described = describeDocument({ resource_type: resourceType })

    expect(bibtex.write(described).startsWith('@misc{')).toBe(true)
    expect(ris.write(described).startsWith(`TY  - ${type}\r\n`)).toBe(true)
  })

  it('escapes markup', () => {
    const title = String.raw`\input{x} ~ ^ # $ % & _ <a|b> -- `

    expect(bibtex.write(describeDocument({ title }))).toContain(
      String.raw`{{$\backslash$input\textbraceleft{}x\textbraceright{} \textasciitilde{} \textasciicircum{} \# \$ \% \& \_ $<$a$|$b$>$ -{}-}}`,
    )
  })
})

describe('the RIS entry of a record', () => {
  it('has a line for each name, and one for the publisher', () => {
    const lines = ris
      .write(describeDocument({ creators: [{ ...josiah, name: 'Josiah S. Carberry' }] }))
      .split('\r\n')

    expect(lines).toContain('AU  - Carberry, Josiah')
    expect(lines).toContain('PB  - deposit.example.org')
  })
})

describe('a large record', () => {
  const creators = Array.from({ length: 3000 }, (_, at) => ({ name: `Carberry, Josiah ${at}` }))
  const document = { title: 'Half a pair: \ud83d', creators }
  const keys = Array.from({ length: 300 }, (_, at) => `tides ${at}.csv`)

  it('is written off the event loop, with the same result as on it', async () => {
    await using thread = new ExportThread()
    let turns = 0
    const counting = setInterval(() => (turns += 1), 0)
    const formats = exportFormats.filter(({ name }) => name !== 'citation')
    const texts = await Promise.all(
      formats.map((format) => thread.write(sourceOf(document, keys), format)),
    )
    clearInterval(counting)
    const apa = exportFormats.filter(({ name }) => name === 'citation')
    const styled = apa.map((format) => thread.write(sourceOf(document, keys), format, 'ieee'))

    const about = describeDocument(document, keys)
    expect(texts).toEqual(formats.map((format) => format.write(about)))
    expect(await Promise.all(styled)).toEqual(apa.map((format) => format.write(about, 'ieee')))
    expect(turns).toBeGreaterThan(2)
  })

  it('lists all of 10,000 files in the formats that list files', async () => {
    await using thread = new ExportThread()
    const many = Array.from({ length: 10_000 }, (_, at) => `tides/${at}.csv`)
    const names = ['schema-org', 'croissant', 'ro-crate', 'dcat', 'datapackage', 'linkset']
    const formats = exportFormats.filter(({ name }) => names.includes(name))

    for (const format of formats) {
      const text = await thread.write(sourceOf({ title: 'Tides' }, many), format)
      const listed = new Set(text.match(/tides\/\d+\.csv/g))
      expect([format.name, listed.size]).toEqual([format.name, many.length])
    }
  })

  it('is written once for all who ask for the same meanwhile', async () => {
    await using thread = new ExportThread()
    const written: string[] = []
    const write = async (name: string) => {
      const format = exportFormats.find((each) => each.name === name) ?? ris
      written.push(name)
      await thread.write(sourceOf(document, keys), format)
      written.push(`${name} done`)
    }
    await Promise.all(['ris', 'bibtex', 'ris'].map(write))

    expect(written.slice(3)).toEqual(['ris done', 'ris done', 'bibtex done'])
  })

  it('is written in a format that the configuration adds', async () => {
    await using thread = new ExportThread()
    const own = {
      name: 'own',
      title: 'Own',
      mediaTypes: ['text/x-own'],
      extension: '.own',
      write: ({ creators: all }: { readonly creators: readonly object[] }) => `${all.length}`,
    }

    expect(await thread.write(sourceOf(document), own)).toBe('3000')
  })
})
