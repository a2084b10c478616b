import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { moveIn } from '../../support/house.ts'
import { md5 } from '../../support/md5.ts'
import { remoteKinds, type KindUnderTest } from '../../support/remote-kinds.ts'
import { runCli } from '../../support/run-cli.ts'
import type { FaultKind } from '../../support/services/faults.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** In which way one request goes wrong. */
const faults = [
  'tooMany',
  'error',
  'gatewayTimeout',
  'cutRequest',
  'lostAnswer',
  'html',
  'page',
  'brokenJson',
  'cutAnswer',
  'slow',
] as const satisfies readonly FaultKind[]

/** After these the work is done, though the answer does not say so. */
const done = new Set<FaultKind>([
  'gatewayTimeout',
  'lostAnswer',
  'page',
  'brokenJson',
  'cutAnswer',
  'slow',
])

/**
 * The requests of a first push, and further ones of a new version and of a correction; `*` is a segment
 * or a part of one.
 */
interface Calls {
  readonly first: readonly string[]
  readonly version: readonly string[]
  readonly correction: readonly string[]
}

const zenodo: Calls = {
  first: [
    'GET /api/deposit/depositions?size=1',
    'POST /api/deposit/depositions',
    'PUT /api/files/*/*',
    'GET /api/deposit/depositions/*',
    'POST /api/deposit/depositions/*/actions/publish',
  ],
  version: [
    'GET /api/deposit/depositions/*',
    'GET /api/deposit/depositions?q=*',
    'POST /api/deposit/depositions/*/actions/newversion',
    'PUT /api/deposit/depositions/*',
    'DELETE /api/files/*/*',
    'GET /api/records/*',
  ],
  correction: [
    'GET /api/records/*',
    'GET /api/deposit/depositions/*',
    'POST /api/deposit/depositions/*/actions/edit',
    'PUT /api/deposit/depositions/*',
    'POST /api/deposit/depositions/*/actions/publish',
  ],
}

const dataset = '/api/datasets/:persistentId'
const dataverse: Calls = {
  first: [
    'POST /api/dataverses/root/datasets',
    `GET ${dataset}/versions/:latest?*`,
    `GET ${dataset}/locks?*`,
    `GET ${dataset}/uploadurls?*`,
    `POST ${dataset}/add?*`,
    `POST ${dataset}/actions/:publish?*`,
  ],
  version: [
    `PUT ${dataset}/versions/:draft?*`,
    'POST /api/files/*/replace',
    'DELETE /api/files/*',
    `GET ${dataset}/versions/:latest-published?*`,
  ],
  correction: [
    `PUT ${dataset}/versions/:draft?*`,
    `GET ${dataset}/versions/:latest-published?*`,
    `POST ${dataset}/actions/:publish?*`,
  ],
}

const calls: Readonly<Record<keyof typeof remoteKinds, Calls>> = {
  'Zenodo of today': zenodo,
  'Zenodo as documented': zenodo,
  InvenioRDM: {
    first: [
      'GET /api/user/records?size=1',
      'POST /api/records',
      'POST /api/records/*/draft/files',
      'PUT /api/records/*/draft/files/*/content',
      'POST /api/records/*/draft/files/*/commit',
      'GET /api/records/*',
      'GET /api/records/*/draft',
      'GET /api/records/*/draft/files',
      'POST /api/records/*/draft/actions/publish',
    ],
    version: [
      'GET /api/records/*/files',
      'POST /api/records/*/versions',
      'POST /api/records/*/draft/actions/files-import',
      'PUT /api/records/*/draft',
      'GET /api/records/*/draft/files/*',
      'DELETE /api/records/*/draft/files/*',
      'GET /api/records/*/versions/latest',
    ],
    correction: [
      'GET /api/records/*/files',
      'POST /api/records/*/draft',
      'PUT /api/records/*/draft',
      'GET /api/records/*/draft',
      'POST /api/records/*/draft/actions/publish',
    ],
  },
  Dataverse: dataverse,
  figshare: {
    first: [
      'GET /v2/account/licenses',
      'GET /v2/categories',
      'POST /v2/account/articles',
      'GET /v2/account/articles/*',
      'GET /v2/account/articles/*/files?*',
      'POST /v2/account/articles/*/files',
      'GET /v2/account/articles/*/files/*',
      'GET /upload/*',
      'PUT /upload/*/*',
      'POST /v2/account/articles/*/files/*',
      'POST /v2/account/articles/*/publish',
      'GET /v2/articles/*',
    ],
    version: ['PUT /v2/account/articles/*', 'DELETE /v2/account/articles/*/files/*'],
    correction: ['PUT /v2/account/articles/*', 'POST /v2/account/articles/*/publish'],
  },
  'Dataverse with an object store': {
    first: [
      ...dataverse.first.filter((call) => !call.includes('/add?')),
      'PUT /s3/*',
      'PUT /api/datasets/mpupload?*',
      `POST ${dataset}/addFiles?*`,
    ],
    version: [
      `PUT ${dataset}/versions/:draft?*`,
      `POST ${dataset}/replaceFiles?*`,
      'DELETE /api/files/*',
      `GET ${dataset}/versions/:latest-published?*`,
    ],
    correction: dataverse.correction,
  },
}

const metadata = `title: Tides
creators: [{name: Ada}]
description: Levels
publication_date: "2026"
resource_type: dataset
license: CC0-1.0
`

/** The first bytes, and those of the next version: one is the same, one changes, one goes, one comes. */
const states = {
  first: { 'a b.csv': Buffer.from('1'), large: Buffer.alloc(700_000, 1), gone: Buffer.from('2') },
  version: { 'a b.csv': Buffer.from('3'), large: Buffer.alloc(700_000, 1), came: Buffer.from('4') },
} as const

const corrections = 'Tides, as corrected in March'

// Each push looks through the journals of the others.
afterEach(() => void moveIn())

let added: Promise<unknown> = Promise.resolve()

/** What a push leaves at a service where one request goes wrong. */
async function pushWith(
  under: KindUnderTest,
  { call, fault, what }: { call?: string; fault?: FaultKind; what: keyof Calls },
) {
  await using service = await under.start()
  await using place = await temporaryFolder()
  const folder = join(place.path, 'set')
  await mkdir(folder)
  const name = `r${randomUUID()}`
  const run = (...args: readonly string[]) => runCli(args, { folder, stdin: under.token })
  await writeFile(join(folder, 'metadata.yaml'), metadata + (under.metadata ?? ''))
  const write = async (files: Readonly<Record<string, Buffer>>): Promise<void> => {
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes)
  }
  await write(states.first)
  const kind = [`--kind=${under.kind}`, `--url=${service.url}`, ...(under.options ?? [])]
  // One after another: they share a file.
  await (added = added.then(() => run('remote', 'add', name, ...kind)))
  const args = ['push', '--to', name, '--publish', '--yes']
  if (what !== 'first') await run(...args)
  if (what === 'version') {
    await write(states.version)
    await rm(join(folder, 'gone'))
    args.push('--new-version')
  }
  if (what === 'correction') {
    const corrected = metadata.replace('Tides', corrections)
    await writeFile(join(folder, 'metadata.yaml'), corrected + (under.metadata ?? ''))
  }
  const from = service.requests.length
  if (fault !== undefined)
    service.misbehave({
      only: patternOf(call ?? ''),
      next: [fault],
      retryAfter: 0,
      delay: 200,
    })
  const { status, stderr } = await run(...args)
  const requests = service.requests.slice(from)
  const published = requests.filter(({ method, path, fault: went, status: answered = 0 }) => {
    const hasWorked = went === undefined ? answered >= 200 && answered < 300 : done.has(went)
    return hasWorked && under.publishes.test(`${method} ${path}`)
  })
  const wentWrong = requests.filter((request) => request.fault !== undefined).length
  const told = requests.map(({ method, path }) => `${method} ${path}`)
  return {
    held: under.held(service.state()),
    isCorrected: JSON.stringify(service.state()).includes(corrections),
    outcome: { status, published: published.length, wentWrong, stderr: status === 0 ? '' : stderr },
    told,
  }
}

function patternOf(call: string): RegExp {
  const [path = '', query] = call.split('?')
  const source = path.split('*').map((part) => RegExp.escape(part))
  const rest = path.endsWith('/*') && path.startsWith('PUT /s3') ? '.+' : '[^/?]+'
  const asked = (query ?? '')
    .split('*')
    .map((part) => RegExp.escape(part))
    .join('.*')
  return new RegExp(`^${source.join(rest)}${query === undefined ? '(?:$|\\?)' : `\\?${asked}`}`)
}

for (const [name, under] of Object.entries(remoteKinds)) {
  const own = calls[name as keyof typeof calls]
  const flows = [
    { title: 'a first version', what: 'first' },
    { title: 'a new version', what: 'version' },
    { title: 'a correction', what: 'correction' },
  ] as const
  describe.each(flows)(`a push of $title to ${name}`, ({ what }) => {
    const files = Object.fromEntries(
      Object.entries(what === 'version' ? states.version : states.first).map(
        ([file, bytes]) => [file, md5(bytes)] as const,
      ),
    )
    it('makes no other requests than those that go wrong here', async () => {
      const { told, outcome } = await pushWith(under, { what })
      const known = [...own.first, ...own[what]].map(patternOf)
      expect(outcome.status).toBe(0)
      expect(told.filter((line) => !known.some((pattern) => pattern.test(line)))).toEqual([])
      expect(own[what].filter((call) => !told.some((line) => patternOf(call).test(line)))).toEqual(
        [],
      )
    })

    it.each(own[what])('ends with one record, whatever goes wrong with %s', async (call) => {
      const all = faults.map(async (fault) => {
        const { held, isCorrected, outcome } = await pushWith(under, { call, fault, what })
        return { fault, held, isCorrected, ...outcome }
      })
      const versions = what === 'version' && !('versionsInOne' in under) ? 2 : 1
      for (const { held, isCorrected, ...outcome } of await Promise.all(all)) {
        const { fault } = outcome
        expect(outcome).toEqual({ fault, status: 0, published: 1, wentWrong: 1, stderr: '' })
        expect({ fault, isCorrected }).toEqual({ fault, isCorrected: what === 'correction' })
        expect({ fault, deposits: held.length }).toEqual({ fault, deposits: versions })
        expect({ fault, ...held.at(-1) }).toEqual({
          fault,
          isPublished: true,
          access: 'public',
          files,
        })
      }
    })
  })
}
