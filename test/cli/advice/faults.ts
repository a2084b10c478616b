import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { advice } from '../../../cli/advice.ts'
import { unless } from '../../faults/obstacle.ts'
import { failCalls, limitFiles, noFailingCalls, noFileLimit } from '../../support/failing-calls.ts'
import { lastingDaemon, type LastingDaemon } from '../../support/lasting-daemon.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { follow, pathTo, refuse, run, write } from './rig.ts'

/** An action of the operator, which needs a file that is missing. */
const config = `
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
const notes = () => readFileSync(join(import.meta.dirname, 'notes.txt'), 'utf8')
const run = (deposit) => ({ ...deposit, metadata: { ...deposit.metadata, notes: notes() } })
export default { actions: { annotate: { summary: 'Annotate', run } } }
`

const own = new AsyncDisposableStack()
afterAll(() => own.disposeAsync())
let started: Promise<LastingDaemon> | undefined

/** A daemon in its own process, in which calls are made to fail. */
function failingDaemon(): Promise<LastingDaemon> {
  started ??= (async () => {
    const { path: home } = own.use(await temporaryFolder({ 'deposit.config.js': config }))
    return own.use(await lastingDaemon({ home }))
  })()
  return started
}

const askedAt = ({ owner, origin }: LastingDaemon) => ({
  as: owner,
  environment: { DEPOSIT_URL: origin },
})

/** Hints for faults of the service itself. */
export const ofFaults = {
  tellOperator: async () => {
    const daemon = await failingDaemon()
    const asked = askedAt(daemon)
    const { id } = await daemon.owner.createDraft()
    const annotate = `deposit action ${id} annotate`
    const said = await refuse(annotate, advice.tellOperator(), asked)
    const [, request = ''] = /\(internal_error, request ([\w-]+)/.exec(said) ?? []
    expect(request).not.toBe('')
    // The operator finds the error in the log by this id.
    await expect.poll(daemon.log).toMatch(new RegExp(`${request}.*ENOENT.*notes\\.txt`))
    await writeFile(join(daemon.home, 'notes.txt'), 'Annotated')
    await follow(annotate, asked)
    expect(await follow(`deposit show ${id}`, asked)).toContain('Annotated')
  },
  tellOperatorOfStore: async () => {
    if (unless('a store that failed', noFailingCalls)) return
    const daemon = await failingDaemon()
    const asked = askedAt(daemon)
    const { id } = await daemon.owner.createDraft()
    const update = `deposit update ${id} --set title=x`
    {
      await using _ = await failCalls(daemon, 'fsync:error=EIO', 'fdatasync:error=EIO')
      expect((await run(update, asked)).status).not.toBe(0)
    }
    await refuse(update, advice.tellOperatorOfStore(), asked)
    await daemon.kill()
    await daemon.start()
    await follow(update, asked)
  },
  tellOperatorOfRoom: async () => {
    if (unless('files that cannot grow', noFileLimit)) return
    const daemon = await failingDaemon()
    const asked = askedAt(daemon)
    const { id } = await daemon.owner.createDraft()
    await write('roomy.csv', 'x'.repeat(3_000_000))
    const upload = `deposit upload ${id} roomy.csv`
    limitFiles(daemon, '1000000')
    await refuse(upload, advice.tellOperatorOfRoom(), asked)
    await mkdir(pathTo('roomy'))
    await write('roomy/metadata.yaml', 'title: Room')
    await write('roomy/large.csv', 'x'.repeat(3_000_000))
    const { stderr } = await run('deposit create roomy --publish', asked)
    const [, command = ''] = /once there is room, run `([^`]+)`\n/.exec(stderr) ?? []
    const hint = advice.continueDraft(advice.tellOperatorOfRoom(), command)
    expect(hint).not.toContain('again')
    expect(stderr).toContain(`  next: ${hint}\n`)
    limitFiles(daemon, 'unlimited')
    await follow(upload, asked)
    for (const step of command.split(' && ')) await follow(step, asked)
  },
}
