import { randomUUID } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operateHere, runDepositd } from '../support/depositd.ts'
import { startDaemon } from '../support/daemon-process.ts'
import { cutShort, flipByte, lengthen, makeUnreadable, removeFile, swap } from './damage.ts'
import { homeWithData } from './home-with-data.ts'

describe('depositd check', () => {
  it.for([[], ['--full'], ['--quick'], ['--incremental']])(
    'ends with 0 and prints nothing if it finds no fault (%s)',
    async (flags) => {
      await using home = await homeWithData()

      const { status, stdout, stderr } = await operateHere(home.path, ['check', ...flags])

      expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
      expect(stderr).toContain('All is well: 5 blobs')
    },
  )

  it.for([
    ['large', 'changed', flipByte],
    ['large', 'cut short', cutShort],
    ['large', 'made longer', lengthen],
    ['large', 'removed', removeFile],
    ['large', 'made unreadable', makeUnreadable],
    ['small', 'changed', flipByte],
    ['small', 'cut short', cutShort],
    ['small', 'made longer', lengthen],
    ['small', 'removed', removeFile],
  ] as const)('lists a %s file that was %s, by id and key', async ([kind, , damage]) => {
    await using home = await homeWithData()
    const [blob = ''] = home[kind]
    await damage(blob)

    const { status, stdout } = await operateHere(home.path, ['check'])

    expect(status).toBe(1)
    expect(stdout.trim().split('\n')).toHaveLength(1)
    expect(stdout).toMatch(new RegExp(`^damage\tblob\t${basename(blob)}\t.*\t.*: \\S+\\.csv\n$`))
  })

  it('lists both of two files that were swapped', async () => {
    await using home = await homeWithData()
    const [one = '', other = ''] = home.small
    await swap(one, other)

    const { status, stdout } = await operateHere(home.path, ['check'])

    expect(status).toBe(1)
    expect(stdout).toContain(basename(one))
    expect(stdout).toContain(basename(other))
  })

  it('finds a changed byte in the database of small files', async () => {
    await using home = await homeWithData()
    const path = join(home.path, 'small-blobs.db')
    await flipByte(path, (await readFile(path)).indexOf('two'))

    const { status, stdout } = await operateHere(home.path, ['check', '--incremental'])

    expect(status).toBe(1)
    expect(stdout).toMatch(/^damage\tblob\t\S+\thas bytes that do not match.*: d\.csv\n$/)
  })

  it('names the database of small files and every file in it if it was cut short', async () => {
    await using home = await homeWithData()
    const path = join(home.path, 'small-blobs.db')
    await truncate(path, 10_000)

    const { status, stdout } = await operateHere(home.path, ['check'])

    expect(status).toBe(1)
    const lines = stdout.trim().split('\n')
    expect(lines[0]).toContain(`damage\tfile\t${path}\tdatabase disk image is malformed`)
    for (const blob of home.small) expect(stdout).toContain(`\t${basename(blob)}\tis missing`)
    expect(lines).toHaveLength(1 + home.small.length)
  })

  it('accepts small files that were restored as single files', async () => {
    await using home = await homeWithData()
    const backup = join(home.path, '..', `${basename(home.path)}-backup`)
    await operateHere(home.path, ['backup', backup, '--copy'])
    await truncate(join(home.path, 'small-blobs.db'), 10_000)
    await cp(join(backup, 'blobs'), join(home.path, 'blobs'), { recursive: true, force: false })
    await rm(join(home.path, 'small-blobs.db'))
    await rm(backup, { recursive: true })

    const { status, stdout } = await operateHere(home.path, ['check'])

    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  })

  it.for(['small', 'large'] as const)(
    'moves wrong bytes of a %s file to quarantine, and deletes nothing',
    async (kind) => {
      await using home = await homeWithData()
      const [blob = ''] = home[kind]
      await flipByte(blob)

      await operateHere(home.path, ['check'])

      const aside = await readdir(join(home.path, 'quarantine'))
      expect(aside).toEqual([expect.stringContaining(basename(blob))])
    },
  )

  it('leaves wrong bytes where they are with --no-quarantine', async () => {
    await using home = await homeWithData()
    await flipByte(home.blobs[0] ?? '')

    await operateHere(home.path, ['check', '--no-quarantine'])

    expect(await readdir(join(home.path, 'quarantine'))).toEqual([])
  })

  it('lists an unknown file among the blobs, leaves it there, and ends with 1', async () => {
    await using home = await homeWithData()
    const stray = join(dirname(home.large[0] ?? ''), 'notes.txt')
    await writeFile(stray, 'mine')

    const { status, stdout } = await operateHere(home.path, ['check'])

    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: `strange\tfile\t${stray}\tis none of ours\n`,
    })
    expect(await readdir(dirname(stray))).toContain('notes.txt')
  })

  it('reports bytes without a row as garbage, and ends with 0', async () => {
    await using home = await homeWithData()
    const id = randomUUID()
    const folder = join(home.path, 'blobs', id.slice(0, 2), id.slice(2, 4))
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, id), 'left by a crash')

    const { status, stdout } = await operateHere(home.path, ['check'])

    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `garbage\tblob\t${id}\tis named by no row; see gc\n`,
    })
  })

  it.for([
    ['a document', `UPDATE deposits SET document = replace(document, 'Sea', 'See')`],
    ['a record', `UPDATE record_revisions SET document = replace(document, 'Sea', 'See')`],
    ['a status', `UPDATE deposits SET status = 'lost'`],
    ['an owner', `UPDATE deposits SET owner = 'eve'`],
    [
      'a revision that does not exist',
      `UPDATE deposits SET record_revision = 7 WHERE record_value <> ''`,
    ],
    ['the digest of a blob', `UPDATE blobs SET sha256 = replace(sha256, 'a', 'b')`],
    ['the size of a blob', `UPDATE blobs SET size = size + 1`],
    ['a file of no deposit', `UPDATE files SET bucket_id = 'nowhere'`],
    ['a file of no blob', `UPDATE files SET blob_id = 'none' WHERE key = 'c.csv'`],
    ['a version of no file', `UPDATE file_versions SET file_id = 'none'`],
    ['the totals of a bucket', `UPDATE buckets SET byte_count = byte_count + 1`],
    ['a deposit without identifier', `DELETE FROM pids WHERE pid_type = 'depid'`],
    ['an identifier without deposit', `DELETE FROM deposits WHERE status = 'draft'`],
    ['an identifier without record', `DELETE FROM record_revisions`],
  ])('finds %s that was edited in the database', async ([, sql]) => {
    await using home = await homeWithData()
    home.edit(sql ?? '')

    const { status, stdout } = await operateHere(home.path, ['check'])

    expect(status).toBe(1)
    expect(stdout).toMatch(/^damage\t/)
  })

  it('runs in the daemon if there is one', async () => {
    await using daemon = await startDaemon()

    const { status, stderr } = await operateHere(daemon.home, ['check'])

    expect(status).toBe(0)
    expect(stderr).toContain('All is well')
  })

  it('refuses contradicting flags', async () => {
    await using home = await homeWithData()

    const { status } = await runDepositd(home.path, ['check', '--quick', '--full'])

    expect(status).toBe(64)
  })
})
