import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SearchBody } from '../../../core/contract/schemas.ts'
import { bodyOf } from '../../support/http.ts'
import { runCli, type Outcome } from '../../support/run-cli.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { testDaemon } from '../../support/test-daemon.ts'

const metadata =
  'title: Levels\ncreators: [{name: Ada}]\npublication_date: "2026"\nresource_type: dataset\nlicense: CC0-1.0\n'
const publish = ['--publish', '--yes'] as const

/** A folder that was published at a service of ours, by one of its interfaces. */
async function begin(kind: string) {
  const daemon = await testDaemon()
  onTestFinished(() => daemon[Symbol.asyncDispose]())
  const folder = await temporaryFolder({ 'set/metadata.yaml': metadata, 'set/a.csv': '1' })
  onTestFinished(() => folder[Symbol.asyncDispose]())
  const ada = daemon.as('ada')
  const { authorization = '' } = await ada.authorization()
  const token = authorization.replace('Bearer ', '')
  const environment = { DEPOSIT_URL: daemon.origin, DEPOSIT_TOKEN: token }
  const run = (...args: readonly string[]): Promise<Outcome> =>
    runCli(args, { folder: join(folder.path, 'set'), stdin: token, environment })
  await run('remote', 'add', 'own', '--replace', `--kind=${kind}`, `--url=${daemon.origin}/${kind}`)
  const push = (...more: readonly string[]): Promise<Outcome> => run('push', '--to', 'own', ...more)
  const pushed = await push(...publish, '--json')
  const { remote } = JSON.parse(pushed.stdout) as { readonly remote: { readonly id: string } }
  const deposits = async (): Promise<SearchBody['hits']['hits']> => {
    const { hits } = bodyOf<SearchBody>(await ada.get('/deposits/'), 200)
    return hits.hits
  }
  const [deposit] = await deposits()
  const act = async (name: string, json: object): Promise<void> => {
    const { status } = await ada.post(`/deposits/${deposit?.id}/actions/${name}`, { json })
    expect(status).toBeLessThan(300)
  }
  return { folder, run, push, act, deposits, id: remote.id }
}

describe.each(['zenodo', 'rdm'])('a record that was withdrawn at the service (%s)', (kind) => {
  it('is told with day and reason, and gets no second record', async () => {
    const { folder, run, push, act, deposits } = await begin(kind)
    await act('withdraw', { reason: 'retracted', note: 'The gauge was broken.' })
    const words = /was withdrawn there on \d{4}-\d\d-\d\d: retracted, The gauge was broken\./

    for (const options of [publish, [...publish, '--dry-run'], [...publish, '--new-version']]) {
      const refused = await push(...options)
      expect(refused).toMatchObject({ status: 5, stdout: '' })
      expect(refused.stderr).toMatch(words)
    }
    await rm(join(folder.path, 'set/a.csv'))
    expect((await push(...publish)).stderr).toMatch(words)
    const { stdout } = await run('status', '--remotes')
    expect(stdout).toMatch(words)
    expect(stdout).not.toContain('Nothing to do')
    expect(await deposits()).toHaveLength(1)
  })

  it('is pulled by nobody, and level again once it is restored', async () => {
    const { run, push, act, deposits, id } = await begin(kind)
    await act('withdraw', { reason: 'test' })

    const pulled = await run('pull', `own:${id}`)
    expect(pulled).toMatchObject({ status: 5, stdout: '' })
    expect(pulled.stderr).toContain('was withdrawn there on ')
    expect(await deposits()).toHaveLength(1)

    await act('restore-record', {})
    expect((await push(...publish)).stderr).toContain('and is level')
    expect(await run('pull', `own:${id}`)).toMatchObject({ status: 0 })
  })
})
