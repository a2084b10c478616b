import { expect, it } from 'vitest'
import { pushedFolder, type PushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'

const { figshare, InvenioRDM, Dataverse } = remoteKinds
const kinds = { Zenodo: remoteKinds['Zenodo of today'], InvenioRDM, Dataverse, figshare }

const restricted = 'access: {files: restricted, reason: Names of persons}\n'
const embargoed = 'access: {files: restricted, until: 2099-01-01}\n'
/** Without the subjects, which a kind may need itself. */
const full = `contributors: [{name: 'Pascal, Blaise', role: editor}]
version: 2.1.0
language: en
dates: [{date: 2025-01-02, type: collected}, {date: 2025-03-04, type: valid}]
related_identifiers: [{identifier: 10.1234/abc, relation: iscitedby, scheme: doi}]
locations: [{place: Dover, lat: 51.1, lon: 1.3}]
`

interface Planned {
  readonly metadata: unknown
  readonly warnings: readonly { readonly field: string; readonly message: string }[]
}

async function plan(there: PushedFolder, metadata: string) {
  await there.describe(metadata)
  const { status, stdout, stderr } = await there.push('--dry-run', '--json')
  const made = status === 0 ? (JSON.parse(stdout) as Planned) : undefined
  const lost = made?.warnings.map(({ field }) => field).toSorted()
  return { status, stderr, lost: [...new Set(lost)], metadata: JSON.stringify(made?.metadata) }
}

it.each([
  ['Zenodo', 0, 0],
  ['InvenioRDM', 0, 0],
  ['Dataverse', 0, 1],
  ['figshare', 1, 1],
] as const)('limits of access go to %s, or are refused', async (name, limited, later) => {
  const under = kinds[name]
  await using there = await pushedFolder(under, await under.start())
  await there.write('a.txt', 'level')
  expect((await plan(there, restricted)).status).toBe(limited)
  const { status, stderr } = await plan(there, embargoed)
  expect(status).toBe(later)
  if (later === 1) expect(stderr).toContain(`deposit does not set embargoes on ${name}`)
})

it.each([
  ['Zenodo', []],
  ['InvenioRDM', []],
  [
    'Dataverse',
    ['/contributors', '/dates', '/language', '/locations', '/related_identifiers', '/version'],
  ],
  ['figshare', ['/contributors', '/dates', '/language', '/locations', '/version']],
] as const)('a full document goes to %s, and what it loses is told', async (name, lost) => {
  const under = kinds[name]
  await using there = await pushedFolder(under, await under.start())
  await there.write('a.txt', 'level')
  const bare = await plan(there, '')
  expect(bare).toMatchObject({ status: 0, lost: [] })
  const made = await plan(there, full)
  expect(made.status).toBe(0)
  for (const field of lost) expect(made.lost).toContain(field)
  for (const text of ['Tides at the pier', 'Carberry', '10.1234/abc'])
    expect(made.metadata).toContain(text)
})
