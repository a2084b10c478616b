import { execFile } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import type { DepositBody, SearchBody } from '../../core/contract/schemas.ts'
import { startDaemon } from '../support/daemon-process.ts'
import { bodyOf, send } from '../support/http.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const run = promisify(execFile)
const pathTo = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url))

it('A pipeline stops at a draft that waits for review, and a person publishes it', async () => {
  await using daemon = await startDaemon({ DEPOSIT_REVIEW: 'required' })
  await using folder = await temporaryFolder({
    'data/metadata.yaml': 'title: Water levels\n',
    'data/levels.csv': '1,2',
  })
  const tokenOf = async (email: string, scope: string): Promise<string> => {
    await daemon.operate(['user', 'add', email])
    const made = await daemon.operate(['token', 'create', '--user', email, '--scope', scope])
    return /dep_pt_\S+/.exec(made)?.[0] ?? ''
  }
  const pipeline = await tokenOf('ci@example.org', 'deposit:write')
  const reviewer = await tokenOf('rolf@example.org', 'deposit:write deposit:actions')
  await daemon.operate(['role', 'grant', 'rolf@example.org', 'reviewer'])
  await symlink(pathTo('cli/bin.mjs'), join(folder.path, 'deposit'))
  const environment = {
    ...process.env,
    PATH: `${folder.path}:${process.env['PATH'] ?? ''}`,
    DEPOSIT_URL: daemon.url,
    DEPOSIT_TOKEN: pipeline,
    XDG_CONFIG_HOME: join(folder.path, 'config'),
  }
  const script = async (): Promise<string> => {
    const options = { cwd: folder.path, env: environment }
    const { stdout } = await run(pathTo('examples/ci/submit-for-review.sh'), ['data'], options)
    return stdout.trim()
  }
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  const waiting = async (): Promise<readonly DepositBody[]> => {
    const reply = await send('GET', `${daemon.url}/api/deposits/?review=submitted`, as(reviewer))
    return bodyOf<SearchBody>(reply, 200).hits.hits
  }

  const page = await script()
  const [first] = await waiting()
  expect(first?.links['html']).toBe(page)
  await writeFile(join(folder.path, 'data/more.csv'), '3,4')
  expect(await script()).toBe(page)

  const [draft, ...others] = await waiting()
  expect([draft?.files?.count, others]).toEqual([2, []])
  const at = `${daemon.url}/api/deposits/${draft?.id}/actions`
  const revision = draft?.revision
  for (const action of ['publish', 'accept']) {
    const sent = { ...as(pipeline), ...(action === 'accept' && { json: { revision } }) }
    expect((await send('POST', `${at}/${action}`, sent)).status).toBe(403)
  }
  const accepted = await send('POST', `${at}/accept`, { ...as(reviewer), json: { revision } })
  const record = bodyOf<DepositBody>(accepted, 202).links['record'] ?? ''
  expect((await send('GET', record)).status).toBe(200)
})
