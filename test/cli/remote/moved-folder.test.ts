import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFile, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCli } from '../../support/run-cli.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const kind = remoteKinds['Zenodo of today']
const metadata = `title: Tides
creators: [{name: Ada}]
publication_date: "2026"
resource_type: dataset
license: CC0-1.0
`

/** With the times of its files, as `mv` to another disk has them. */
const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to])

/** A folder that was pushed, and published there. */
async function pushedFolder() {
  if (kind === undefined) throw new Error('there is no such kind')
  const service = await kind.start()
  const place = await temporaryFolder()
  onTestFinished(async () => {
    await service[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })
  const at = (name: string) => join(place.path, name)
  await mkdir(at('a'))
  await writeFile(join(at('a'), 'metadata.yaml'), metadata)
  await writeFile(join(at('a'), 'levels.csv'), '1,2\n')
  const remote = `r${randomUUID().slice(0, 8)}`
  const run = (...args: readonly string[]) =>
    runCli(args, { folder: place.path, stdin: kind.token })
  const push = (dir: string, ...options: readonly string[]) =>
    run('push', dir, '--to', remote, '--publish', '--yes', ...options)
  await run('remote', 'add', remote, '--kind=zenodo', `--url=${service.url}`)
  const first = await push('a')
  return { at, run, push, first, held: () => kind.held(service.state()) }
}

describe('a folder that was pushed, and moved since', () => {
  it('continues with its record when it was renamed', async () => {
    const { at, run, push, first, held } = await pushedFolder()
    await rename(at('a'), at('b'))

    const status = await run('status', 'b')
    const again = await push('b')
    await appendFile(join(at('b'), 'levels.csv'), '3,4\n')
    const changed = await push('b')
    const next = await push('b', '--new-version')

    expect(status.stdout).toContain('published as 10.')
    expect(again).toMatchObject({ status: 0, stdout: first.stdout })
    expect(again.stderr).toContain(`it was pushed from ${at('a')} before`)
    expect(changed.status).toBe(5)
    expect(next.status).toBe(0)
    expect(held()).toHaveLength(2)
  })

  it('continues with it when it was moved to another disk', async () => {
    const { at, push, first, held } = await pushedFolder()
    await copy(at('a'), at('b'))
    await rm(at('a'), { recursive: true })

    const again = await push('b')

    expect(again.stdout).toBe(first.stdout)
    expect(held()).toHaveLength(1)
  })

  it('is the same one by a link', async () => {
    const { at, push, first, held } = await pushedFolder()
    await symlink(at('a'), at('b'))

    expect((await push('b')).stdout).toBe(first.stdout)
    expect((await push('a')).stdout).toBe(first.stdout)
    expect(held()).toHaveLength(1)
  })

  it('is another one where it is a copy, or another work took its place', async () => {
    const { at, push, held } = await pushedFolder()
    await copy(at('a'), at('copy'))
    expect((await push('copy')).status).toBe(0)
    expect(held()).toHaveLength(2)

    await copy(at('a'), at('other'))
    await writeFile(join(at('other'), 'metadata.yaml'), metadata.replace('Tides', 'Winds'))
    await rm(at('a'), { recursive: true })
    await rm(at('copy'), { recursive: true })
    expect((await push('other')).status).toBe(0)
    expect(held()).toHaveLength(3)
  })
})
