import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { runningDaemon } from '../e2e/running-daemon.ts'
import { operateHere, runDepositd } from '../support/depositd.ts'
import { startDaemon } from '../support/daemon-process.ts'
import { blobsIn } from '../support/stored-blobs.ts'
import { trailIn } from '../support/trail.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { dumpOf } from './api-dump.ts'
import { flipByte, removeFile } from './damage.ts'
import { homeWithData } from './home-with-data.ts'

describe('depositd backup', () => {
  it('makes a folder that sha256sum verifies, and prints its path', async () => {
    await using home = await homeWithData()
    await using place = await temporaryFolder()
    const target = join(place.path, 'monday')

    const { status, stdout } = await operateHere(home.path, ['backup', target])

    expect({ status, stdout }).toEqual({ status: 0, stdout: `${target}\n` })
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'manifest-sha256.txt'], {
      cwd: target,
    })
    expect(await blobsIn(target)).toHaveLength(5)
    expect(await readdir(place.path)).toEqual(['monday'])
  })

  it('runs in the daemon if there is one', async () => {
    await using daemon = await startDaemon()
    await using place = await temporaryFolder()

    const { status } = await operateHere(daemon.home, ['backup', join(place.path, 'b')])

    expect(status).toBe(0)
    expect(await readdir(join(place.path, 'b'))).toContain('backup.json')
  })

  it('warns of a missing configuration file and of a time file it cannot write, and completes', async () => {
    await using folder = await temporaryFolder({
      'deposit.config.js': `import './more.js'; export default {}`,
      'more.js': '',
    })
    await using daemon = await runningDaemon(folder.path)
    await using place = await temporaryFolder()
    await writeFile(join(folder.path, 'deposit.config.js'), 'export default {}')
    await rm(join(folder.path, 'more.js'))
    await mkdir(join(folder.path, 'last-backup'))

    const made = await operateHere(daemon.home, ['backup', join(place.path, 'b')])

    expect(made.status).toBe(0)
    expect(made.stderr).toContain('more.js is gone, and not in the backup.')
    expect(made.stderr).toContain('last-backup cannot be written')
    expect(await readdir(join(place.path, 'b'))).toContain('backup.json')
  })

  it('shares files with the home, or copies them with --copy', async () => {
    await using home = await homeWithData()
    await using place = await temporaryFolder()

    await operateHere(home.path, ['backup', join(place.path, 'shared')])
    await operateHere(home.path, ['backup', join(place.path, 'copied'), '--copy'])

    const linksOf = async (name: string) => {
      const [large = ''] = home.large
      return (await stat(large.replace(home.path, join(place.path, name)))).nlink
    }
    expect(await linksOf('shared')).toBe(2)
    expect(await linksOf('copied')).toBe(1)
  })

  it('does not touch a target that exists', async () => {
    await using home = await homeWithData()
    await using place = await temporaryFolder({ 'mine/notes': 'mine' })

    const { status, stderr } = await operateHere(home.path, ['backup', join(place.path, 'mine')])

    expect(status).toBe(1)
    expect(stderr).toContain('already')
    expect(await readdir(join(place.path, 'mine'))).toEqual(['notes'])
  })

  it('replaces only the leftovers of an interrupted backup', async () => {
    await using home = await homeWithData()
    await using place = await temporaryFolder({
      'ours.incomplete/deposit.db': 'half',
      'theirs.incomplete/notes': 'mine',
    })

    const ours = await operateHere(home.path, ['backup', join(place.path, 'ours')])
    const theirs = await operateHere(home.path, ['backup', join(place.path, 'theirs')])

    expect(ours.status).toBe(0)
    expect(theirs.status).toBe(1)
    expect((await readdir(place.path)).sort()).toEqual(['ours', 'theirs.incomplete'])
  })

  it('backs up intact files, names damaged ones, and ends with 1', async () => {
    await using home = await homeWithData()
    await using place = await temporaryFolder()
    await removeFile(home.blobs[0] ?? '')
    await flipByte(home.blobs[1] ?? '')

    const { status, stderr } = await operateHere(home.path, ['backup', join(place.path, 'b')])

    expect(status).toBe(1)
    expect(stderr.match(/is damaged, and not in the backup/g)).toHaveLength(2)
    expect(await blobsIn(join(place.path, 'b'))).toHaveLength(3)
  })

  it('refuses a place within the home', async () => {
    await using home = await homeWithData()

    const { status } = await operateHere(home.path, ['backup', join(home.path, 'b')])

    expect(status).toBe(1)
  })
})

describe('depositd restore', () => {
  it('brings back every deposit, revision, file, order and byte', async () => {
    await using home = await homeWithData()
    await using place = await backedUp(home.path)
    const before = await readAll(home.path)

    const { status, stderr } = await restore(place.path)

    expect(status).toBe(0)
    const header = await readFile(join(place.path, 'b', 'backup.json'), 'utf8')
    const { created } = JSON.parse(header) as { readonly created: string }
    expect(stderr).toContain(`Records that were withdrawn after ${created} are public again`)
    expect(await readAll(join(place.path, 'home'))).toEqual(before)
    const check = await operateHere(join(place.path, 'home'), ['check'])
    expect({ status: check.status, stdout: check.stdout }).toEqual({ status: 0, stdout: '' })
  })

  it('restores the files of the configuration and the audit trail', async () => {
    await using home = await homeWithData()
    const template =
      "import { path } from './own.ts'\nexport default { DEPOSIT_UI_TOMBSTONE_TEMPLATE: path }\n"
    await writeFile(join(home.path, 'own.ts'), "export const path = 'pages/tombstone.html'\n")
    await writeFile(join(home.path, 'deposit.config.ts'), template)
    await mkdir(join(home.path, 'pages'))
    await writeFile(join(home.path, 'pages', 'tombstone.html'), '<p>gone</p>')
    // Node.js itself loads the configuration, and tells what it loads of it.
    await using place = await backedUp(home.path, runDepositd)
    const back = join(place.path, 'home')

    await runDepositd(back, ['restore', join(place.path, 'b')])

    expect(await runDepositd(back, ['config', 'check'])).toMatchObject({ status: 0 })
    expect(await readFile(join(back, 'pages', 'tombstone.html'), 'utf8')).toBe('<p>gone</p>')
    const trail = JSON.stringify(await trailIn(back))
    expect(trail).toContain('POST /api/deposits')
    expect(trail).toContain('depositd restore')
  })

  it('leaves out tokens and keys, also from the database file', async () => {
    await using home = await homeWithData()
    await writeFile(join(home.path, 'issuer.keys'), '{}')
    await using place = await backedUp(home.path)

    await restore(place.path)

    expect(tokensIn(join(place.path, 'home'))).toBe(0)
    const database = await readFile(join(place.path, 'home', 'deposit.db'))
    const [hash = ''] = hashesIn(home.path)
    expect(database.includes(hash)).toBe(false)
    expect(await readdir(join(place.path, 'home'))).not.toContain('issuer.keys')
  })

  it('restores them with --with-tokens', async () => {
    await using home = await homeWithData()
    await writeFile(join(home.path, 'issuer.keys'), '{}')
    await using place = await backedUp(home.path)

    await restore(place.path, '--with-tokens')

    expect(tokensIn(join(place.path, 'home'))).toBe(tokensIn(home.path))
    expect(await readdir(join(place.path, 'home'))).toContain('issuer.keys')
  })

  it('refuses a home that is not empty, and changes nothing there', async () => {
    await using home = await homeWithData()
    await using place = await backedUp(home.path)
    await mkdir(join(place.path, 'home'))
    await writeFile(join(place.path, 'home', 'notes'), 'mine')

    const { status, stderr } = await restore(place.path)

    expect(status).toBe(1)
    expect(stderr).toContain('not empty')
    const left = await readdir(join(place.path, 'home'))
    expect(left.filter((name) => !name.startsWith('daemon.lock'))).toEqual(['notes'])
  })

  it('refuses the home of a running daemon with 75', async () => {
    await using home = await homeWithData()
    await using place = await backedUp(home.path)
    await using daemon = await startDaemon()

    const { status } = await operateHere(daemon.home, ['restore', join(place.path, 'b')])

    expect(status).toBe(75)
  })

  it('refuses a backup of a newer schema with 65', async () => {
    await using home = await homeWithData()
    home.edit('PRAGMA user_version = 999')
    await using place = await temporaryFolder()
    await craftNewer(home.path, join(place.path, 'b'))

    const { status } = await restore(place.path)

    expect(status).toBe(65)
    expect(await readdir(join(place.path, 'home'))).not.toContain('deposit.db')
  })

  it.for([
    [
      'whose manifest was changed',
      (root: string) => appendFile(join(root, 'manifest-sha256.txt'), '\n'),
    ],
    ['whose header was changed', (root: string) => writeFile(join(root, 'backup.json'), '{}')],
    ['without a header', (root: string) => removeFile(join(root, 'backup.json'))],
    ['whose database was changed', (root: string) => flipByte(join(root, 'deposit.db'), 5000)],
    ['with a changed file', async (root: string) => flipByte((await blobsIn(root))[2] ?? '')],
    ['with a missing file', async (root: string) => removeFile((await blobsIn(root))[2] ?? '')],
  ] as const)('refuses a backup %s, and changes nothing', async ([, tamper]) => {
    await using home = await homeWithData()
    await using place = await backedUp(home.path)
    await tamper(join(place.path, 'b'))

    const { status } = await restore(place.path)

    expect(status).toBe(1)
    // No home is made if the backup is refused at once.
    const left = await readdir(join(place.path, 'home')).catch(() => [])
    expect(left.filter((name) => !name.startsWith('daemon.lock'))).toEqual([])
  })
})

describe('depositd migrate', () => {
  it('reports that the database is current', async () => {
    await using home = await homeWithData()

    const { status, stderr } = await operateHere(home.path, ['migrate'])

    expect(status).toBe(0)
    expect(stderr).toContain('already')
  })

  it('refuses the home of a running daemon with 75', async () => {
    await using daemon = await startDaemon()

    expect((await operateHere(daemon.home, ['migrate'])).status).toBe(75)
  })
})

/** A folder with a backup `b` of `home`, in which a `home` can be made. */
async function backedUp(home: string, run: typeof runDepositd | typeof operateHere = operateHere) {
  const place = await temporaryFolder()
  const { status, stderr } = await run(home, ['backup', join(place.path, 'b'), '--copy'])
  if (status !== 0) throw new Error(stderr)
  return place
}

function restore(place: string, ...flags: readonly string[]) {
  return operateHere(join(place, 'home'), ['restore', join(place, 'b'), ...flags])
}

async function readAll(home: string): Promise<unknown> {
  await using daemon = await testDaemon({ home })
  return await dumpOf(daemon)
}

function hashesIn(home: string): readonly string[] {
  const sqlite = new Sqlite(join(home, 'deposit.db'), { readonly: true })
  const hashes = sqlite.prepare<[], string>('SELECT hash FROM tokens').pluck().all()
  sqlite.close()
  return hashes
}

const tokensIn = (home: string): number => hashesIn(home).length

/** A backup of a later program, made by hand because this program cannot make one. */
async function craftNewer(home: string, target: string): Promise<void> {
  await mkdir(target)
  execFileSync('cp', [join(home, 'deposit.db'), target])
  execFileSync('sh', ['-c', 'sha256sum deposit.db > manifest-sha256.txt'], { cwd: target })
  const [manifest] = String(
    execFileSync('sha256sum', ['manifest-sha256.txt'], { cwd: target }),
  ).split(' ')
  const header = {
    format: 1,
    version: '9',
    created: '',
    schema: 999,
    blobs: 0,
    size: 0,
    damaged: [],
    manifest,
  }
  await writeFile(join(target, 'backup.json'), JSON.stringify(header))
}
