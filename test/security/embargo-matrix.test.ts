import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { formatBytes } from '../../core/base/amounts.ts'
import type { DepositBody, DownloadLinkBody, FileBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { readableAddresses } from '../support/readable-addresses.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

// Before the daemon's clock is made, once more if an earlier test file has, so that the test can set it.
const { opens, dayBefore } = vi.hoisted(() => {
  vi.resetModules()
  vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true })
  const inDays = (days: number): string =>
    new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  return { opens: inDays(3), dayBefore: inDays(-1) }
})

const reason = 'A patent is pending.'

/** What each record says of its files, and whether everybody may have them. */
const states = {
  public: { isOpen: true },
  past: { isOpen: true, access: { files: 'restricted', until: dayBefore } },
  restricted: { isOpen: false, access: { files: 'restricted', reason } },
  embargoed: { isOpen: false, access: { files: 'restricted', until: opens, reason } },
  /** Public at first, and closed by an administrator: an earlier revision opens nothing. */
  corrected: { isOpen: false, access: { files: 'restricted' } },
} as const

type State = keyof typeof states
const names = Object.keys(states) as readonly State[]

interface Subject {
  readonly deposit: DepositBody
  readonly file: FileBody
  readonly content: string
  /** What strangers may not learn. */
  readonly secrets: readonly string[]
  readonly addresses: readonly string[]
}

let daemon: TestDaemon
let ada: User
let root: User
/** Another user, with every scope. */
let eve: User
const subjects = new Map<State, Subject>()

beforeAll(async () => {
  const now = Date.now()
  // Nothing is published until a day that is past: that of `past` is still to come.
  vi.setSystemTime(now - 3 * 86_400_000)
  daemon = await testDaemon({ env: { DEPOSIT_FOREIGN_APIS: 'zenodo,rdm' } })
  ada = daemon.as('ada')
  eve = daemon.as('eve')
  root = daemon.as('root', { admin: true })
  subjects.set('past', await makeSubject('past'))
  vi.setSystemTime(now)
  await untilStored()
  for (const state of names) if (state !== 'past') subjects.set(state, await makeSubject(state))
}, 120_000)
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  vi.useRealTimers()
  // The next test file gets a clock that tells the time.
  vi.resetModules()
})

/** After a leap of the clock, S3 refuses a file, and tells its client the time when it is next asked. */
async function untilStored(): Promise<void> {
  const { links } = await ada.createDraft()
  const put = () => ada.send('PUT', `${links['bucket']}/leap.txt`, { body: 'leap' })
  await vi.waitUntil(async () => (await put()).status === 201, { timeout: 60_000 })
}

const keyOf = (state: State) => `ward of ${state}/gene & ${state}.csv`

async function makeSubject(state: State): Promise<Subject> {
  const content = `${state} Lovelace;1815\n`.repeat(7200 + names.indexOf(state))
  const metadata = {
    title: `Gauges ${names.indexOf(state)}`,
    creators: [{ name: 'Lovelace, Ada' }],
    description: 'Water levels, by the hour.',
    resource_type: 'dataset',
  }
  const { access } = { access: undefined, ...states[state] }
  const isCorrected = state === 'corrected'
  const draft = await ada.createDraft({
    ...metadata,
    ...(access && !isCorrected && { access }),
  })
  await ada.addFile(draft, keyOf(state), content)
  await ada.addFile(draft, `ward of ${state}/second ${state}.csv`, `second of ${state}`)
  const first = await ada.publish(draft)
  if (isCorrected) {
    const add = [{ op: 'add', path: '/access', value: access }]
    bodyOf(await root.patch(`/records/${first.metadata._deposit?.value}`, add), 200)
  } else {
    // A second revision, so that earlier ones are asked for as well.
    await ada.edit(first)
    await ada.patch(`/deposits/${first.id}`, [{ op: 'add', path: '/version', value: '2' }])
    await ada.publish(first)
  }
  const deposit = await ada.show(first)
  const file = (await ada.files(deposit)).find(({ filename }) => filename === keyOf(state))
  if (!file) throw new Error('the file is not there')
  const digest = (name: string, form: 'hex' | 'base64') =>
    createHash(name).update(content).digest(form)
  const secrets = [
    `gene & ${state}`,
    `gene &amp; ${state}`,
    `gene%20%26%20${state}`,
    `gene+%26+${state}`,
    `second ${state}`,
    `second%20${state}`,
    `second of ${state}`,
    `${state} Lovelace;1815`,
    String(content.length),
    formatBytes(content.length),
    digest('sha256', 'hex'),
    digest('sha256', 'base64'),
    digest('md5', 'hex'),
    file.id,
    file.version_id,
  ]
  return {
    deposit,
    file,
    content,
    secrets,
    addresses: await readableAddresses({ daemon, owner: ada }, deposit, file),
  }
}

function subjectOf(state: State): Subject {
  const subject = subjects.get(state)
  if (subject) return subject
  throw new Error(`there is no record that is ${state}`)
}

function leaksOf({ secrets }: Subject, { bytes, headers }: Reply): readonly string[] {
  const text = bytes.toString('latin1') + JSON.stringify([...headers.entries()])
  return secrets.filter((secret) => text.includes(secret))
}

/** Addresses whose answers tell a caller of the files. */
async function tellingOf(state: State, caller: User): Promise<readonly string[]> {
  const subject = subjectOf(state)
  const telling: string[] = []
  for (const address of subject.addresses) {
    const reply = await caller.get(address)
    expect([address, reply.status]).not.toEqual([address, 500])
    if (leaksOf(subject, reply).length > 0) telling.push(address)
  }
  return telling
}

/** The same route for every record. */
const plain = (address: string, { deposit, file }: Subject): string =>
  [deposit.id, deposit.metadata._deposit?.value ?? '', deposit.pids.concept.value, file.version_id]
    .reduce((text, part) => text.replace(part, '…'), address)
    .replace(/files\/[0-9a-f-]{36}/, 'files/…')
    .replace(/\/\d+(?=\/|$|\?)/, '/…')
    .replaceAll(/(?:public|embargoed)(?=\/|\.csv)/g, '…')

describe('the files of a record', () => {
  it('are told to everybody where they are public, at many addresses', async () => {
    expect((await tellingOf('public', daemon.visitor)).length).toBeGreaterThan(60)
    expect((await tellingOf('past', daemon.visitor)).length).toBe(
      (await tellingOf('public', daemon.visitor)).length,
    )
  })

  const closed = names.filter((state) => !states[state].isOpen)
  describe.for(closed)('that is %s', (state) => {
    it.for(['a visitor', 'another user'] as const)(
      'are not told to %s by any route',
      async (who) => {
        const caller = who === 'a visitor' ? daemon.visitor : eve
        const subject = subjectOf(state)
        const tag = `"sha256:${createHash('sha256').update(subject.content).digest('hex')}"`
        for (const address of subject.addresses) {
          for (const [method, headers] of [
            ['GET', {}],
            ['GET', { accept: 'text/html' }],
            ['GET', { range: 'bytes=0-9' }],
            ['GET', { 'if-none-match': tag }],
            ['GET', { 'if-match': tag }],
            ['GET', { origin: 'https://elsewhere.example' }],
            ['HEAD', {}],
          ] as const) {
            if (method === 'GET' && Object.keys(headers).length > 0 && !isOfFiles(address)) continue
            const reply = await caller.send(method, address, { headers })
            const asked = [method, address, JSON.stringify(headers)]
            expect([...asked, leaksOf(subject, reply)]).toEqual([...asked, []])
            if (isOfFiles(address)) {
              expect([...asked, reply.status]).not.toEqual([...asked, 304])
              expect([...asked, reply.status]).not.toEqual([...asked, 206])
            }
          }
        }
      },
    )

    it('get the same answer whether a file of that name and digest is there or not', async () => {
      const { file, content } = subjectOf(state)
      const tag = `"sha256:${createHash('sha256').update(content).digest('hex')}"`
      const other = file.links.download.replace('gene', 'none')
      for (const caller of [daemon.visitor, eve]) {
        for (const headers of [{}, { 'if-none-match': tag }, { 'if-match': '"sha256:0"' }]) {
          const [there, missing] = [
            await caller.get(file.links.download, headers),
            await caller.get(other, headers),
          ]
          expect(there.status).toBe(403)
          expect(missing.status).toBe(403)
          expect({ ...(there.body as object), request_id: '' }).toEqual({
            ...(missing.body as object),
            request_id: '',
          })
        }
      }
    })

    it('say when they open, and are kept by no cache', async () => {
      const { file, deposit } = subjectOf(state)
      const value = deposit.metadata._deposit?.value ?? ''
      for (const address of [
        file.links.download,
        deposit.links['bucket'] ?? '',
        `/records/${value}/packages`,
        `/records/${value}/packages/zip`,
        `/records/${value}/packages/zip?revision=0`,
      ]) {
        const reply = await daemon.visitor.get(address)
        expect([address, reply.status]).toEqual([address, 403])
        expect(reply.body).toMatchObject({ code: 'files_restricted' })
        expect([address, reply.headers.get('cache-control')]).toEqual([
          address,
          expect.stringMatching(/^(?:private, )?no-store$/),
        ])
        if (state === 'embargoed') {
          expect(JSON.stringify(reply.body)).toContain(opens)
          expect(JSON.stringify(reply.body)).toContain(reason)
        }
      }
      const page = await daemon.visitor.get(deposit.links['record_html'] ?? '')
      const text = page.bytes.toString()
      expect(text).toContain(state === 'embargoed' ? 'Files open on' : 'The files are restricted')
    })

    it.for(['its owner', 'an administrator'] as const)('are read by %s', async (who) => {
      const caller = who === 'its owner' ? ada : root
      const { file, deposit, content } = subjectOf(state)
      const value = deposit.metadata._deposit?.value ?? ''
      const read = await caller.get(file.links.download)
      expect(read.bytes.toString()).toBe(content)
      expect(read.headers.get('cache-control')).toBe('private, no-store')
      for (const address of [
        `/records/${value}/packages/zip`,
        `/records/${value}/packages/bagit`,
        `/records/${value}/packages/ro-crate?revision=0`,
        `/records/${value}/packages/datapackage`,
      ]) {
        const packed = await caller.get(address)
        expect([address, packed.status]).toEqual([address, 200])
        expect(packed.bytes.includes(content)).toBe(true)
        expect(packed.headers.get('cache-control')).toBe('private, no-store')
      }
      const listed = await caller.get(deposit.links['bucket'] ?? '')
      expect(JSON.stringify(listed.body)).toContain(file.version_id)
      expect(listed.headers.get('cache-control')).toBe('private, no-store')
    })

    it('are downloaded by a link that their owner made, once', async () => {
      const { file, content } = subjectOf(state)
      const { url } = bodyOf<DownloadLinkBody>(await ada.post(file.links.download), 201)
      expect((await daemon.visitor.get(url)).bytes.toString()).toBe(content)
      expect((await daemon.visitor.get(url)).status).toBe(401)
      expect((await eve.post(file.links.download)).status).toBe(403)
    })
  })
})

describe('an embargo that ends', () => {
  it('opens the files at 00:00 UTC of its day, and caches keep nothing past it', async () => {
    const { file, deposit, content } = subjectOf('embargoed')
    const value = deposit.metadata._deposit?.value ?? ''
    const end = Date.parse(`${opens}T00:00:00Z`)
    vi.setSystemTime(end - 100_000)
    for (const address of [
      `/records/${value}/export/schema-org`,
      `/records/${value}/export/linkset`,
      deposit.links['record_html'] ?? '',
    ]) {
      const reply = await daemon.visitor.get(address)
      const [, seconds] =
        /^public, max-age=(\d+)$/.exec(reply.headers.get('cache-control') ?? '') ?? []
      expect([address, Number(seconds)]).toEqual([address, expect.any(Number)])
      expect(Number(seconds)).toBeLessThanOrEqual(100)
    }
    expect((await daemon.visitor.get(file.links.download)).status).toBe(403)
    vi.setSystemTime(end)
    const read = await daemon.visitor.get(file.links.download)
    expect(read.bytes.toString()).toBe(content)
    expect(read.headers.get('cache-control')).toBe('public, max-age=3600')
    const page = await daemon.visitor.get(deposit.links['record_html'] ?? '', {
      accept: 'text/html',
    })
    expect(page.bytes.toString()).toContain('Files open since ')
    expect(page.bytes.toString()).not.toContain('Files open on ')
    const telling = (await tellingOf('embargoed', daemon.visitor)).map((address) =>
      plain(address, subjectOf('embargoed')),
    )
    const open = (await tellingOf('public', daemon.visitor)).map((address) =>
      plain(address, subjectOf('public')),
    )
    expect(telling.toSorted()).toEqual(open.toSorted())
  })

  it('gives no byte before and all after, amid requests', async () => {
    const { file, content } = subjectOf('embargoed')
    const end = Date.parse(`${opens}T00:00:00Z`)
    vi.setSystemTime(end - 5000)
    for (let at = end - 5000; at < end + 5000; at += 250) {
      vi.setSystemTime(at)
      const asked = Array.from({ length: 4 }, () => daemon.visitor.get(file.links.download))
      for (const { status, bytes } of await Promise.all(asked)) {
        // The clock goes on while a request is under way, by less than the step.
        if (at < end - 250) expect([at - end, status]).toEqual([at - end, 403])
        if (at >= end) expect([at - end, bytes.toString() === content]).toEqual([at - end, true])
      }
    }
  })
})

function isOfFiles(address: string): boolean {
  return /\/(?:files|packages)(?:\/|$|-|\?)/.test(address)
}
