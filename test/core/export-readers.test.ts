import { parse } from '@retorquere/bibtex-parser'
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bibtex } from '../../core/exports/bibtex.ts'
import { ris } from '../../core/exports/ris.ts'
import { describeDocument } from '../support/describe-document.ts'

/** Words of names and titles, with the characters that are special in BibTeX. */
const word = fc.stringMatching(/^[A-ZÄÖÜÉŁ][a-zäöüéłß]{1,8}$/)
const words = (most: number) =>
  fc.array(word, { minLength: 1, maxLength: most }).map((all) => all.join(' '))
const title = fc
  .tuple(
    words(4),
    fc.constantFrom('', ' & Co', ' 5 %', ' #1', ' a_b', ' $2', ': "quoted"', ' — 漢字'),
  )
  .map(([start, end]) => start + end)
const person = fc.record({ given_name: words(2), family_name: words(2) })
const documents = fc
  .record({
    title,
    creators: fc.array(person, { minLength: 1, maxLength: 4 }),
    publication_date: fc.constantFrom('2024', '2025-02', '2026-11-20'),
    resource_type: fc.constantFrom('dataset', 'software', 'report'),
    doi: fc.constantFrom('10.1234/abc', '10.5281/zenodo.1234567', '10.1000/x_y-z(1)'),
  })
  .map((document) => ({
    ...document,
    creators: document.creators.map((each) => ({
      ...each,
      name: `${each.family_name}, ${each.given_name}`,
    })),
  }))

const samples = fc.sample(documents, { numRuns: 100, seed: 17 })
const wanted = samples.map((document) => ({
  names: document.creators.map(({ family_name: family, given_name: given }) => ({ family, given })),
  title: document.title,
  year: document.publication_date.slice(0, 4),
  doi: document.doi,
}))

/** Titles that are hard to escape: braces that do not match, commands, ligatures. */
const hostileTitles = fc.sample(
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '{',
          '}',
          '\\',
          String.raw`\input`,
          '$',
          '%',
          '#',
          '~',
          '_',
          '&',
          '@',
          '<',
          '>',
        ),
        fc.constantFrom(
          '|',
          '--',
          "''",
          '?`',
          '"',
          ',',
          '=',
          'and',
          String.raw`\{`,
          '}}',
          '%}',
          'a',
          'Ä',
        ),
      ),
      { minLength: 1, maxLength: 12 },
    )
    .map((parts) => `T${parts.join('')}z`),
  { numRuns: 300, seed: 17 },
)

describe('a third-party parser', () => {
  it('reads hostile titles in BibTeX unchanged', () => {
    const text = hostileTitles.map((hostile, at) =>
      bibtex.write(describeDocument({ title: hostile }, [], `r${at}`)),
    )
    const { entries, errors } = parse(text.join('\n'), { sentenceCase: false })

    expect(errors).toEqual([])
    expect(entries.map(({ fields }) => unmarked(String(fields['title'])))).toEqual(hostileTitles)
  })

  it('reads BibTeX into the same names, title, year and DOI', () => {
    const text = samples.map((document, at) =>
      bibtex.write(describeDocument(document, [], `r${at}`)),
    )
    const { entries, errors } = parse(text.join('\n'), { sentenceCase: false })

    expect(errors).toEqual([])
    const read = entries.map(({ fields }) => ({
      names: (fields['author'] ?? []).map(({ firstName: given, lastName: family }) => ({
        family,
        given,
      })),
      title: unmarked(String(fields['title'])),
      year: fields['year'],
      doi: fields['doi'],
    }))
    expect(read).toEqual(wanted)
  })

  const hasBibutils = spawnSync('ris2xml', ['--version']).error === undefined
  if (!hasBibutils) process.stderr.write('SKIPPED: there is no ris2xml (Debian: bibutils).\n')

  it.skipIf(!hasBibutils)('reads RIS into the same names, title, year and DOI', () => {
    const text = samples.map((document, at) => ris.write(describeDocument(document, [], `r${at}`)))
    expect(modsOf('ris2xml', text.join('\r\n'))).toEqual(wanted)
  })

  it.skipIf(!hasBibutils)('of Debian reads hostile titles in BibTeX, but for ligatures', () => {
    const text = hostileTitles.map((hostile, at) =>
      bibtex.write(describeDocument({ title: hostile }, [], `r${at}`)),
    )
    const ligated = (each: string): string =>
      each
        .replaceAll(/[-–—]+/g, '–')
        .replaceAll("''", '”')
        .replaceAll(/"/g, '”')
        .replaceAll('`', '‘')
    const read = modsOf('bib2xml', text.join('\n')).map(({ title: found }) => ligated(found))
    expect(read).toEqual(hostileTitles.map(ligated))
  })

  it.skipIf(!hasBibutils)('of Debian reads BibTeX into the same values', () => {
    const text = samples.map((document, at) =>
      bibtex.write(describeDocument(document, [], `r${at}`)),
    )
    expect(modsOf('bib2xml', text.join('\n'))).toEqual(wanted)
  })
})

/** The works in the MODS that a program of bibutils makes of `input`. */
function modsOf(program: string, input: string) {
  const { stdout } = spawnSync(program, ['-i', 'utf8'], { input, encoding: 'utf8' })
  return [...stdout.matchAll(/<mods [\s\S]*?<\/mods>/g)].map(([mods]) => ({
    names: [...mods.matchAll(/<name type="personal">([\s\S]*?)<\/name>/g)].map(([, name = '']) => ({
      family: partsOf(name, 'family').join(' '),
      given: partsOf(name, 'given').join(' '),
    })),
    title: unescaped(
      [/<title>([^<]*)<\/title>/, /<subTitle>([^<]*)<\/subTitle>/]
        .flatMap((pattern) => pattern.exec(mods)?.[1] ?? [])
        .join(': '),
    ),
    year: /<dateIssued>(\d{4})/.exec(mods)?.[1],
    doi: unescaped(/<identifier type="doi">([^<]*)</.exec(mods)?.[1] ?? ''),
  }))
}

function partsOf(name: string, type: string): readonly string[] {
  const parts = [...name.matchAll(/<namePart type="(\w+)">([^<]*)<\/namePart>/g)]
  return parts.filter(([, kind]) => kind === type).map(([, , text = '']) => unescaped(text))
}

function unescaped(text: string): string {
  return (
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      // LaTeX reads a straight quotation mark as a closing one.
      .replaceAll(/&quot;|”/g, '"')
      .replaceAll('&amp;', '&')
  )
}

/** The parser marks text whose case must not change. */
function unmarked(text: string): string {
  return text.replaceAll(/<\/?[a-z]+[^>]*>/g, '')
}
