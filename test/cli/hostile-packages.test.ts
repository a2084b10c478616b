import { readdir } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Archive } from '../../core/packages/archive.ts'
import { runCli } from '../support/run-cli.ts'
import { answerJson, strangeServer, type StrangeServer } from '../support/strange-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const content = Buffer.from('tide gauge')

/** An archive with the same content in each file. */
async function archiveOf(...names: readonly string[]): Promise<Buffer> {
  const files = names.map((name) => ({ name, size: content.length }))
  const archive = new Archive([{ name: 'v-1/', size: 0 }, ...files], '2026-05-04T03:02:01.000Z', {
    crc32: async () => crc32(content),
    read: async (_, { start, end }) =>
      (async function* () {
        yield content.subarray(start, end + 1)
      })(),
  })
  const pieces: Buffer[] = []
  for await (const piece of archive.read()) pieces.push(piece)
  return Buffer.concat(pieces)
}

interface Served {
  readonly bytes: Buffer
  /** That of each answer, one after another. */
  readonly etags?: readonly string[]
  /** More than it announces. */
  readonly sent?: Buffer
}

/** A server with a record of one file, `a.csv`, and this package of it. */
function packageServer({ bytes, etags = ['"1"'], sent = bytes }: Served): Promise<StrangeServer> {
  let asked = 0
  return strangeServer((request, response) => {
    const { url = '', method, headers } = request
    if (url.includes('/packages/')) {
      response.setHeader('etag', etags[Math.min(asked++, etags.length - 1)] ?? '')
      const [, first = '', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
      if (method === 'HEAD') response.setHeader('content-length', bytes.length).end()
      else if (first === '') response.end(sent)
      else {
        const end = last === '' ? bytes.length - 1 : Number(last)
        response.setHeader('content-range', `bytes ${first}-${end}/${bytes.length}`)
        response.writeHead(206).end(bytes.subarray(Number(first), end + 1))
      }
    } else if (url.endsWith('/files')) {
      const checksum = `sha256:${createHash('sha256').update(content).digest('hex')}`
      const links = { self: '/f', download: '/file' }
      const file = { id: '1', filename: 'a.csv', filesize: content.length, checksum, links }
      answerJson(response, [{ ...file, version_id: '1', storage_class: 'S' }])
    } else if (url === '/file') response.end(content)
    else {
      const _deposit = { id: 'abc', status: 'published', value: '1', revision_id: 0, owners: [] }
      const times = { created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z' }
      const links = { record: '/records/v-1' }
      answerJson(response, { id: 'abc', metadata: { _deposit }, links, revision: 0, ...times })
    }
  })
}

/** Exports as a crate, and answers what was said, and all that lies in the folder then. */
async function exported(served: Served, output: string) {
  await using server = await packageServer(served)
  await using folder = await temporaryFolder()
  const { status, stderr } = await runCli(
    ['export', 'abc', '--as', 'ro-crate', '--output', output, '--retries', '0'],
    { environment: { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 'secret' }, folder: folder.path },
  )
  const files = await readdir(folder.path, { recursive: true })
  return { status, stderr, files: files.toSorted() }
}

describe('an export from a server that is not to be trusted', () => {
  it('is complete where nothing is wrong', async () => {
    const bytes = await archiveOf('v-1/ro-crate-metadata.json', 'v-1/a.csv')
    expect(await exported({ bytes }, 'c.zip')).toMatchObject({ status: 0, files: ['c.zip'] })
    const files = ['c', 'c/a.csv', 'c/ro-crate-metadata.json']
    expect(await exported({ bytes }, 'c')).toMatchObject({ status: 0, files })
  })

  it.for(['v-1/../evil.txt', 'v-1//evil.txt', 'v-1/sub/../../../evil.txt'])(
    'writes no file called %s',
    async (name) => {
      const bytes = await archiveOf(name, 'v-1/a.csv')
      const { status, stderr, files } = await exported({ bytes }, 'c')

      expect(status).toBe(1)
      expect(stderr).toContain('which is no file of the record')
      expect(files).toEqual([])
    },
  )

  it.for(['.git/config', '.bashrc', '.deposit.json', 'b.csv', 'data/ro-crate-metadata.json'])(
    'writes no file that is neither of the record nor of such a package: %s',
    async (name) => {
      const bytes = await archiveOf('v-1/ro-crate-metadata.json', `v-1/${name}`, 'v-1/a.csv')
      const { status, stderr, files } = await exported({ bytes }, 'c')
      expect({ status, files }).toEqual({ status: 1, files: [] })
      expect(stderr).toContain(`"${name}" is in it, which is no file of the record`)
      expect(stderr).toContain('next: do not trust this server; tell its operator\n')
      expect(await exported({ bytes }, 'c.zip')).toMatchObject({ status: 1, files: [] })
    },
  )

  it('keeps no archive with other bytes, without a file, or with more than it announced', async () => {
    const bytes = await archiveOf('v-1/ro-crate-metadata.json', 'v-1/a.csv')
    const other = Buffer.from(bytes)
    other.write('other', other.lastIndexOf(content))
    const faults = [
      [{ bytes: other }, 'not those that were stored'],
      [{ bytes: await archiveOf('v-1/b.csv') }, 'not those that were stored'],
      [{ bytes, sent: Buffer.concat([bytes, content]) }, 'more than the'],
    ] as const
    for (const [served, said] of faults) {
      const { status, stderr, files } = await exported(served, 'c.zip')
      expect({ status, files }).toEqual({ status: 1, files: [] })
      expect(stderr).toContain(said)
    }
  })

  it('takes no empty answer for a package', async () => {
    for (const output of ['c', 'c.zip', '-']) {
      const { status, stderr, files } = await exported({ bytes: Buffer.of() }, output)
      expect({ status, files }).toEqual({ status: 1, files: [] })
      expect(stderr).toContain('the package has 0 bytes, fewer than any ZIP archive')
    }
  })

  it('says that a package has changed during the export', async () => {
    const bytes = await archiveOf('v-1/ro-crate-metadata.json', 'v-1/a.csv')
    const { status, stderr, files } = await exported({ bytes, etags: ['"1"', '"2"'] }, 'c.zip')

    expect({ status, files }).toEqual({ status: 1, files: [] })
    expect(stderr).toContain('the package has changed since the export began')
  })
})
