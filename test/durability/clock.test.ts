import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { refreshTokenGrant } from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, FileBody, ProblemBody } from '../../core/contract/schemas.ts'
import { unless } from '../faults/obstacle.ts'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import { startDeposit, type Ended } from '../support/deposit-process.ts'
import { listeningUrl, spawnDepositd } from '../support/depositd.ts'
import { freePort } from '../support/free-port.ts'
import { bodyOf, send } from '../support/http.ts'
import { noSetTime, setTime, type SetTime } from '../support/set-time.ts'
import { signInByDevice } from '../support/sign-in.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { User } from '../support/user.ts'

const day = 86_400

/** Settings of the clock, one after another, while the daemon runs. */
const leaps = [
  ['a day forth and back', [day, 0]],
  ['a day back and forth', [-day, 0]],
  ['the end of 32-bit seconds', ['2038-01-19T03:14:07Z', '2038-01-19T03:14:09Z', 0]],
  ['the beginning of summer time', ['2027-03-28T00:59:59Z', '2027-03-28T01:00:01Z', 0]],
  ['the end of summer time', ['2026-10-25T00:59:59Z', '2026-10-25T01:00:01Z', 0]],
  ['a leap day', ['2028-02-28T23:59:59Z', '2028-02-29T23:59:59Z', '2028-03-01T00:00:01Z']],
  ['a leap second', ['2028-12-31T23:59:59Z', '2029-01-01T00:00:00Z', '2028-12-31T23:59:59Z']],
] as const

const isSkipped = unless('clock.test.ts', noSetTime)

describe.skipIf(isSkipped)('When the clock is changed', () => {
  let time: SetTime
  let daemon: DaemonProcess
  let owner: User
  const ids: string[] = []

  beforeAll(async () => {
    time = await setTime()
    daemon = await startDaemon({ ...time.env, TZ: 'Europe/Berlin' })
    await daemon.operate(['user', 'add', 'ada@example.org'])
    const scope = ['--scope', 'deposit:write deposit:actions', '--expires', 'never']
    const made = await daemon.operate(['token', 'create', '--user', 'ada@example.org', ...scope])
    const token = made.trim().split('\n').at(-1) ?? ''
    owner = new User(`${daemon.url}/api`, async () => token)
  })

  afterAll(async () => {
    await daemon[Symbol.asyncDispose]()
    await time[Symbol.asyncDispose]()
  })

  afterEach(() => time.setAhead(0))

  async function goTo(station: number | string): Promise<void> {
    await (typeof station === 'number' ? time.setAhead(station) : time.setTo(station))
  }

  it.for(leaps)('edits of a deposit stay in order: %s', async ([, stations]) => {
    const seen = [await owner.createDraft()]
    for (const station of stations) {
      await goTo(station)
      const [last] = seen.slice(-1)
      if (last) seen.push(await edited(owner, last))
    }

    const times = seen.map(({ updated }) => updated)
    expect(times.toSorted()).toEqual(times)
    expect(seen.map(({ revision }) => revision)).toEqual(seen.map((_, edits) => edits))
  })

  it.for(leaps)('uploads and repeated requests continue to work: %s', async ([, stations]) => {
    const { upload, draft } = await beginUpload(owner)
    const first = await createOnce(owner, draft.id)
    for (const station of stations) {
      await goTo(station)
      expect((await owner.send('HEAD', upload, { headers: tus })).status).toBe(200)
      expect(await createOnce(owner, draft.id)).toBe(first)
    }
    await append(owner, upload, 5, 'there')

    expect((await filesOf(owner, draft)).map(({ filesize }) => filesize)).toEqual([10])
  })

  it.for(leaps)('identifiers stay unique, and tokens valid: %s', async ([, stations]) => {
    for (const station of stations) {
      await goTo(station)
      const draft = await owner.createDraftWith('a')
      const wish = { scope: 'deposit:write', expires_in: 600 }
      const token = bodyOf<Made>(await owner.post('/tokens/', { json: wish }), 201)
      const short = new User(`${daemon.url}/api`, async () => token.token)
      const refused = bodyOf<ProblemBody>(await short.get('/deposits/none'), 404)
      ids.push(
        draft.id,
        ...(await filesOf(owner, draft)).map(({ id }) => id),
        token.id,
        refused.request_id ?? '',
      )
    }

    expect(ids).not.toContain('')
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('Last-Modified is never in the future, and a later If-Modified-Since hides no change', async () => {
    const draft = await owner.createDraft()
    const path = `/deposits/${draft.id}`
    await time.setAhead(-day)

    const { headers } = await owner.get(path)
    const told = Date.parse(headers.get('last-modified') ?? '')
    expect(told).toBeLessThan(Date.parse(draft.updated) - 3_600_000)
    await edited(owner, draft)
    const since = new Date(draft.updated).toUTCString()
    expect((await owner.get(path, { 'if-modified-since': since })).status).toBe(200)
  })

  it('no warning is logged, no timer is negative, and the store is sound afterwards', async () => {
    const timers = /Timeout\w*Warning|"level":"(?:warn|error|fatal)"/
    expect(daemon.log()).not.toMatch(timers)

    expect(await daemon.operate(['check', '--full'])).toBe('')
  })
})

describe.skipIf(isSkipped)('A sign-in', () => {
  it('stays good while the clock is set back, and expired tokens stay expired', async () => {
    await using time = await setTime()
    await using daemon = await startDaemon(time.env)
    const { client, tokens } = await signInByDevice({ origin: daemon.url, home: daemon.home })
    const isGood = async (token: string) => (await whoIs(daemon.url, token)) === 200

    await time.setAhead(-day)
    expect(await isGood(tokens.access_token)).toBe(true)
    await time.setAhead(3_700)
    expect(await isGood(tokens.access_token)).toBe(false)
    await time.setAhead(0)
    expect(await isGood(tokens.access_token)).toBe(false)

    const next = await refreshTokenGrant(client, tokens.refresh_token ?? '')
    expect(next.expires_in).toBe(3600)
    expect(await isGood(next.access_token)).toBe(true)
    await time.setAhead(-day)
    expect(await isGood(next.access_token)).toBe(true)
  })

  it('of a command is renewed when necessary', async () => {
    await using time = await setTime()
    await using daemon = await startDaemon(time.env)
    await using commands = await commandsAt(daemon.home, time)

    const ended: Ended[] = []
    const create = async (): Promise<unknown> =>
      ended.push(await commands.run('create', '--title', 'Tides', '--quiet'))
    for (const ahead of [0, 12 * 365 * day, -day]) {
      await time.setAhead(ahead)
      await create()
    }
    await commands.run('logout')
    await create()

    expect(ended.map(({ status, stderr }) => ({ status, stderr }))).toEqual(
      ended.map(() => ({ status: 0, stderr: '' })),
    )
    expect(new Set(ended.map(({ stdout }) => stdout)).size).toBe(ended.length)
  })

  it('of the future is refused by a daemon that starts before it, and a command signs in again', async () => {
    await using time = await setTime()
    await using home = await temporaryFolder()
    await using commands = await commandsAt(home.path, time)
    const begin = { home: home.path, time, ahead: day, port: String(await freePort()) }
    const { origin, token } = await whileServing(begin, async (at) => {
      expect(await commands.run('list')).toMatchObject({ status: 0 })
      return { origin: at, token: await commands.token() }
    })

    await whileServing({ ...begin, ahead: 0 }, async () => {
      expect(await whoIs(origin, token)).toBe(401)
      expect(await commands.run('list')).toMatchObject({ status: 0 })
      expect(await whoIs(origin, await commands.token())).toBe(200)
      await time.setAhead(day)
      expect(await whoIs(origin, token)).toBe(200)
    })
  })
})

interface Serving {
  readonly home: string
  readonly time: SetTime
  /** Seconds by which the clock is ahead when the daemon starts. */
  readonly ahead: number
  readonly port?: string
}

async function whileServing<Answer>(
  { home, time, ahead, port = '0' }: Serving,
  work: (origin: string) => Promise<Answer>,
): Promise<Answer> {
  await time.setAhead(ahead)
  const daemon = spawnDepositd(home, ['serve', '--port', port], time.env)
  try {
    return await work((await listeningUrl(daemon)) ?? '')
  } finally {
    daemon.kill()
    await daemon.ended
  }
}

/** The answer to the creation of a token. */
interface Made {
  readonly id: string
  readonly token: string
}

async function filesOf(owner: User, { links }: DepositBody): Promise<readonly FileBody[]> {
  return bodyOf(await owner.get(links['files'] ?? ''), 200)
}

/** Edits with the revision that was read; the one before it is refused. */
async function edited(owner: User, { id, revision }: DepositBody): Promise<DepositBody> {
  const change = (expected: number) =>
    owner.put(`/deposits/${id}`, { title: `After ${expected}` }, { 'if-match': `"${expected}"` })
  const saved = bodyOf<DepositBody>(await change(revision), 200)
  expect((await change(revision)).status).toBe(412)
  return saved
}

const tus = { 'tus-resumable': '1.0.0' }

async function beginUpload(owner: User) {
  const draft = await owner.createDraft()
  const filename = Buffer.from('a').toString('base64')
  const begun = await owner.post(draft.links['uploads'] ?? '', {
    headers: { ...tus, 'upload-length': '10', 'upload-metadata': `filename ${filename}` },
  })
  const upload = begun.headers.get('location') ?? ''
  await append(owner, upload, 0, 'hello')
  return { draft, upload }
}

async function append(owner: User, upload: string, offset: number, body: string): Promise<void> {
  const headers = { ...tus, 'content-type': 'application/offset+octet-stream' }
  const sent = { headers: { ...headers, 'upload-offset': String(offset) }, body }
  expect((await owner.send('PATCH', upload, sent)).status).toBe(204)
}

/** The id of the draft that is made by the first request with this key. */
async function createOnce(owner: User, key: string): Promise<string> {
  const sent = { json: { title: 'Once' }, headers: { 'idempotency-key': key } }
  return bodyOf<DepositBody>(await owner.post('/deposits/', sent), 201).id
}

async function whoIs(origin: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await send('GET', `${origin}/api/me`, { headers })).status
}

/** The command line of a user with a home of their own, under the same clock as the daemon. */
async function commandsAt(home: string, time: SetTime) {
  const house = await temporaryFolder()
  const config = join(house.path, 'config')
  const user = { HOME: house.path, XDG_CONFIG_HOME: config, XDG_DATA_HOME: house.path }
  const credentials = join(config, 'deposit', 'credentials.json')
  return {
    run: (...args: readonly string[]): Promise<Ended> =>
      startDeposit(args, { ...time.env, ...user, DEPOSIT_HOME: home }).ended,
    token: async (): Promise<string> =>
      /"token": ?"([^"]+)"/.exec(await readFile(credentials, 'utf8'))?.[1] ?? '',
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  }
}
