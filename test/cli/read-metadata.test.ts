import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readMetadata } from '../../cli/metadata/read-metadata.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function read(yaml: string | Uint8Array): Promise<unknown> {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'metadata.yaml'), yaml)
  const input = { folder: folder.path, stdin: Readable.from([]) }
  return (await readMetadata(input, 'metadata.yaml')).metadata
}

describe('a metadata file in YAML', () => {
  it('may give a year and a version without quotation marks', async () => {
    expect(await read('publication_date: 2020\nversion: 1.10\n')).toEqual({
      publication_date: '2020',
      version: '1.10',
    })
  })

  it('keeps numbers in the fields of its author', async () => {
    expect(await read('depth_m: 12.5\n')).toEqual({ depth_m: 12.5 })
  })

  it('gives a date with a tag as the text that the server gets', async () => {
    const dates = 'embargo_date: !!timestamp 2099-01-01\ndates: [!!timestamp 2099-01-01]\n'
    expect(await read(dates)).toEqual({
      embargo_date: '2099-01-01T00:00:00.000Z',
      dates: ['2099-01-01T00:00:00.000Z'],
    })
  })

  it('reports line and column of a fault', async () => {
    await expect(read('title: "open\n')).rejects.toThrow(/line 2, column 1/)
  })

  it('advises quotes around text with a colon', async () => {
    await expect(read('title: Tide: the sequel\n')).rejects.toThrow(
      /line 1.*put text that contains a colon in quotes/,
    )
  })
})

describe('the encoding of a metadata file', () => {
  const yaml = 'title: Pegelstände\n'
  const little = Buffer.from(`\uFEFF${yaml}`, 'utf16le')

  it.for([
    ['UTF-8', Buffer.from(yaml)],
    ['UTF-8 with its mark', Buffer.from(`\uFEFF${yaml}`)],
    ['UTF-16 with its mark', little],
    ['UTF-16 of the other order', Buffer.from(little).swap16()],
  ] as const)('may be %s', async ([, bytes]) => {
    expect(await read(bytes)).toEqual({ title: 'Pegelstände' })
  })

  it.for([
    ['Latin-1', Buffer.from(`notes: x\n${yaml}`, 'latin1'), /line 2 is not UTF-8/],
    [
      'UTF-8 cut off in a letter',
      Buffer.from(`notes: x\n${yaml}`).subarray(0, 24),
      /line 2 is not/,
    ],
    [
      'UTF-16 without a mark',
      Buffer.from('title: x', 'utf16le'),
      /line 1 contains a NUL character/,
    ],
  ] as const)('is refused where it is %s, with the line', async ([, bytes, words]) => {
    await expect(read(bytes)).rejects.toThrow(words)
  })
})
