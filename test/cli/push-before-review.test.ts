import { expect, it, onTestFinished } from 'vitest'
import { demoToken } from '../support/services/invenio/store.ts'
import { startZenodo } from '../support/services/zenodo/zenodo.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

const metadata = `title: Tides
creators: [{name: Ada}]
publication_date: "2026"
resource_type: dataset
license: CC0-1.0
`

const publish = ['--publish', '--yes']

/** A draft in a folder that knows it, at a service with these reviews, and a Zenodo. */
async function draftWith(reviews: string) {
  const daemon = await testDaemon({ env: { DEPOSIT_REVIEW: reviews } })
  onTestFinished(() => daemon[Symbol.asyncDispose]())
  const service = await startZenodo({ limit: Infinity })
  onTestFinished(() => service[Symbol.asyncDispose]())
  const folder = await temporaryFolder({ 'metadata.yaml': metadata, 'a.csv': '1' })
  onTestFinished(() => folder[Symbol.asyncDispose]())
  const { authorization = '' } = await daemon.as('ada').authorization()
  const DEPOSIT_TOKEN = authorization.replace('Bearer ', '')
  const environment = { DEPOSIT_URL: daemon.origin, DEPOSIT_TOKEN }
  const run = (...args: readonly string[]) =>
    runCli(args, { environment, folder: folder.path, stdin: demoToken.token })
  const name = `review-${reviews}`
  await run('remote', 'add', name, '--kind=zenodo', `--url=${service.url}`)
  const id = (await run('create', '.', '--quiet')).stdout.trim()
  return { daemon, service, run, id, push: ['push', id, '--to', name] }
}

it('a draft that has to be reviewed is published nowhere else before it was accepted', async () => {
  const { daemon, service, run, id, push } = await draftWith('required')

  const unasked = await run(...push, ...publish)
  const rehearsed = await run(...push, ...publish, '--dry-run')
  const ofFolder = await run('push', ...push.slice(2), '--journal', '.j', ...publish)
  const submitted = await run('submit', id, '--json')
  const waiting = await run(...push, ...publish)
  const before = service.state()
  const rolf = daemon.as('rolf', { roles: ['reviewer'] })
  const { revision } = JSON.parse(submitted.stdout) as { readonly revision: number }
  const reply = await rolf.post(`/deposits/${id}/actions/accept`, { json: { revision } })
  const accepted = await run(...push, ...publish)

  expect([unasked, rehearsed, ofFolder, waiting].map(({ status }) => status)).toEqual([5, 5, 5, 5])
  expect(submitted.status).toBe(0)
  expect(unasked.stderr).toContain('this service publishes what was reviewed')
  expect(waiting.stderr).toContain('it waits for review')
  expect(before).toEqual([])
  expect(reply.status).toBe(202)
  expect(accepted).toMatchObject({ status: 0 })
  expect(service.state()).toHaveLength(1)
})

it('where reviews are optional, a draft is refused only while it waits for one', async () => {
  const { run, id, push } = await draftWith('optional')
  await run('submit', id)

  const waiting = await run(...push, ...publish)
  await run('take-back', id)
  const taken = await run(...push, ...publish)

  expect([waiting.status, taken.status]).toEqual([5, 0])
})
