import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { unless } from '../faults/obstacle.ts'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import type { Reply } from '../support/http.ts'
import { readableAddresses } from '../support/readable-addresses.ts'
import { noSetTime, setTime } from '../support/set-time.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { User } from '../support/user.ts'

const env = { DEPOSIT_FOREIGN_APIS: 'zenodo,rdm' }
const clients = 8
const key = 'ward/gene & embargoed.csv'
const content = 'Lovelace;1815\n'.repeat(7207)

/** An answer, with the time of this machine before it was asked for and after it had come whole. */
interface Answered {
  readonly address: string
  readonly asked: number
  readonly come: number
  readonly status: number
  readonly isTelling: boolean
}

/** Ways of asking for each address. */
const manners = [
  {},
  { range: 'bytes=0-99' },
  { accept: 'text/html' },
  { 'if-none-match': `"sha256:${hashOf('sha256', 'hex')}"` },
] as const

function hashOf(name: string, form: 'hex' | 'base64'): string {
  return createHash(name).update(content).digest(form)
}

/** Bytes, name, size and digests of the file. */
function tells({ bytes, headers, status }: Reply): boolean {
  const text = bytes.toString('latin1') + JSON.stringify([...headers.entries()])
  const secrets = [
    'gene & embargoed',
    'gene &amp; embargoed',
    'gene%20%26%20embargoed',
    'Lovelace;1815',
    String(content.length),
    hashOf('sha256', 'hex'),
    hashOf('sha256', 'base64'),
    hashOf('md5', 'hex'),
  ]
  return status === 304 || status === 206 || secrets.some((secret) => text.includes(secret))
}

it.skipIf(unless('embargo-ends.test.ts', noSetTime))(
  'An embargo that ends amid requests tells nothing of the files before, and all of them after',
  async () => {
    await using time = await setTime()
    await using daemon = await startDaemon({ ...time.env, ...env })
    const owner = await ownerOf(daemon)
    const visitor = new User(`${daemon.url}/api`, async () => undefined)
    const opens = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
    const addresses = await publish(daemon, owner, opens)
    expect(addresses.length).toBeGreaterThan(100)

    // The end of the embargo, by the clock of this machine.
    const midnight = Date.parse(`${opens}T00:00:00Z`)
    const ahead = Math.floor((midnight - Date.now()) / 1000) - 4
    const end = midnight - ahead * 1000
    await time.setAhead(ahead)
    const asked = addresses.flatMap((address) =>
      manners.map((headers) => ({ address, headers: headers as Readonly<Record<string, string>> })),
    )
    const answers: Answered[] = []
    const ask = async (at: number) => {
      const { address, headers } = asked[at % asked.length] ?? { address: '', headers: {} }
      const before = Date.now()
      const reply = await visitor.get(address, headers)
      answers.push({
        address: `${address} ${JSON.stringify(headers)}`,
        asked: before,
        come: Date.now(),
        status: reply.status,
        isTelling: tells(reply),
      })
    }
    const part = Math.ceil(asked.length / clients)
    const loop = async (client: number): Promise<void> => {
      for (let at = client * part; Date.now() < end; at += 1) await ask(at)
      // Once more each of its own part: together all of it.
      for (let at = 0; at < part; at += 1) await ask(client * part + at)
    }
    await Promise.all(Array.from({ length: clients }, (_, client) => loop(client)))

    const before = answers.filter(({ come }) => come < end)
    const after = answers.filter((each) => each.asked >= end)
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    expect(before.length).toBeGreaterThan(200)
    expect(before.filter(({ isTelling }) => isTelling)).toEqual([])
    // Whatever tells of the files when all is quiet has told of them since the end.
    const telling = new Set<string>()
    for (const { address, headers } of asked)
      if (tells(await visitor.get(address, headers)))
        telling.add(`${address} ${JSON.stringify(headers)}`)
    for (const kind of [
      /\/api\/files/,
      /\/zenodo\//,
      /\/rdm\//,
      /\/packages\//,
      /\/export\//,
      /\/oai/,
    ])
      expect([kind, [...telling].some((address) => kind.test(address))]).toEqual([kind, true])
    expect([...telling].some((address) => /\/\/[^/]+\/records\/[\w-]+ /.test(address))).toBe(true)
    const silent = after.filter(({ address, isTelling }) => telling.has(address) && !isTelling)
    expect(silent).toEqual([])
    const told = new Set(after.map(({ address }) => address))
    expect([...telling].filter((address) => !told.has(address))).toEqual([])
  },
)

async function ownerOf(daemon: DaemonProcess): Promise<User> {
  const user = 'ada@example.org'
  await daemon.operate(['user', 'add', user])
  const rights = ['--scope', 'deposit:write deposit:actions', '--expires', 'never']
  const made = await daemon.operate(['token', 'create', '--user', user, ...rights])
  const token = made.trim().split('\n').at(-1) ?? ''
  return new User(`${daemon.url}/api`, async () => token)
}

/** Publishes a record whose files open on a day; returns every address that may tell of them. */
async function publish(daemon: DaemonProcess, owner: User, until: string) {
  const draft = await owner.createDraft({
    title: 'Gauges',
    creators: [{ name: 'Lovelace, Ada' }],
    description: 'Water levels, by the hour.',
    resource_type: 'dataset',
    access: { files: 'restricted', until },
  })
  await owner.addFile(draft, key, content)
  const deposit: DepositBody = await owner.publish(draft)
  const [file] = await owner.files(deposit)
  if (!file) throw new Error('the file is not there')
  // The same program in this process knows its routes.
  await using inside = await testDaemon({ env })
  const place = { origin: daemon.url, routes: inside.routes }
  return await readableAddresses({ daemon: place, owner }, deposit, file)
}
