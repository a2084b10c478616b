import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { formatFields } from '../../core/contract/uploads.ts'
import {
  daemonUrl,
  deposit,
  expectFailure,
  namesOf,
  newDraft,
  newPublished,
  useDaemon,
} from '../support/cli-at-daemon.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

describe('deposit upload', () => {
  it('adds files after the existing ones, and prints their names', async () => {
    const id = await newDraft('data')
    const { stdout, stderr } = await deposit(['upload', id, 'extra.txt'])

    expect(stdout).toBe('extra.txt\n')
    expect(stderr).toBe(`Uploaded 1 file to ${id}\n`)
    expect(await namesOf(id)).toEqual(['README.md', 'b/a.csv', 'b/empty.csv', 'extra.txt'])
  })

  it('skips files that are stored already', async () => {
    const id = await newDraft('data')
    const { stdout, stderr } = await deposit(['upload', id, 'data', '--exclude', 'metadata.yaml'])

    expect(stdout).toBe('')
    expect(stderr).toContain('Uploaded 0 files')
    expect(stderr).toContain('3 files already there')
    expect(stderr).toContain('Left out 1 hidden or ignored name: .hidden\n')
    expect(stderr).toContain('Left out metadata.yaml, as --exclude says\n')
  })

  it('replaces a different file of the same name only with --replace', async () => {
    const id = await newDraft('data')
    const args = ['upload', id, 'extra.txt', '--name', 'README.md']

    expectFailure(await deposit(args), 5, 'README.md')
    expect(await deposit([...args, '--replace'])).toMatchObject({ status: 0 })
    expect(await namesOf(id)).toEqual(['README.md', 'b/a.csv', 'b/empty.csv'])
  })

  it('needs readable paths, and a single file for --name', async () => {
    expectFailure(await deposit(['upload', 'x']), 2, "missing required argument 'path'")
    expectFailure(await deposit(['upload', 'x', 'none']), 2, 'no such file or folder: ')
    expectFailure(await deposit(['upload', 'x', 'data', '--name', 'y']), 2, 'single file')
  })

  it('exits with 5 if the files are frozen', async () => {
    expectFailure(await deposit(['upload', await newPublished(), 'extra.txt']), 5, 'extra.txt')
  })
})

describe('deposit files', () => {
  it('prints name, size and digest', async () => {
    const { stdout } = await deposit(['files', await newDraft('data')])

    expect(stdout).toMatch(/^README\.md\t9 B\t[0-9a-f]{64}\nb\/a\.csv\t3 B\t/)
  })

  it('needs the id of an existing deposit', async () => {
    expectFailure(await deposit(['files']), 2, 'the folder does not know one yet')
    expectFailure(await deposit(['files', 'none']), 3, 'deposit_not_found')
  })
})

describe('deposit download', () => {
  it('fetches the uploaded files, byte for byte', async () => {
    await using target = await temporaryFolder()
    const id = await newDraft('data')
    const { status, stdout } = await deposit(['download', id, '--output', target.path])

    expect(status).toBe(0)
    expect(stdout.trim().split('\n')).toEqual(
      ['README.md', 'b/a.csv', 'b/empty.csv'].map((name) => join(target.path, name)),
    )
    expect(await readFile(join(target.path, 'b/a.csv'), 'utf8')).toBe('1,2')
    expect(await readFile(join(target.path, 'b/empty.csv'), 'utf8')).toBe('')
    expect(await readdir(target.path)).toEqual(['README.md', 'b'])
  })

  it('fetches the named files', async () => {
    await using target = await temporaryFolder()
    await deposit(['download', await newDraft('data'), 'README.md', '--output', target.path])

    expect(await readdir(target.path)).toEqual(['README.md'])
  })

  it('exits with 3 for a missing file, and writes nothing', async () => {
    await using target = await temporaryFolder()
    const id = await newDraft('data')

    expectFailure(await deposit(['download', id, 'none', '-o', target.path]), 3, 'no such file')
    expect(await readdir(target.path)).toEqual([])
  })

  it('needs an id', async () => {
    expectFailure(await deposit(['download']), 2, 'the folder does not know one yet')
  })
})

describe('deposit sort', () => {
  it('moves the named files to the front', async () => {
    const id = await newDraft('data')
    await deposit(['sort', id, 'b/empty.csv'])

    expect(await namesOf(id)).toEqual(['b/empty.csv', 'README.md', 'b/a.csv'])
    await deposit(['sort', id, '--by', 'name'])
    expect(await namesOf(id)).toEqual(['README.md', 'b/a.csv', 'b/empty.csv'])
  })

  it('needs an order', async () => {
    expectFailure(await deposit(['sort', 'x']), 2, 'no order was given')
    expectFailure(
      await deposit(['sort', 'x', '--by', 'size']),
      2,
      'files cannot be sorted by "size"',
    )
  })

  it('exits 5 for a published deposit', async () => {
    expectFailure(
      await deposit(['sort', await newPublished(), '--by', 'name']),
      5,
      '(invalid_action',
    )
  })
})

describe('deposit rename', () => {
  it('gives a file another name', async () => {
    const id = await newDraft('data')

    expect(await deposit(['rename', id, 'README.md', 'doc/READ.md'])).toMatchObject({
      status: 0,
      stdout: 'doc/READ.md\n',
    })
    expect(await namesOf(id)).toContain('doc/READ.md')
  })

  it('needs two names, and an existing file of the first', async () => {
    const id = await newDraft('data')

    expectFailure(await deposit(['rename', id, 'a']), 2, "missing required argument 'new-key'")
    expectFailure(await deposit(['rename', id, 'none', 'b']), 3, 'file_not_found')
    expectFailure(await deposit(['rename', id, 'README.md', 'b/a.csv']), 5, 'file_already_exists')
  })
})

describe('deposit rm', () => {
  it('deletes files', async () => {
    const id = await newDraft('data')

    expect(await deposit(['rm', id, 'README.md', 'b/a.csv'])).toMatchObject({
      status: 0,
      stdout: '',
    })
    expect(await namesOf(id)).toEqual(['b/empty.csv'])
  })

  it('accepts a folder or pattern only if marked as one', async () => {
    const id = await newDraft('data')

    expectFailure(await deposit(['rm', id, 'b']), 3, `next: run \`deposit rm ${id} b/\``)
    expectFailure(await deposit(['rm', id, 'c']), 3, 'no such file')
    expectFailure(await deposit(['rm', id, 'b/a.cs[v]']), 3, 'no such file')
    expect(await namesOf(id)).toHaveLength(3)
    const rehearsed = await deposit(['rm', id, 'b/', '--dry-run'])
    expect(rehearsed.stdout).toBe('b/a.csv\nb/empty.csv\n')
    expect(await deposit(['rm', id, 'b/e*.csv'])).toMatchObject({ status: 0 })
    expect(await namesOf(id)).toEqual(['README.md', 'b/a.csv'])
    expect(await deposit(['rm', id, 'b/'])).toMatchObject({ status: 0 })
    expect(await namesOf(id)).toEqual(['README.md'])
  })

  it('deletes nothing if one of the names is wrong', async () => {
    const id = await newDraft('data')

    expectFailure(await deposit(['rm', id, 'README.md', 'none']), 3, 'no such file')
    expectFailure(await deposit(['rm', id]), 2, "missing required argument 'key'")
    expect(await namesOf(id)).toHaveLength(3)
  })
})

describe('deposit uploads', () => {
  let token: string
  beforeAll(async () => {
    token = (await deposit(['token', 'create', '--scope', 'deposit:write'])).stdout.trim()
  })

  /** Sends the beginning of a file, like a browser that is then closed. */
  async function begin(id: string, key: string): Promise<void> {
    const response = await fetch(`${daemonUrl()}/api/deposits/${id}/uploads`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'tus-resumable': '1.0.0',
        'upload-length': '4000',
        'upload-metadata': formatFields({ name: key }),
        'content-type': 'application/offset+octet-stream',
      },
      body: 'x'.repeat(1000),
    })
    expect(response.status).toBe(201)
  }

  it('lists unfinished uploads, and deletes the named ones', async () => {
    const id = await newDraft('--title', 'x')
    for (const key of ['a.bin', 'b.bin', 'c.bin']) await begin(id, key)

    const listed = await deposit(['uploads', id])
    expect(listed.stdout).toMatch(/^a\.bin\s+1\.0 kB\s+4\.0 kB\s+\d{4}-\d\d-\d\d$/m)
    expect(listed.stderr).toBe(`3 unfinished uploads in ${id}\n`)
    const refused = await deposit(['publish', id])
    expectFailure(refused, 5, 'is not finished')
    expectFailure(refused, 5, `deposit uploads ${id} `)

    expectFailure(await deposit(['uploads', id, 'a.bin', 'none', '--delete']), 3, 'no such unfini')
    expectFailure(await deposit(['uploads', id, '--delete']), 2, '--all --delete')
    await deposit(['uploads', id, 'a.bin', '--delete', '--dry-run'])
    expect((await deposit(['uploads', id])).stderr).toContain('3 unfinished')
    const deleted = await deposit(['uploads', id, 'a.bin', '--delete'])
    expect(deleted.stderr).toBe(`Deleted 1 unfinished upload of ${id}\n`)
    expect((await deposit(['uploads', id, '--all', '--delete'])).stderr).toContain('Deleted 2')
    expect(await deposit(['uploads', id])).toMatchObject({
      status: 0,
      stdout: '',
      stderr: `0 unfinished uploads in ${id}\n`,
    })
    expect(await deposit(['publish', id])).toMatchObject({ status: 0 })
  })
})

describe('deposit restore', () => {
  it('says once that the name of a file is taken', async () => {
    const id = await newDraft('data')
    await deposit(['rm', id, 'README.md'])
    await deposit(['upload', id, 'data/README.md', '--name', 'README.md'])
    const refused = await deposit(['restore', id, 'README.md'])

    expectFailure(refused, 5, 'The deposit already has a file named "README.md". (file_already')
    expect(refused.stderr.match(/already has a file/g)).toHaveLength(1)
    expectFailure(refused, 5, `next: run \`deposit restore ${id} --as NAME README.md\``)
  })
})

describe('deposit cat', () => {
  it('writes files one after the other, in the order that they are named in', async () => {
    const id = await newDraft('data')
    const cat = (...keys: readonly string[]) => deposit(['cat', id, ...keys])
    expect(await cat('README.md')).toEqual({ status: 0, stdout: '# Read me', stderr: '' })
    expect((await cat('b/*.csv', 'README.md')).stdout).toBe('1,2# Read me')
    expectFailure(await cat('README.md', 'none.csv'), 3, 'no such file')
  })
})

describe('--progress json', () => {
  it('makes every line of standard error a JSON object', async () => {
    const id = await newDraft()
    const upload = await deposit(['upload', id, 'data', '--progress', 'json'])
    const events = upload.stderr
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    const whole = { action: 'uploading', files_total: 4 }
    const progress = events.filter((one) => (one as { event: string }).event === 'progress')

    expect(upload.status).toBe(0)
    expect(upload.stdout).toContain('README.md\n')
    expect(progress[0]).toMatchObject({ ...whole, files: 0, bytes: 0 })
    expect(progress.at(-1)).toMatchObject({ ...whole, files: 4 })
    expect(events).toContainEqual({ event: 'note', message: `Uploaded 4 files to ${id}` })

    const failed = await deposit(['upload', id, 'none', '--progress', 'json'])
    expect(failed.status).toBe(2)
    expect(JSON.parse(failed.stderr)).toMatchObject({
      event: 'error',
      error: { code: 'usage', message: expect.stringContaining('no such file') as string },
    })
    expectFailure(await deposit(['upload', id, 'data', '--progress', 'bar']), 2, 'it takes json')
  })

  it('has an event for each row of a batch', async () => {
    await using folder = await temporaryFolder({ 'rows.csv': 'key,title\na,One\n' })
    const args = ['batch', join(folder.path, 'rows.csv'), '--progress', 'json']
    const { stdout, stderr } = await deposit(args)
    const [first = ''] = stderr.split('\n').filter((line) => line.includes('"event":"row"'))
    expect(JSON.parse(first)).toMatchObject({ row: 1, name: 'a', status: 'draft', url: null })
    expect(stdout).toMatch(/^row 1\tdraft\t/)
  })
})

describe('deposit restore of a file that was replaced', () => {
  const sizes = async (id: string): Promise<readonly number[]> => {
    const { stdout } = await deposit(['restore', id, 'README.md', '--versions', '--json'])
    const versions = JSON.parse(stdout) as readonly { readonly filesize: number }[]
    return versions.map(({ filesize }) => filesize)
  }

  it('lists its versions, and makes an earlier one the latest; none is lost', async () => {
    const id = await newDraft('data')
    await deposit(['upload', id, 'extra.txt', '--name', 'README.md', '--replace'])
    const [replaced = 0, original = 0] = await sizes(id)
    const shown = await deposit(['restore', id, 'README.md', '--versions'])
    expect(shown.stdout).toMatch(/^[-\da-f]{36}\t.*latest\n[-\da-f]{36}\t/)

    const dry = await deposit(['restore', id, 'README.md', '--to', 'previous', '--dry-run'])
    expect(dry.stderr).toContain('Would restore README.md')
    expect(await sizes(id)).toEqual([replaced, original])
    const { stderr } = await deposit(['restore', id, 'README.md', '--to', 'previous'])

    expect(stderr).toContain(`Restored README.md of ${id} as it was`)
    expect(await sizes(id)).toEqual([original, replaced, original])
    const [, version = ''] = /^([-\da-f]{36}).*latest$/m.exec(shown.stdout) ?? []
    await deposit(['restore', id, 'README.md', '--to', version.slice(0, 12)])
    expect(await sizes(id)).toEqual([replaced, original, replaced, original])
  })

  it('says what is there where the version or the file is not', async () => {
    const id = await newDraft('data')
    const args = ['restore', id, 'README.md', '--to']

    expectFailure(await deposit([...args, 'previous']), 3, 'it has no such version')
    expectFailure(await deposit([...args, 'zzz']), 3, '--versions')
    expectFailure(await deposit(['restore', id, 'none', '--versions']), 3, 'no such file')
    expectFailure(await deposit(['restore', id, '--versions']), 2, 'name the one file')
  })
})
