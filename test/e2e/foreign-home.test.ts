import { execFileSync } from 'node:child_process'
import { chmod, chown, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { networkFileSystem } from '../../daemon/home/file-system.ts'
import { unless } from '../faults/obstacle.ts'
import { runDepositd } from '../support/depositd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { runningDaemon } from './running-daemon.ts'

const notRoot = process.getuid?.() === 0 ? undefined : 'giving a file to another user needs root'
const isSkipped = unless('a home with files of another user', notRoot)

describe('a home', () => {
  it
    .skipIf(isSkipped)
    .for(['deposit.config.js', 'owner.key', 'issuer.keys', 'deposit.db', 'schemas'])(
    'with a file of another user is refused with 77: %s',
    async (name) => {
      const planted = `
        import { writeFileSync } from 'node:fs'
        writeFileSync(new URL('ran', import.meta.url), '')`
      await using folder = await temporaryFolder({ [name]: planted })
      const path = join(folder.path, name)
      await chown(path, 65_534, 65_534)

      const served = await runDepositd(folder.path, ['serve'])
      const asked = await runDepositd(folder.path, ['user', 'list'])

      expect(served.status).toBe(77)
      expect(served.stderr).toContain(`chown ${process.getuid?.()} ${path}`)
      expect(asked.status).not.toBe(0)
      expect(await readdir(folder.path)).toEqual([name])
    },
  )

  it('that others can write to is refused with 77 until the advice is followed', async () => {
    await using folder = await temporaryFolder({ 'deposit.config.json': '{}' })
    await chmod(folder.path, 0o770)
    await chmod(join(folder.path, 'deposit.config.json'), 0o664)

    for (const mends of [1, 2]) {
      const { status, stderr } = await runDepositd(folder.path, ['serve'])
      expect([mends, status]).toEqual([mends, 77])
      const [, mode = '', path = ''] = /run: chmod (\S+) (\S+)\n$/.exec(stderr) ?? []
      execFileSync('chmod', [mode, path])
    }
    await using daemon = await runningDaemon(folder.path)

    expect(daemon.url).toMatch(/^http/)
  })
})

describe('file systems', () => {
  it.for([0x6969, 0xfe534d42, 0xfe534d42 | 0, 0x65735546, 0x01021997])(
    'of networks are recognized by their type (%i)',
    (type) => expect(networkFileSystem(type)).toBeTypeOf('string'),
  )

  it.for([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630])(
    'of this machine are not taken for network ones (%i)',
    (type) => expect(networkFileSystem(type)).toBeUndefined(),
  )
})
