import { execFile } from 'node:child_process'
import { cp, mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

let daemon: DaemonProcess
/** A project with the packed package. */
let project: TemporaryFolder

beforeAll(async () => {
  daemon = await startDaemon()
  const metadata = { title: 'Water levels', keywords: ['tide'] }
  const rows = ['one', 'two', 'bad'].map((key) => ({
    key,
    metadata: { title: key === 'bad' ? 1 : key },
    files: ['data/a.csv'],
  }))
  project = await temporaryFolder({
    'package.json': '{ "type": "module" }',
    'metadata.json': JSON.stringify(metadata),
    'rows.json': JSON.stringify(rows),
    'data/a.csv': '1,2',
    'data/b.csv': '3,4',
    'next/b.csv': '5,6',
    'next/metadata.yaml': 'title: Water levels\nversion: "2"\n',
    'other/data/c.csv': '7,8',
  })
  await install(project.path)
  await cp(join(root, 'examples/scripts'), project.path, { recursive: true })
})

afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await project[Symbol.asyncDispose]()
})

/** Installs the package from its tarball; what it depends on is that of the checkout. */
async function install(folder: string): Promise<void> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout } = await run('npm', args, { cwd: root })
  const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }]
  await run('tar', ['xzf', filename], { cwd: folder })
  await mkdir(join(folder, 'node_modules'))
  const modules = join(root, 'node_modules')
  await rename(join(folder, 'package'), join(folder, 'node_modules/depositd'))
  await symlink(modules, join(folder, 'node_modules/depositd/node_modules'))
  await symlink(join(modules, '@types'), join(folder, 'node_modules/@types'))
  await symlink(join(modules, 'undici-types'), join(folder, 'node_modules/undici-types'))
}

/** Runs a script of the examples; returns the lines of its output. */
function script(...args: readonly string[]): Promise<readonly string[]> {
  return scriptIn('.', ...args)
}

async function scriptIn(folder: string, ...args: readonly string[]): Promise<readonly string[]> {
  const env = { ...process.env, HOME: project.path, DEPOSIT_HOME: daemon.home }
  const { stdout } = await run(process.execPath, [...args], {
    cwd: join(project.path, folder),
    env,
  })
  return stdout.trimEnd().split('\n')
}

/** A line of the output of batch.mjs. */
interface Row {
  readonly key: string
  readonly recordUrl?: string
}

async function filesOf(record: string | undefined): Promise<unknown> {
  const answer = await fetch(record ?? '', { headers: { accept: 'application/json' } })
  const { links } = (await answer.json()) as { readonly links: { readonly files: string } }
  const files = (await (await fetch(links.files)).json()) as { readonly filename: string }[]
  return files.map(({ filename }) => filename)
}

describe('the scripts of the examples, with the packed package', () => {
  it('publish-folder.mjs publishes a folder once, and new-version.mjs its next version', async () => {
    const [record] = await script('publish-folder.mjs', 'data', 'metadata.json')
    expect(record).toMatch(/^http\S+\/records\/\S+$/)
    expect(await script('publish-folder.mjs', 'data', 'metadata.json')).toEqual([record])
    expect(await filesOf(record)).toEqual(['a.csv', 'b.csv'])

    const [next] = await script('new-version.mjs', record ?? '', 'next')
    expect(next).not.toBe(record)
    expect(await script('new-version.mjs', record ?? '', 'next')).toEqual([next])
    expect(await filesOf(next)).toEqual(['b.csv'])

    // A folder of the same name in another place is another deposit.
    const publish = join(project.path, 'publish-folder.mjs')
    const [other] = await scriptIn('other', publish, 'data', '../metadata.json')
    expect(await filesOf(other)).toEqual(['c.csv'])
    await expect(script('new-version.mjs')).rejects.toMatchObject({
      code: 2,
      stderr: 'usage: node new-version.mjs RECORD FOLDER\n',
    })
  })

  it('batch.mjs publishes each row once, and names the failed ones', async () => {
    const rows = async (): Promise<readonly Row[]> => {
      const failed: unknown = await script('batch.mjs', 'rows.json').catch(
        (error: unknown) => error,
      )
      const { stdout, code } = failed as { readonly stdout: string; readonly code: number }
      expect(code).toBe(7)
      const lines = stdout.trimEnd().split('\n')
      return lines.toSorted().map((line) => JSON.parse(line) as Row)
    }

    const [bad, ...done] = await rows()

    const error = { code: 'invalid_document', errors: [{ field: '/title' }] }
    expect(bad).toMatchObject({ key: 'bad', error })
    expect(done.map(({ key }) => key)).toEqual(['one', 'two'])
    expect(await filesOf(done[0]?.recordUrl)).toEqual(['data/a.csv'])
    expect((await rows()).slice(1)).toEqual(done)
  })

  it('its types are complete, and know no types of the program', async () => {
    await writeFile(
      join(project.path, 'use.ts'),
      `import { connect, DepositError, type Client, type Deposit } from 'depositd/client'
const deposits: Client = await connect({ server: new URL('https://deposit.example.org'), token: 't' })
const draft: Deposit = await deposits.create({ title: 'Tides' })
const status: 'draft' | 'published' = draft.status
const sent = await deposits.upload(draft.id, ['a', 'b'], {
  onProgress: ({ bytes, bytesTotal }) => console.log(bytes / bytesTotal, status),
  signal: AbortSignal.timeout(1000),
})
const digests: readonly string[] = sent.map(({ sha256 }) => sha256)
// @ts-expect-error: there is no such field
console.log(digests, draft.links)
// @ts-expect-error: an option of another method
await deposits.create({}, { revision: 1 })
export const codeOf = (error: unknown): string | undefined =>
  error instanceof DepositError ? error.code : undefined
`,
    )
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'esnext']
    const args = [...options, '--types', 'node', '--ignoreConfig', 'use.ts']
    const tsc = join(root, 'node_modules/typescript/bin/tsc')

    const { stdout } = await run(process.execPath, [tsc, ...args], { cwd: project.path }).catch(
      (error: unknown) => error as { readonly stdout: string },
    )

    expect(stdout).toBe('')
  })
})
