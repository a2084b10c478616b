import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runDepositd } from '../support/depositd.ts'
import { canMount, smallDisk } from '../support/small-disk.ts'
import { homeWithData } from './home-with-data.ts'

describe.skipIf(!canMount())('depositd backup to a disk without room', () => {
  it('fails, keeps older backups, marks its own as incomplete, and can be retried', async () => {
    await using home = await homeWithData()
    await using disk = await smallDisk('2m')
    const [monday, tuesday] = ['monday', 'tuesday'].map((name) => join(disk.path, name))
    const backup = (target = '') => runDepositd(home.path, ['backup', target])
    expect((await backup(monday)).status).toBe(0)
    const manifest = await readFile(join(monday ?? '', 'manifest-sha256.txt'), 'utf8')
    const filler = join(disk.path, 'filler')
    await expect(writeFile(filler, Buffer.alloc(4_000_000))).rejects.toThrow('ENOSPC')

    const { status, stdout, stderr } = await backup(tuesday)

    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).not.toBe('')
    expect((await readdir(disk.path)).toSorted()).toEqual([
      'filler',
      'monday',
      'tuesday.incomplete',
    ])
    expect(await readFile(join(monday ?? '', 'manifest-sha256.txt'), 'utf8')).toBe(manifest)

    await writeFile(filler, '')
    expect((await backup(tuesday)).status).toBe(0)
    expect((await readdir(disk.path)).toSorted()).toEqual(['filler', 'monday', 'tuesday'])
  })
})
