import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { send } from '../support/http.ts'
import { startDaemon } from '../support/daemon-process.ts'
import { demoToken } from '../support/services/invenio/store.ts'
import { startZenodo } from '../support/services/zenodo/zenodo.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const run = promisify(execFile)

interface Deposition {
  readonly id: number
  readonly conceptrecid: string
  readonly record_id: number
  readonly submitted: boolean
  readonly metadata: {
    readonly version?: string
    readonly prereserve_doi: { readonly doi: string }
  }
  readonly files: readonly { readonly id: string; readonly filename: string }[]
  readonly links: Readonly<Record<string, string>>
}

const metadata = {
  upload_type: 'dataset',
  title: 'Water levels',
  description: 'Levels of the Elbe.',
  creators: [{ name: 'Lovelace, Ada' }],
  version: '1.0',
}

async function daemonWithToken() {
  const daemon = await startDaemon({ DEPOSIT_LOG_LEVEL: 'trace' })
  await daemon.operate(['user', 'add', 'ada@example.org'])
  const scope = ['--scope', 'deposit:write deposit:actions', '--expires', 'never']
  const made = await daemon.operate(['token', 'create', '--user', 'ada@example.org', ...scope])
  const token = /dep_pt_\S+/.exec(made)?.[0] ?? ''
  return { daemon, token }
}

/** As zenodo-upload calls it: whatever the status, the answer. */
async function curl(...args: readonly string[]): Promise<Deposition> {
  const { stdout } = await run('curl', ['--silent', ...args])
  return (stdout === '' ? {} : JSON.parse(stdout)) as Deposition
}

describe('the calls of zenodo-upload', () => {
  it('make, fill, publish, edit and continue a deposition, and no log has the token', async () => {
    const { daemon: started, token } = await daemonWithToken()
    await using daemon = started
    await using folder = await temporaryFolder({ 'data file.txt': 'levels' })
    const at = (path: string): string =>
      `${daemon.url}/zenodo/api/deposit/depositions${path}?access_token=${token}`
    const json = ['-H', 'Content-Type: application/json']

    const { id } = await curl(...json, '-X', 'POST', '--data', '{}', at(''))
    const { links } = await curl(...json, at(`/${id}`))
    const upload = [
      '--upload-file',
      join(folder.path, 'data file.txt'),
      '-H',
      'Expect: 100-continue',
    ]
    await curl(...upload, `${links['bucket']}/data%20file.txt?access_token=${token}`)
    await curl(...json, '-X', 'PUT', '--data', JSON.stringify({ metadata }), at(`/${id}`))
    const published = await curl(...json, '-X', 'POST', at(`/${id}/actions/publish`))
    expect(published).toMatchObject({
      id,
      submitted: true,
      files: [{ filename: 'data file.txt', filesize: 6 }],
    })

    const edited = await curl(...json, '-X', 'POST', at(`/${id}/actions/edit`))
    expect(edited).toMatchObject({ id, state: 'inprogress' })
    await curl(...json, '-X', 'POST', at(`/${id}/actions/discard`))
    const next = await curl(...json, '-X', 'POST', '--data', '{}', at(`/${id}/actions/newversion`))
    expect(next).toMatchObject({ conceptrecid: published.conceptrecid, submitted: false })
    expect(next.id).not.toBe(id)

    await curl(...json, '-X', 'POST', '--data', '{', at(''))
    const names = await readdir(join(daemon.home, 'logs')).catch(() => [])
    const logs = await Promise.all(
      names.map((name) => readFile(join(daemon.home, 'logs', name), 'utf8')),
    )
    expect(daemon.log()).toContain('access_token')
    const trail = await daemon.operate(['audit', '--json'])
    expect(JSON.parse(trail)).toContainEqual(
      expect.objectContaining({
        what: 'POST /zenodo/api/deposit/depositions',
        failed: 'malformed_json',
      }),
    )
    expect([daemon.log(), trail, ...logs].filter((text) => text.includes(token))).toEqual([])
  })
})

describe('the calls of zenodraft and zenodo-client', () => {
  it('find drafts by the number of the concept, and delete files by their ids', async () => {
    const { daemon: started, token } = await daemonWithToken()
    await using daemon = started
    const api = `${daemon.url}/zenodo/api/deposit/depositions`
    const ask = async (method: string, url: string, json?: object): Promise<Deposition> => {
      const headers = { authorization: `Bearer ${token}` }
      const reply = await send(method, url, { headers, ...(json && { json }) })
      expect(reply.status).toBeLessThan(300)
      return reply.body as Deposition
    }
    const made = await ask('POST', api, {})
    expect([made.record_id, made.conceptrecid]).toEqual([made.id, String(made.id - 1)])
    expect(made.metadata.prereserve_doi.doi).toMatch(/^10\.\d+\/zenodo\.\d+$/)
    await send('PUT', `${made.links['bucket']}/a.txt`, {
      body: 'a',
      headers: { authorization: `Bearer ${token}` },
    })
    await ask('PUT', `${api}/${made.id}`, { metadata })
    await ask('POST', `${api}/${made.id}/actions/publish`)
    expect((await ask('GET', `${api}/${made.id}`)).metadata.version).toBe('1.0')

    const first = `${api}/${Number(made.conceptrecid) + 1}`
    const version = await ask('POST', `${first}/actions/newversion`)
    const draft = version.links['latest_draft']?.split('/').at(-1)
    expect(draft).toMatch(/^\d+$/)
    const { links, files } = await ask('GET', `${api}/${draft}`)
    for (const { id } of files) await ask('DELETE', `${links['files']}/${id}`)
    expect((await ask('GET', `${api}/${draft}`)).files).toEqual([])
    await ask('DELETE', `${api}/${draft}`)
  })
})

const example = (name: string): string =>
  fileURLToPath(new URL(`../../examples/ci/${name}`, import.meta.url))

/** The environment of a job in which `deposit` can be called. */
async function jobIn(folder: string): Promise<NodeJS.ProcessEnv> {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const program = fileURLToPath(new URL('../../cli/bin.mjs', import.meta.url))
  await symlink(program, join(bin, 'deposit'))
  return { ...process.env, PATH: `${bin}:${process.env['PATH']}`, TMPDIR: folder }
}

const leftovers = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith('tmp.'))

describe('the example of a push', () => {
  it('rehearses, and then publishes the folder once for each of its states', async () => {
    await using zenodo = await startZenodo({ limit: Infinity })
    const yaml =
      'title: Levels\ncreators: [{name: Ada}]\npublication_date: "2026"\nresource_type: dataset\nlicense: CC0-1.0\n'
    await using folder = await temporaryFolder({
      'data/a/b.csv': '1,2\n',
      'data/metadata.yaml': yaml,
    })
    const env = {
      ...(await jobIn(folder.path)),
      DEPOSIT_REMOTE_ZENODO_TOKEN: demoToken.token,
      ZENODO_URL: zenodo.url,
    }
    const push = async (dir = 'data'): Promise<string> =>
      (await run(example('push-to-zenodo.sh'), [dir], { cwd: folder.path, env })).stdout

    await writeFile(join(folder.path, 'data/metadata.yaml'), yaml.replace('title: Levels\n', ''))
    await expect(push()).rejects.toThrow('title')
    expect(zenodo.requests).toEqual([])
    await writeFile(join(folder.path, 'data/metadata.yaml'), yaml)
    const first = await push()
    // With the slash that a shell completes.
    const again = await push('data/')
    expect(await readdir(join(folder.path, 'data'))).toEqual(['a', 'metadata.yaml'])
    await writeFile(join(folder.path, 'data/a/b.csv'), '3\n')
    const second = await push()
    await writeFile(join(folder.path, 'data/metadata.yaml'), `${yaml}notes: Corrected in March.\n`)
    const corrected = await push()

    expect(corrected).toBe(second)
    expect(JSON.stringify(zenodo.state())).toContain('Corrected in March.')
    expect(first).toMatch(/^https:\/\/doi\.org\/10\.\S+\n$/)
    expect(again).toBe(first)
    expect(second).not.toBe(first)
    expect(zenodo.state()).toHaveLength(2)
    expect(await leftovers(folder.path)).toEqual([])
  })
})

describe('the example of a release script', () => {
  it('is rehearsed against a daemon of its own, which ends with it', async () => {
    await using folder = await temporaryFolder({
      'levels.csv': '1,2\n',
      'metadata.json': JSON.stringify({ metadata }),
    })
    const release = example('zenodo-release.sh')
    const script = `set -eu
      first=$(${release} metadata.json levels.csv)
      echo new > more.csv
      ${release} metadata.json more.csv -- "$first"
      jq .metadata.title=null metadata.json > untitled.json
      ! ${release} untitled.json levels.csv 2>&1`
    await writeFile(join(folder.path, 'twice.sh'), script)
    const env = await jobIn(folder.path)

    const { stdout } = await run(example('zenodo-rehearsal.sh'), ['bash', 'twice.sh'], {
      cwd: folder.path,
      env,
    })

    const [second, refused] = stdout.trim().split('\n')
    expect(second).toMatch(/^\d+$/)
    expect(refused).toContain('400')
    expect(stdout).toContain('metadata.title')
    expect(await leftovers(folder.path)).toEqual([])
  })
})
