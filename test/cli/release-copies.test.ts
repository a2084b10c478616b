import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deposit, expectFailure, useDaemon } from '../support/cli-at-daemon.ts'
import { releasable, release } from '../support/release.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

describe('a copy of a folder that was released from another one since', () => {
  it('does not undo the newer version unasked, and status tells of it', async () => {
    await using folder = await temporaryFolder(releasable)
    await release(folder)
    await cp(join(folder.path, 'data'), join(folder.path, 'copy'), { recursive: true })
    await writeFile(join(folder.path, 'data/b.csv'), 'new')
    const newer = await release(folder)
    await writeFile(join(folder.path, 'copy/a.csv'), 'other')
    const inCopy = (...args: readonly string[]) => deposit(args, { folder: folder.path })

    const status = await inCopy('status', 'copy')
    const refused = await inCopy('release', 'copy')

    expect(status.stdout).toContain(`Newer version: ${newer}, published`)
    expectFailure(refused, 5, `a newer version, ${newer}, was published`)
    expect(refused.stderr).toContain('which would undo what it has of b.csv')
    const agreed = await inCopy('release', 'copy', '--yes')
    expect(agreed.status).toBe(0)
    expect((await inCopy('status', 'data')).stdout).toContain(agreed.stdout.trim())
  })

  it('is released where it undoes nothing', async () => {
    await using folder = await temporaryFolder(releasable)
    await release(folder)
    await cp(join(folder.path, 'data'), join(folder.path, 'copy'), { recursive: true })
    await writeFile(join(folder.path, 'data/metadata.yaml'), 'title: Tides again\n')
    await release(folder)
    await writeFile(join(folder.path, 'copy/c.csv'), 'new')

    expect((await deposit(['release', 'copy'], { folder: folder.path })).status).toBe(0)
  })
})

describe('a folder whose draft has nothing new', () => {
  it('is not to be published, as status says', async () => {
    await using folder = await temporaryFolder(releasable)
    await release(folder)
    await deposit(['newversion', 'data/'], { folder: folder.path })

    const { stdout } = await deposit(['status', 'data'], { folder: folder.path })

    expect(stdout).toContain('nor any since the version before')
    expect(stdout).toMatch(/\nNext: change the files or the metadata; or run `deposit delete \w+`/)
  })

  it('is released where its edit cannot take other files', async () => {
    await using folder = await temporaryFolder(releasable)
    await release(folder)
    await deposit(['edit', 'data/'], { folder: folder.path })
    await writeFile(join(folder.path, 'data/a.csv'), 'other')

    const { stdout } = await deposit(['status', 'data'], { folder: folder.path })

    expect(stdout).toMatch(/\nNext: run `deposit release \S+` to publish the changes/)
    await release(folder)
  })
})
