import fc from 'fast-check'
import { writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readMetadata } from '../../cli/metadata/read-metadata.ts'
import { inOurMarks } from '../../core/contract/write-markdown.ts'
import { exportFormats, filenameOf, type JsonObject } from '../../core/index.ts'
import { describeDocument } from '../support/describe-document.ts'
import { formatLosses } from '../support/format-losses.ts'
import { hostileSamples } from '../support/hostile-documents.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Fields that follow from the others, or are those of the service, whatever the document says. */
const ofService = new Set('document year citedAs'.split(' '))

const numRuns = Number(process.env['DEPOSIT_TEST_RUNS'] ?? 150)
const samples = fc.sample(hostileSamples, { numRuns, seed: 17 })

describe('metadata that are written and read again', () => {
  it.for(Object.entries(formatLosses))(
    'by %s say the same',
    { timeout: 60_000 },
    async ([name, said]) => {
      const format = exportFormats.find((each) => each.name === name)
      const file = format === undefined ? '' : filenameOf(format, '')
      await using folder = await temporaryFolder({})
      for (const { document } of samples) {
        const about = describeDocument(document)
        await writeFile(`${folder.path}/${file}`, format?.write(about) ?? '')
        const input = { folder: folder.path, stdin: Readable.from([]) }
        const { metadata } = await readMetadata(input, file)
        const again = describeDocument(metadata as JsonObject)
        const expected: Record<string, unknown> = { ...about }
        for (const [field, loss] of Object.entries(said)) expected[field] = loss[1](about)
        const asWritten = name === 'zenodo' ? withOurMarks : (about: object) => about
        expect(comparable(asWritten(again))).toEqual(comparable(asWritten(expected)))
      }
    },
  )

  it.for(Object.keys(formatLosses))(
    'by %s say all of a plain record',
    { timeout: 60_000 },
    async (name) => {
      const format = exportFormats.find((each) => each.name === name)
      const file = format === undefined ? '' : filenameOf(format, '')
      const plain = {
        title: 'Tide tools',
        creators: [
          {
            name: 'Lovelace, Ada',
            given_name: 'Ada',
            family_name: 'Lovelace',
            affiliation: ['The Sea Group'],
          },
          { name: 'The Sea Group' },
        ],
        description: 'They compute tides.',
        publication_date: '2026-02-01',
        resource_type: 'software',
        license: 'MIT',
        keywords: ['tide', 'sea level'],
        version: '1.0',
        doi: '10.1234/tides',
      }
      await using folder = await temporaryFolder({
        [file]: format?.write(describeDocument(plain)) ?? '',
      })
      const input = { folder: folder.path, stdin: Readable.from([]) }
      const { metadata } = await readMetadata(input, file)

      expect(metadata).toMatchObject(plain)
    },
  )
})

/** Texts that were HTML on the way have the marks of Markdown that we write. */
function withOurMarks(about: object): object {
  const texts = Object.entries(about).flatMap(([name, text]: [string, unknown]) =>
    /^(?:description|methods|notes)$/.test(name) && typeof text === 'string'
      ? [[name, inOurMarks(text)] as const]
      : [],
  )
  return { ...about, ...Object.fromEntries(texts) }
}

describe('files that are not public', () => {
  it.for(
    ['ro-crate', 'datapackage', 'zenodo'].flatMap((name) =>
      [{ files: 'restricted' }, { files: 'restricted', until: '2999-05-01' }].map(
        (access) => [name, access] as const,
      ),
    ),
  )('stay closed where %s takes them to another service: %o', async ([name, access]) => {
    const format = exportFormats.find((each) => each.name === name)
    if (format === undefined) throw new Error(`There is no format ${name}`)
    const file = name === 'ro-crate' ? 'ro-crate-metadata.json' : filenameOf(format, '')
    const document = { title: 'Tides', creators: [{ name: 'Lovelace, Ada' }], access }
    await using folder = await temporaryFolder({
      [file]: format.write(describeDocument(document)),
    })
    const input = { folder: folder.path, stdin: Readable.from([]) }
    const { metadata } = await readMetadata(input, file)

    expect(metadata['access']).toEqual(access)
  })
})

/** Fields that the document decides, as JSON has them; some lists in any order, each item once. */
function comparable(about: object): unknown {
  const fields = Object.entries(about).filter(([field]) => !ofService.has(field))
  const plain = JSON.parse(JSON.stringify(Object.fromEntries(fields))) as Record<string, unknown>
  for (const field of ['relations', 'alternateIdentifiers', 'dates']) {
    const list = plain[field]
    if (Array.isArray(list)) plain[field] = [...new Set(list.map(sortedText))].sort()
  }
  return plain
}

function sortedText(value: object): string {
  return JSON.stringify(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
