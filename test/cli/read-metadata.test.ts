import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readMetadata } from '../../cli/metadata/read-metadata.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function read(yaml: string): Promise<unknown> {
  await using folder = await temporaryFolder({ 'metadata.yaml': yaml })
  return await readMetadata({ folder: folder.path, stdin: Readable.from([]) }, 'metadata.yaml')
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

  it('tells the line and column of a fault', async () => {
    await expect(read('title: "open\n')).rejects.toThrow(/line 2, column 1/)
  })
})
