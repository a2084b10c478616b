import { afterAll, expect } from 'vitest'
import { ownRefusals } from '../../../cli/client/api-failure.ts'
import type { Refusal } from '../../../core/contract/refusals.ts'
import { testDaemon, type TestDaemon } from '../../support/test-daemon.ts'
import { commandsIn, draft, edited, follow, published, run } from './rig.ts'

/** Makes a deposit in a state where `command`, its id and `rest` are refused. */
interface Refused {
  readonly make: () => Promise<string>
  readonly command: string
  readonly rest?: string
  /** Another service than that of all rows. */
  readonly at?: TestDaemon
}

const strict = await testDaemon({ env: { DEPOSIT_REVIEW: 'required' } })
const plain = await testDaemon()
afterAll(async () => {
  await strict[Symbol.asyncDispose]()
  await plain[Symbol.asyncDispose]()
})

const publishedToBe = async () => (await published()).id
const editedToBe = async () => (await edited()).id

async function registered(): Promise<string> {
  const id = await publishedToBe()
  await follow(`deposit action ${id} register`)
  return id
}

async function withdrawn(...more: readonly string[]): Promise<string> {
  const id = await publishedToBe()
  await follow(['deposit withdraw', id, '--reason test --yes', ...more].join(' '))
  return id
}

/** Open for changes, and changed only before it was published. */
async function changedBefore(): Promise<string> {
  const id = await draft()
  await follow(`deposit update ${id} --set title=Tides`)
  await follow(`deposit publish ${id}`)
  await follow(`deposit edit ${id}`)
  return id
}

async function submitted(): Promise<string> {
  const id = await draft()
  await follow(`deposit submit ${id}`)
  return id
}

const draftAt = (daemon: TestDaemon) => async () => (await daemon.as('ada').createDraft()).id

async function openBefore(): Promise<string> {
  const first = await publishedToBe()
  const next = (await follow(`deposit newversion ${first} -q`)).trim()
  await follow(`deposit withdraw ${first} --reason copyright --destroy-bytes --yes`)
  return next
}

const gone = () => withdrawn('--destroy-bytes')

/** One row for each refusal of the service. */
const rows: Readonly<Record<Refusal, Refused>> = {
  published: { make: publishedToBe, command: 'update', rest: '--set title=x' },
  sealed: { make: registered, command: 'edit' },
  published_already: { make: publishedToBe, command: 'publish' },
  nothing_edited: { make: publishedToBe, command: 'discard' },
  published_files: { make: publishedToBe, command: 'rm', rest: 'a.csv' },
  published_kept: { make: publishedToBe, command: 'delete', rest: '--yes' },
  withdrawn_kept: { make: () => withdrawn(), command: 'delete', rest: '--yes' },
  edited_kept: { make: editedToBe, command: 'delete', rest: '--yes' },
  never_published: { make: draft, command: 'action', rest: 'newversion' },
  edited: { make: editedToBe, command: 'action', rest: 'register' },
  nothing_to_discard: { make: draft, command: 'discard' },
  nothing_to_merge: { make: draft, command: 'action', rest: 'merge' },
  files_frozen: { make: editedToBe, command: 'upload', rest: 'b.csv' },
  nothing_to_undo: { make: draft, command: 'undo' },
  nothing_since_published: { make: changedBefore, command: 'undo' },
  edit_not_published: { make: draft, command: 'edit' },
  identified_already: { make: publishedToBe, command: 'action', rest: 'reserve' },
  nothing_to_reserve: { make: draft, command: 'action', rest: 'reserve' },
  withdrawn: { make: () => withdrawn(), command: 'edit' },
  withdrawn_for_good: { make: gone, command: 'restore-record' },
  withdrawn_already: { make: gone, command: 'withdraw', rest: '--reason test --yes' },
  not_withdrawn: { make: publishedToBe, command: 'restore-record' },
  registered_already: { make: registered, command: 'action', rest: 'register' },
  destroyed_files: { make: openBefore, command: 'publish', rest: '--quiet' },
  submitted: { make: submitted, command: 'update', rest: '--set title=x' },
  submitted_already: { make: submitted, command: 'submit' },
  not_submitted: { make: draft, command: 'take-back' },
  published_reviewed: { make: publishedToBe, command: 'submit' },
  review_required: { make: draftAt(strict), command: 'publish', at: strict },
  no_reviews: { make: draftAt(plain), command: 'submit', at: plain },
}

export const refusalNames = Object.keys(rows) as Refusal[]

/** The command line explains the refusal; each command that it names works on a new deposit. */
export async function followRefusal(name: Refusal): Promise<void> {
  const { make, command, rest = '', at: daemon } = rows[name]
  const asked = daemon ? { as: daemon.as('ada'), environment: { DEPOSIT_URL: daemon.origin } } : {}
  const count = commandsIn(ownRefusals[name]('ID')).length
  for (let at = 0; at < Math.max(count, 1); at += 1) {
    const id = await make()
    const { status, stderr } = await run(`deposit ${command} ${id} ${rest}`.trim(), asked)
    expect(status).toBe(5)
    expect(stderr.split('\n')[1]).toMatch(/ \((?:invalid_action|files_frozen), request \w/)
    expect(stderr).toContain(`\n  ${ownRefusals[name](id)} (`)
    if (count > 0) await follow(commandsIn(ownRefusals[name](id))[at], asked)
  }
}
