import { statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openPromise } from 'yauzl'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  entriesOf,
  hugeSample,
  naughtyKeys,
  sampleOf,
  smallSamples,
  writeSample,
  type Sample,
} from '../support/archive-family.ts'
import { archiveCheckers, archiveReaders, runProgram } from '../support/archive-readers.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

/** The whole family is large: `npm run test:faults -- archives` reads it. */
const isWhole = process.env['DEPOSIT_TEST_ARCHIVES'] === 'all'

/** The fewest entries whose number needs 64 bits. */
const manyEntries = sampleOf(65_535)
const toRead = isWhole
  ? [...smallSamples, sampleOf(65_534), manyEntries, sampleOf(70_000), hugeSample]
  : smallSamples
const toCheck = isWhole ? toRead : [...smallSamples, manyEntries]
const limitMs = isWhole ? 1_800_000 : 120_000

let folder: TemporaryFolder
const pathOf = ({ kind }: Sample): string => join(folder.path, `${kind}.zip`)

beforeAll(async () => {
  folder = await temporaryFolder()
  for (const sample of new Set([...toRead, ...toCheck, hugeSample]))
    await writeSample(sample, pathOf(sample))
}, 120_000)

afterAll(() => folder[Symbol.asyncDispose]())

describe('a ZIP archive', () => {
  it('is tried with many names', () => {
    expect(naughtyKeys.size).toBeGreaterThan(15)
  })

  for (const [reader, read] of Object.entries(archiveReaders)) {
    it(
      `is read by ${reader} as it was written`,
      async () => {
        const found = await read(toRead.map(pathOf))
        for (const [index, sample] of toRead.entries()) {
          expect([sample.kind, found[index]]).toEqual([sample.kind, entriesOf(sample)])
        }
      },
      limitMs,
    )
  }

  for (const [checker, check] of Object.entries(archiveCheckers)) {
    it(
      `has no fault for ${checker}`,
      async () => {
        for (const sample of toCheck) await check(pathOf(sample))
      },
      limitMs,
    )
  }

  it('with a byte changed has one for each of them', async () => {
    const sample = sampleOf(3)
    const path = join(folder.path, 'changed.zip')
    await writeSample(sample, path)
    const bytes = await readFile(path)
    bytes.write('T', bytes.indexOf('t', bytes.indexOf('tide/1') + 6))
    await writeFile(path, bytes)
    for (const check of Object.values(archiveCheckers)) await expect(check(path)).rejects.toThrow()
  })

  it('of 5 GiB is listed, and its last file read', async () => {
    const path = pathOf(hugeSample)
    const [, huge, behind] = hugeSample.files
    expect(statSync(path).size).toBeGreaterThan(huge?.size ?? 0)

    const archive = await openPromise(path, { strictFileNames: true })
    const sizes: number[] = []
    for await (const entry of archive.eachEntry()) sizes.push(entry.uncompressedSize)
    expect(sizes).toEqual([0, huge?.size, behind?.size])
    const script =
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.read(sys.argv[2]).decode())'
    const name = 'tide/behind'
    expect(await runProgram('python3', ['-c', script, path, name])).toBe('tide/\n')
    expect(await runProgram('unzip', ['-p', path, name])).toBe('tide/')
  }, 60_000)
})
