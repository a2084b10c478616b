import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply } from '../support/http.ts'
import { lastingDaemon, type LastingDaemon } from '../support/lasting-daemon.ts'
import { expectProblem } from '../support/problem.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { User } from '../support/user.ts'

/** Kills the daemon when the answer to a marked request is ready, before any of it is sent. */
const plant = `
import { subscribe } from 'node:diagnostics_channel'
subscribe('http.server.request.start', ({ request, response }) => {
  if (request.headers['x-lose-answer'] === undefined) return
  response.writeHead = () => process.kill(process.pid, 'SIGKILL')
})
`

/** A daemon that dies of a marked request after the change is durable. */
async function crashingDaemon(folder: string): Promise<LastingDaemon> {
  await writeFile(join(folder, 'plant.mjs'), plant)
  return lastingDaemon({ env: { NODE_OPTIONS: `--import=${join(folder, 'plant.mjs')}` } })
}

/** Sends a request whose answer is lost, and starts the daemon again. */
async function lose(
  daemon: LastingDaemon,
  send: (marked: Readonly<Record<string, string>>) => Promise<Reply>,
): Promise<void> {
  await expect(send({ 'x-lose-answer': 'yes' })).rejects.toThrow('fetch failed')
  await daemon.kill()
  await daemon.start()
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

/** Everything that would show a change made twice. */
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
  'the answer to %s, lost after the commit, is repeated for its key, and nothing is made twice',
  async ([, send, status]) => {
    await using folder = await temporaryFolder()
    await using daemon = await crashingDaemon(folder.path)
    const { owner } = daemon
    const draft = await owner.createDraft()
    const before = await stateOf(owner, draft)
    const key = { 'idempotency-key': 'key' }

    await lose(daemon, (marked) => send(owner, draft, { ...key, ...marked }))
    const committed = await stateOf(owner, draft)
    const reply = await send(owner, draft, key)

    expect(committed).not.toEqual(before)
    expect(bodyOf(reply, status)).toBeTypeOf('object')
    expect(reply.headers.get('idempotency-replayed')).toBe('true')
    expect(await stateOf(owner, draft)).toEqual(committed)
  },
)

it('an upload without a key is refused as a duplicate after its answer was lost, and its file is right', async () => {
  await using folder = await temporaryFolder()
  await using daemon = await crashingDaemon(folder.path)
  const { owner } = daemon
  const draft = await owner.createDraft()

  await lose(daemon, (marked) => postForm(owner, draft, marked))

  expectProblem(await postForm(owner, draft, {}), 'file_already_exists')
  const [file] = await owner.files(draft)
  expect((await owner.get(file?.links.download ?? '')).bytes.toString()).toBe('abc')
})
