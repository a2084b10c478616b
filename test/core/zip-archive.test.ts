import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ZipCheck } from '../../cli/transfer/zip-check.ts'
import { Archive, type ArchiveFile } from '../../core/packages/archive.ts'
import { writeFile as writeText } from '../../core/packages/written-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const created = '2026-05-04T03:02:01.000Z'

/** Content of a file. */
function contentOf(index: number, size: number): Buffer {
  return Buffer.alloc(size, `file ${index} `)
}

function archiveOf(files: readonly ArchiveFile[]): Archive {
  const whole = (index: number): Buffer => contentOf(index, files[index]?.size ?? 0)
  return new Archive(files, created, {
    crc32: async (index) => crc32(whole(index)),
    read: async (index, { start, end }) =>
      (async function* () {
        yield whole(index).subarray(start, end + 1)
      })(),
  })
}

async function bytesOf(archive: Archive, range?: Parameters<Archive['read']>[0]): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of archive.read(range)) pieces.push(piece)
  return Buffer.concat(pieces)
}

const family = fc
  .array(
    fc.record({
      name: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
      size: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 200 }), fc.constant(70_000)),
      isWritten: fc.boolean(),
    }),
    { maxLength: 8 },
  )
  .map((files) =>
    files.map(({ name, size, isWritten }, index) => {
      return { name: `data/${index}-${name.replaceAll(/[\0/\\]/g, '_')}`, size, isWritten }
    }),
  )

type Member = typeof family extends fc.Arbitrary<readonly (infer Each)[]> ? Each : never

/** Some of them are written for the archive, in pieces. */
function toFiles(members: readonly Member[]): Promise<readonly ArchiveFile[]> {
  return Promise.all(
    members.map(async ({ name, size, isWritten }, index) => {
      if (!isWritten) return { name, size }
      const text = contentOf(index, size).toString()
      return { name, size, content: await writeText(() => [text.slice(0, 7), text.slice(7)]) }
    }),
  )
}

describe('a ZIP archive', () => {
  it('is as long as it says, and any range of it is that of the whole', async () => {
    await fc.assert(
      fc.asyncProperty(family, fc.nat(), fc.nat(), async (members, one, other) => {
        const archive = archiveOf(await toFiles(members))
        const whole = await bytesOf(archive)
        expect(whole).toHaveLength(archive.length)
        const [start, end] = [one % archive.length, other % archive.length].sort((a, b) => a - b)
        if (start === undefined || end === undefined) return
        expect(
          (await bytesOf(archive, { start, end })).equals(whole.subarray(start, end + 1)),
        ).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  it('is read by unzip and by Python, with names, sizes, contents and time', async () => {
    const files: ArchiveFile[] = [
      { name: 'tide/', size: 0 },
      { name: 'tide/ä ü/𝄞.csv', size: 100_000 },
      { name: 'tide/empty', size: 0 },
      { name: 'tide/README.md', size: 5, content: await writeText(() => ['hel', 'lo']) },
    ]
    await using folder = await temporaryFolder({})
    const path = join(folder.path, 'tide.zip')
    await writeFile(path, await bytesOf(archiveOf(files)))

    expect(run('unzip', ['-tq', path])).toContain('No errors detected')
    const script = `
import zipfile, sys, json
z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None
print(json.dumps([[i.filename, i.file_size, list(i.date_time), i.external_attr >> 16] for i in z.infolist()]))`
    const time = [2026, 5, 4, 3, 2, 0]
    expect(JSON.parse(run('python3', ['-c', script, path]))).toEqual([
      ['tide/', 0, time, 0o040755],
      ['tide/ä ü/𝄞.csv', 100_000, time, 0o100644],
      ['tide/empty', 0, time, 0o100644],
      ['tide/README.md', 5, time, 0o100644],
    ])
  })

  it('has 64-bit fields where sizes, places or numbers need them', async () => {
    const many = Array.from({ length: 70_000 }, (_, index) => ({ name: `d/${index}`, size: 1 }))
    await using folder = await temporaryFolder({})
    const path = join(folder.path, 'many.zip')
    const bytes = await bytesOf(archiveOf(many))
    await writeFile(path, bytes)

    const check = new ZipCheck(new Map(), () => true)
    check.update(bytes)
    expect(check.isRight()).toBe(true)
    const script = 'import zipfile, sys; z = zipfile.ZipFile(sys.argv[1]); print(len(z.namelist()))'
    expect(run('python3', ['-c', script, path]).trim()).toBe('70000')
    expect(run('unzip', ['-tq', path])).toContain('No errors detected')
  })
})

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}
