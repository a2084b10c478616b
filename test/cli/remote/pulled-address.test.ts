import { describe, expect, it, onTestFinished } from 'vitest'
import { pushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'
import { runCli } from '../../support/run-cli.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { testDaemon } from '../../support/test-daemon.ts'

interface Remote {
  readonly id: string
  readonly url: string
  readonly doi: string | null
}

const remoteOf = (stdout: string): Remote => (JSON.parse(stdout) as { remote: Remote }).remote

/** Addresses of a draft or record at a service, as its pages and its interface have them. */
const addresses: Readonly<
  Record<string, (at: string, id: string, isDraft: boolean) => readonly string[]>
> = {
  zenodo: (at, id, isDraft) => [
    `${at}/api/deposit/depositions/${id}`,
    ...(isDraft
      ? [`${at}/deposit/${id}`, `${at}/uploads/${id}`]
      : [`${at}/records/${id}`, `${at}/record/${id}#files`, `${at}/api/records/${id}`]),
  ],
  rdm: (at, id, isDraft) =>
    isDraft
      ? [`${at}/uploads/${id}`, `${at}/api/records/${id}/draft`]
      : [`${at}/records/${id}`, `${at}/records/${id}?preview=1`, `${at}/api/records/${id}`],
  dataverse: (at, id) => [
    `${at}/dataset.xhtml?persistentId=${id}`,
    `${at}/dataset.xhtml?persistentId=${encodeURIComponent(id)}&version=DRAFT`,
    `${at}/api/datasets/:persistentId/?persistentId=${id}`,
    `https://doi.org/${id.replace('doi:', '')}`,
  ],
  figshare: (at, id, isDraft) =>
    isDraft
      ? [`${at}/account/articles/${id}`, `${at}/v2/account/articles/${id}`]
      : [`${at}/articles/dataset/Tides/${id}/1`, `${at}/articles/${id}`, `${at}/v2/articles/${id}`],
}

describe.each(['Zenodo of today', 'InvenioRDM', 'Dataverse', 'figshare'] as const)(
  'a pull from %s',
  (name) => {
    it('takes the addresses that a push prints, and those of pages and the interface', async () => {
      const under = remoteKinds[name]
      await using there = await pushedFolder(under, await under.start())
      await there.write('a.csv', '1')
      for (const isDraft of [true, false]) {
        const options = isDraft ? [] : ['--publish', '--yes']
        const printed = (await there.push(...options)).stdout.trim()
        const { id, url, doi } = remoteOf((await there.push(...options, '--json')).stdout)
        const more = addresses[under.kind]?.(there.service.url, id, isDraft) ?? []
        const ofDoi = doi === null || isDraft ? [] : [doi, `https://doi.org/${doi}`, `doi:${doi}`]
        for (const address of [printed, url, ...more, ...ofDoi]) {
          const { status, stderr } = await there.deposit(['pull', address, '--dry-run'])
          expect({ address, stderr, status }).toMatchObject({ address, status: 0 })
        }
      }
    })
  },
)

it('a record is one draft, by whichever interface of its service it is pulled', async () => {
  await using daemon = await testDaemon()
  const ada = daemon.as('ada')
  const { authorization = '' } = await ada.authorization()
  const token = authorization.replace('Bearer ', '')
  const draft = await ada.createDraftWith('a.csv')
  await ada.publish(draft)
  const environment = { DEPOSIT_URL: daemon.origin, DEPOSIT_TOKEN: token }
  const run = (...args: readonly string[]) => runCli(args, { environment, stdin: token })
  for (const kind of ['zenodo', 'rdm'])
    await run('remote', 'add', `of-${kind}`, `--kind=${kind}`, `--url=${daemon.origin}/${kind}`)
  const { body } = await ada.send('GET', `${daemon.origin}/zenodo/api/deposit/depositions`)
  const [{ id }] = body as readonly [{ readonly id: number }]

  const first = await run('pull', `of-zenodo:${id}`, '--quiet')
  const second = await run('pull', `of-rdm:${id}`, '--quiet')

  expect(first.status).toBe(0)
  expect(second).toMatchObject({ status: 0, stdout: first.stdout })
})

describe.each(['zenodo', 'rdm'])('a pull from our own service by its interface %s', (kind) => {
  it('takes the addresses that a push prints', async () => {
    const daemon = await testDaemon()
    onTestFinished(() => daemon[Symbol.asyncDispose]())
    const metadata =
      'title: Levels\ncreators: [{name: Ada}]\npublication_date: "2026"\nresource_type: dataset\nlicense: CC0-1.0\n'
    const folder = await temporaryFolder({ 'metadata.yaml': metadata, 'a.csv': '1' })
    onTestFinished(() => folder[Symbol.asyncDispose]())
    const { authorization = '' } = await daemon.as('ada').authorization()
    const run = (...args: readonly string[]) =>
      runCli(args, { folder: folder.path, stdin: authorization.replace('Bearer ', '') })
    const url = `--url=${daemon.origin}/${kind}`
    await run('remote', 'add', 'own', '--replace', `--kind=${kind}`, url)
    for (const options of [[], ['--publish', '--yes']]) {
      const printed = (await run('push', '--to', 'own', ...options)).stdout.trim()
      const remote = remoteOf((await run('push', '--to', 'own', ...options, '--json')).stdout)
      const at = `${daemon.origin}/${kind}/api`
      const api = kind === 'rdm' ? `${at}/records` : `${at}/deposit/depositions`
      const draft = kind === 'rdm' && options.length === 0 ? '/draft' : ''
      const all = [printed, remote.url, `${api}/${remote.id}${draft}`]
      for (const address of all.filter((each) => !each.startsWith('https://doi.org'))) {
        const { status, stderr } = await run('pull', address, '--dry-run')
        expect({ address, stderr, status }).toMatchObject({ address, status: 0 })
      }
    }
  })
})
