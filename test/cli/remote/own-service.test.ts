import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { writeScope } from '../../../core/contract/scopes.ts'
import type { DepositBody, SearchBody } from '../../../core/contract/schemas.ts'
import { bodyOf } from '../../support/http.ts'
import { runCli, type Outcome } from '../../support/run-cli.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { testDaemon } from '../../support/test-daemon.ts'

const metadata =
  'title: Levels\ncreators: [{name: Ada}]\npublication_date: "2026"\nresource_type: dataset\nlicense: CC0-1.0\n'

/** A folder, and a service of ours that it is pushed to, through one of its interfaces. */
async function begin(kind: string, env: Readonly<Record<string, string>> = {}) {
  const daemon = await testDaemon({ env })
  onTestFinished(() => daemon[Symbol.asyncDispose]())
  const folder = await temporaryFolder({ 'set/metadata.yaml': metadata })
  onTestFinished(() => folder[Symbol.asyncDispose]())
  const ada = daemon.as('ada')
  const { authorization = '' } = await ada.authorization()
  const stdin = authorization.replace('Bearer ', '')
  const dir = join(folder.path, 'set')
  const run = (...args: readonly string[]): Promise<Outcome> => runCli(args, { folder: dir, stdin })
  const write = async (name: string, bytes: string | Buffer): Promise<void> => {
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), bytes)
  }
  await run('remote', 'add', 'own', '--replace', `--kind=${kind}`, `--url=${daemon.origin}/${kind}`)
  const push = (...more: readonly string[]): Promise<Outcome> => run('push', '--to', 'own', ...more)
  /** Bytes of the newest deposit there, by name. */
  const held = async (versions = 1): Promise<Readonly<Record<string, Buffer>>> => {
    const { hits } = bodyOf<SearchBody>(await ada.get('/deposits/?sort=mostrecent'), 200)
    const deposits = hits.hits as unknown as readonly DepositBody[]
    expect(deposits).toHaveLength(versions)
    const deposit = deposits
      .toSorted((one, other) => one.created.localeCompare(other.created))
      .at(-1)
    if (deposit === undefined) return {}
    const files = await ada.files(deposit)
    const all = files.map(async ({ filename, links }) => {
      const bytes = await fetch(links['download'] ?? '', { headers: { authorization } })
      return [filename, Buffer.from(await bytes.arrayBuffer())] as const
    })
    return Object.fromEntries(await Promise.all(all))
  }
  return { daemon, dir, write, push, run, held }
}

describe.each(['zenodo', 'rdm'])('a push to the interface %s of our own service', (kind) => {
  it('takes 1,000 files, tells how far it is, and sends none a second time', async () => {
    const { write, push, held } = await begin(kind)
    for (let at = 0; at < 1000; at += 1) await write(`f ${at}.bin`, Buffer.alloc(4096, `${at}`))

    const first = await push('--progress', 'json')
    const again = await push('--publish', '--yes')

    expect(first.status).toBe(0)
    const events = first.stderr.split('\n').filter((line) => line.includes('"progress"'))
    expect(events.at(-1)).toContain('"files":1000,"files_total":1000')
    expect(again.stderr).toContain('1,000 files there already')
    expect(again.status).toBe(0)
    const there = await held()
    expect(Object.keys(there)).toHaveLength(1000)
    expect(there['f 999.bin']).toEqual(Buffer.alloc(4096, '999'))
  })

  it('compares the digest of a large file that it computed on the way', async () => {
    const { write, push, held } = await begin(kind)
    const large = Buffer.alloc(5 * 1024 * 1024 + 7, 'levels')
    await write('large.bin', large)

    const sent = await push()
    const again = await push()

    expect([sent.status, sent.stderr]).toEqual([0, expect.stringContaining('Sends 1 file')])
    expect(again.stderr).toContain('1 file there already')
    const there = await held()
    expect(there['large.bin']?.equals(large)).toBe(true)
  })

  it('keeps folders, blanks and empty files, and names that its addresses use', async () => {
    const { dir, write, push, held, run } = await begin(kind)
    const names = ['a b/c d.csv', 'Übung/ö.txt', 'a/content', 'content', 'a/commit', 'deep/er/x']
    for (const name of names) await write(name, `of ${name}`)
    await write('empty.txt', '')
    const { status } = await push()
    await write('a/content', 'other')
    const next = await push()

    expect([status, next.status]).toEqual([0, 0])
    expect(next.stderr).toContain('Sends 1 file')
    const there = await held()
    expect(Object.keys(there).toSorted()).toEqual([...names, 'empty.txt'].toSorted())
    for (const name of names) expect(there[name]).toEqual(await readFile(join(dir, name)))
    const { stdout } = await run('push', '--to', 'own', '--json')
    const { remote } = JSON.parse(stdout) as { readonly remote: { readonly id: string } }
    expect(remote.id).toMatch(/^\d+$/)
  })

  it('sends three files of 200 for a new version in which three changed', async () => {
    const { write, push, held } = await begin(kind)
    for (let at = 0; at < 200; at += 1) await write(`f${at}`, `level ${at}`)
    const first = await push('--publish', '--yes')
    for (const at of [1, 100, 199]) await write(`f${at}`, `other ${at}`)
    const second = await push('--publish', '--yes', '--new-version')

    expect([first.status, second.status]).toEqual([0, 0])
    expect(second.stderr).toContain('197 files there already')
    expect(second.stderr).toContain('Sends 3 files')
    expect(second.stdout).not.toBe(first.stdout)
    const there = await held(2)
    expect(Object.keys(there)).toHaveLength(200)
    expect(String(there['f100'])).toBe('other 100')
    expect(String(there['f101'])).toBe('level 101')
  })

  it('never makes an embargoed set public', async () => {
    const { write, push, daemon } = await begin(kind)
    await write('a.txt', 'secret')
    await write('metadata.yaml', `${metadata}access: {files: restricted, until: 2099-01-01}\n`)
    await push('--publish', '--yes')

    const { body } = await daemon.visitor.get('/records')
    const { hits } = (body as SearchBody).hits
    for (const hit of hits) {
      const { links } = hit as unknown as DepositBody
      const files = await fetch(links['files'] ?? '')
      expect(await files.text()).not.toContain('a.txt')
    }
  })

  it('begins no correction that closes files, which it would not publish', async () => {
    const { write, push, held, run } = await begin(kind)
    await write('a.txt', 'open')
    await push('--publish', '--yes')
    await write('metadata.yaml', `${metadata}access: {files: restricted}\n`)

    for (const options of [['--publish', '--yes'], ['--publish', '--dry-run'], []]) {
      const refused = await push(...options)
      expect(refused.status).toBe(1)
      expect(refused.stderr).toContain('a correction does not close them')
    }
    await write('metadata.yaml', `${metadata}notes: Corrected\naccess: {files: public}\n`)
    expect(await push('--publish', '--yes')).toMatchObject({ status: 0 })
    expect((await run('status', '--remotes')).stdout).toContain(', level')
    expect(Object.keys(await held())).toEqual(['a.txt'])
  })

  it('is not promised by a check of a token that may not publish', async () => {
    const { daemon, run } = await begin(kind)
    const good = await run('remote', 'check', 'own')
    const writer = daemon.as('ada', { scopes: [writeScope] })
    const { authorization = '' } = await writer.authorization()
    const folder = await temporaryFolder()
    onTestFinished(() => folder[Symbol.asyncDispose]())
    const environment = { DEPOSIT_REMOTE_OWN_TOKEN: authorization.replace('Bearer ', '') }
    const check = ['remote', 'check', 'own']
    const weak = await runCli(check, { folder: folder.path, environment })

    expect(good).toMatchObject({ status: 0, stdout: expect.stringContaining('is good') as string })
    expect([weak.status, weak.stdout]).toEqual([4, ''])
    expect(weak.stderr).toContain('the token is good for drafts, and may not publish')
  })

  it('is refused by the limits of this service, before anything is sent', async () => {
    const env = { DEPOSIT_MAX_FILES: '3', DEPOSIT_MAX_FILE_SIZE: '2000' }
    const { write, push, held } = await begin(kind, env)
    for (const name of ['a', 'b', 'c', 'd']) await write(name, name)
    const many = await push()
    await write('large', 'x'.repeat(2001))
    const large = await push('--flatten', 'zip')
    await write('large', '')
    const { status } = await push('--flatten', 'zip')

    expect(many.stderr).toContain('It has 4 files; 3 files are allowed there.')
    expect(many.stderr).toContain('deposit push --to own --flatten zip')
    expect(large.stderr).toContain('are allowed there')
    expect(status).toBe(0)
    expect(Object.keys(await held())).toEqual(['files.zip'])
  })
})
