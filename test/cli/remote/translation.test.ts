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
  readonly lost: readonly { readonly field: string; readonly message: string }[]
}

async function plan(there: PushedFolder, metadata: string) {
  await there.describe(metadata)
  const { status, stdout, stderr } = await there.push('--dry-run', '--json')
  const made = status === 0 ? (JSON.parse(stdout) as Planned) : undefined
  const lost = made?.lost.map(({ field }) => field).toSorted()
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
  if (later === 0) return
  expect(stderr).toContain(`deposit does not set embargoes on ${name}`)
  // Nothing is made: the plan does not say that it is.
  const refused = await there.push()
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain('nothing was sent')
  expect(refused.stderr).not.toMatch(/makes? a draft on/i)
})

it.each([
  ['Zenodo', []],
  ['InvenioRDM', []],
  [
    'Dataverse',
    ['/contributors', '/dates', '/language', '/locations', '/related_identifiers', '/version'],
  ],
  [
    'figshare',
    ['/contributors', '/dates', '/language', '/locations', '/publication_date', '/version'],
  ],
] as const)('a full document goes to %s, and what it loses is told', async (name, lost) => {
  const under = kinds[name]
  await using there = await pushedFolder(under, await under.start())
  await there.write('a.txt', 'level')
  const bare = await plan(there, '')
  const always = name === 'figshare' ? ['/publication_date'] : []
  expect(bare).toMatchObject({ status: 0, lost: always })
  const made = await plan(there, full)
  expect(made.status).toBe(0)
  for (const field of lost) expect(made.lost).toContain(field)
  for (const text of ['Tides at the pier', 'Carberry', '10.1234/abc'])
    expect(made.metadata).toContain(text)
})

/** With what some repository has no place for, and what none of them is told. */
const odd = `creators: [{name: 'Carberry, Josiah', affiliation: [{name: Brown University, ror: 'https://ror.org/05gq02987'}]}]
publisher: The harbour office
subjects: [{subject: Oceanography, scheme: LCSH}, {subject: Tides, scheme: LCSH, identifier: 'http://id.loc.gov/x'}]
alternate_identifiers: [{identifier: H-17, scheme: harbour}, {identifier: 'https://example.org/17'}]
funding: [{title: A grant}, {funder: ANR, award: 17}]
contributors: [{name: Ada, role: translator}]
resource_type: instrument
pier: East
`

it.each([
  [
    'Zenodo',
    [
      '/alternate_identifiers',
      '/contributors',
      '/creators',
      '/funding',
      '/pier',
      '/resource_type',
      '/subjects',
    ],
  ],
  ['InvenioRDM', ['/alternate_identifiers', '/creators', '/funding', '/pier', '/subjects']],
  [
    'Dataverse',
    [
      '/contributors',
      '/creators',
      '/funding',
      '/pier',
      '/publisher',
      '/resource_type',
      '/subjects',
    ],
  ],
  [
    'figshare',
    [
      '/alternate_identifiers',
      '/contributors',
      '/creators',
      '/funding',
      '/pier',
      '/publication_date',
      '/publisher',
      '/resource_type',
      '/subjects',
    ],
  ],
] as const)(
  'tells of each field that is not sent, before and with a push to %s',
  async (name, lost) => {
    const under = kinds[name]
    await using there = await pushedFolder(under, await under.start())
    await there.write('a.txt', 'level')
    const given = `title: Tides\ndescription: Levels\npublication_date: 2026-01-02\nlicense: CC-BY-4.0\nkeywords: [tide]\n`
    await there.write('metadata.yaml', given + odd)
    const planned = await there.push('--dry-run')
    const pushed = await there.push('--json')
    const shown = JSON.parse(pushed.stdout) as Planned

    expect([...new Set(shown.lost.map(({ field }) => field))].toSorted()).toEqual(lost)
    for (const field of lost) {
      expect(planned.stderr).toContain(`not sent: ${field}: `)
      expect(pushed.stderr).toContain(`not sent: ${field}: `)
    }
    if (name !== 'Zenodo') return
    const document = { imprint_publisher: 'The harbour office', keywords: ['tide', 'Oceanography'] }
    expect(there.service.state()).toMatchObject([{ draft: { document } }])
  },
)
