import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeTextDurably } from '../../core/base/durable-files.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
if (!canTrace) process.stderr.write('\nSKIPPED in durable-files.test.ts: needs strace\n')

describe('a file that is written durably', () => {
  it('has the new text, is readable by its owner only, and leaves no other file', async () => {
    await using folder = await temporaryFolder({ key: 'old' })
    const path = join(folder.path, 'key')

    await writeTextDurably(path, 'new')

    expect(await readFile(path, 'utf8')).toBe('new')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder.path)).toEqual(['key'])
  })

  it('replaces a link and leaves the target of the link unchanged', async () => {
    await using folder = await temporaryFolder({ other: 'kept' })
    await symlink('other', join(folder.path, 'key'))

    await writeTextDurably(join(folder.path, 'key'), 'new')

    expect(await readFile(join(folder.path, 'other'), 'utf8')).toBe('kept')
  })

  it('leaves no temporary file behind when it cannot be put in place', async () => {
    await using folder = await temporaryFolder()
    await mkdir(join(folder.path, 'key/is a folder'), { recursive: true })

    await expect(writeTextDurably(join(folder.path, 'key'), 'new')).rejects.toThrow()

    expect(await readdir(folder.path)).toEqual(['key'])
  })

  it.skipIf(!canTrace)(
    'is synced before it is renamed, and its folder is synced afterwards',
    async () => {
      await using folder = await temporaryFolder()
      const [log, path] = [join(folder.path, 'log'), join(folder.path, 'd/key')]
      await mkdir(join(folder.path, 'd'))
      const url = new URL('../../core/base/durable-files.ts', import.meta.url).href
      const script = `import('${url}').then((files) => files.writeTextDurably('${path}', 'x'))`
      const calls = 'trace=fsync,rename,renameat,renameat2'
      spawnSync('strace', ['-f', '-y', '-o', log, '-e', calls, process.execPath, '-e', script])

      const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line.includes('/d'))
      const steps = lines.map((line) => /(fsync|rename)\w*\(.*\/d(\/key\S*?)?[>"]/.exec(line))
      expect(steps.map((step) => [step?.[1], step?.[2] !== undefined])).toEqual([
        ['fsync', true],
        ['rename', true],
        ['fsync', false],
      ])
    },
  )
})
