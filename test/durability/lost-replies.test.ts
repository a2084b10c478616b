import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { commitChannel } from '../../core/ports/commit.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { lastingDaemon, type LastingDaemon } from '../support/lasting-daemon.ts'
import { expectProblem } from '../support/problem.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { User } from '../support/user.ts'

// Each test starts processes, which takes long on a machine that is busy.
vi.setConfig({ testTimeout: 180_000 })

/** Kills the daemon behind a commit and before its answer, where a file says so. */
const plant = (trigger: string): string => `
import { existsSync } from 'node:fs'
import { subscribe } from 'node:diagnostics_channel'
subscribe(${JSON.stringify(commitChannel)}, () => {
  if (existsSync(${JSON.stringify(trigger)})) process.kill(process.pid, 'SIGKILL')
})
`

interface CrashingDaemon extends LastingDaemon {
  /** Sends a request whose change is committed, and whose answer nobody gets. */
  readonly lose: (send: () => Promise<Reply>) => Promise<void>
}

async function crashingDaemon(folder: string): Promise<CrashingDaemon> {
  const trigger = join(folder, 'trigger')
  await writeFile(join(folder, 'plant.mjs'), plant(trigger))
  const env = { NODE_OPTIONS: `--import=${join(folder, 'plant.mjs')}` }
  const daemon = await lastingDaemon({ env })
  const lose: CrashingDaemon['lose'] = async (send) => {
    await writeFile(trigger, '')
    await expect(send()).rejects.toThrow('fetch failed')
    await daemon.kill()
    await rm(trigger)
    await daemon.start()
  }
  return { ...daemon, lose }
}

type Send = (
  owner: User,
  draft: DepositBody,
  headers: Readonly<Record<string, string>>,
) => Promise<Reply>

function form(): FormData {
  const body = new FormData()
  body.set('file', new Blob(['abc']), 'a')
  return body
}

const create: Send = (owner, _draft, headers) =>
  owner.post('/deposits/', { json: { title: 'Tides' }, headers })
const putRaw: Send = (owner, { links }, headers) =>
  owner.send('PUT', `${links['bucket']}/a`, { body: 'abc', headers })
const postForm: Send = (owner, { id }, headers) =>
  owner.post(`/deposits/${id}/files`, { body: form(), headers })
const publish: Send = (owner, { id }, headers) =>
  owner.post(`/deposits/${id}/actions/publish`, { headers })

/** Whatever a change made twice would show in. */
async function stateOf(owner: User, draft: DepositBody): Promise<unknown> {
  const { hits, total } = (await owner.search()).hits
  const versions = await owner.get(`${draft.links['bucket']}?versions`)
  const records = await owner.get('/records/')
  return { total, hits, versions: versions.body, records: records.body }
}

it.for([
  ['create', create, 201],
  ['a raw upload', putRaw, 201],
  ['a form', postForm, 201],
  ['an action', publish, 202],
] as const)(
  'the answer to %s, lost between commit and reply, is given for its key and nothing is made twice',
  async ([, send, status]) => {
    await using folder = await temporaryFolder()
    await using daemon = await crashingDaemon(folder.path)
    const { owner } = daemon
    const draft = await owner.createDraft()
    const before = await stateOf(owner, draft)
    const request = (): Promise<Reply> => send(owner, draft, { 'idempotency-key': 'key' })

    await daemon.lose(request)
    const committed = await stateOf(owner, draft)
    const reply = await request()

    expect(committed).not.toEqual(before)
    expect(bodyOf(reply, status)).toBeTypeOf('object')
    expect(reply.headers.get('idempotency-replayed')).toBe('true')
    expect(await stateOf(owner, draft)).toEqual(committed)
  },
)

it('an upload without a key whose answer was lost is refused as a duplicate, and is right', async () => {
  await using folder = await temporaryFolder()
  await using daemon = await crashingDaemon(folder.path)
  const { owner } = daemon
  const draft = await owner.createDraft()

  await daemon.lose(() => postForm(owner, draft, {}))

  expectProblem(await postForm(owner, draft, {}), 'file_already_exists')
  const [file] = await owner.files(draft)
  expect((await owner.get(file?.links.download ?? '')).bytes.toString()).toBe('abc')
})
