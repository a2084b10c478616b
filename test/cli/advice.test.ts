import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { advice, type Advice } from '../../cli/advice.ts'
import type { ProblemCode } from '../../core/contract/problems.ts'
import { problems } from '../../core/contract/problems.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

let daemon: TestDaemon
let ada: User
let folder: TemporaryFolder
beforeAll(async () => {
  daemon = await testDaemon({ env: { DEPOSIT_MAX_FILE_SIZE: '100' } })
  ada = daemon.as('ada')
  folder = await temporaryFolder({
    'a.csv': '1',
    'b.csv': '2',
    'large.csv': 'x'.repeat(200),
    'half.csv': 'y'.repeat(51),
    'whole.yaml':
      'title: x\ncreators: [{name: Ada}]\ndescription: y\npublication_date: "2026"\n' +
      'resource_type: dataset\nlicense: CC0-1.0\n',
    'patch.json': '[{"op":"remove","path":"/nothing"}]',
    'schema.yaml': '$schema: none.json\n',
    'no-schema.yaml': 'title: x\n',
  })
})
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** Runs a command as it stands in a hint, `deposit` and all. */
async function run(command: string, as = ada): Promise<Outcome> {
  const { authorization = '' } = await as.authorization()
  const environment = {
    DEPOSIT_URL: daemon.origin,
    DEPOSIT_TOKEN: authorization.replace('Bearer ', ''),
  }
  return runCli(command.split(' ').slice(1), { environment, folder: folder.path })
}

/** The commands of a hint, with what stands for a value in capitals filled in. */
function commandsIn(
  hint: Advice,
  values: Readonly<Record<string, string>> = {},
): readonly string[] {
  return [...hint.matchAll(/`([^`]+)`/g)]
    .map(([, command = '']) => command)
    .map((command) => command.replaceAll(/\b[A-Z]{2,}\b/g, (name) => values[name] ?? name))
}

async function follow(command: string | undefined, as = ada): Promise<string> {
  const { status, stdout, stderr } = await run(command ?? '', as)
  expect({ command, status, stderr: status === 0 ? '' : stderr }).toEqual({
    command,
    status: 0,
    stderr: '',
  })
  return stdout
}

/** Fails with exactly this hint behind `next:`. */
async function refuse(command: string, hint: Advice, as = ada): Promise<string> {
  const { status, stderr } = await run(command, as)
  expect(status).not.toBe(0)
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(`  next: ${hint}`)
  return stderr
}

/** A server that has `code` for an answer until the person has done what helps. */
async function atServerWith(code: ProblemCode, hint: Advice, retryAfter?: string): Promise<void> {
  let isMended = false
  const { status, message } = problems[code]
  const problem = { status, code, message, request_id: 'r-17' }
  await using server = await strangeServer((request, response) => {
    request.resume()
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
    if (isMended) answerJson(response, shown)
    else answerJson(response, problem, status)
  })
  const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 't' }
  const first = await runCli(['patch', 'abc', 'patch.json'], { environment, folder: folder.path })
  expect(first.stderr).toContain(`  next: ${hint}\n`)
  expect(first.stderr).toContain('r-17')
  isMended = true
  const second = await runCli(['patch', 'abc', 'patch.json'], { environment, folder: folder.path })
  expect(second.status).toBe(0)
}

const shown = {
  id: 'abc',
  metadata: { _deposit: { status: 'draft' } },
  links: { self: '/' },
  revision: 0,
}

const draft = async () => (await ada.createDraft()).id
const published = async () => ada.publish(await ada.createDraftWith('a.csv'))
const edited = async () => ada.edit(await published())

/**
 * One row for each hint: meets it, and does what it says. A hint of the table without a row does not
 * compile.
 */
const rows: Readonly<Record<keyof typeof advice, () => Promise<unknown>>> = {
  correctAbove: () => atServerWith('malformed_request', advice.correctAbove()),
  runAgain: () => atServerWith('broken_upload', advice.runAgain()),
  waitForOther: () => atServerWith('upload_conflict', advice.waitForOther()),
  useOtherKey: async () => {
    await follow('deposit create --title One --idempotency-key k-1')
    await refuse('deposit create --title Two --idempotency-key k-1', advice.useOtherKey())
    await follow(commandsIn(advice.useOtherKey())[0])
    await follow('deposit create --title Two --idempotency-key k-2')
  },
  runAgainIn: () => atServerWith('overloaded', advice.runAgainIn(90), '90'),
  runAgainSoon: () => atServerWith('too_many_requests', advice.runAgainSoon()),
  tellOperator: () => atServerWith('internal_error', advice.tellOperator()),
  tellOperatorOfStore: () => atServerWith('storage_degraded', advice.tellOperatorOfStore()),
  tellOperatorOfRoom: () => atServerWith('storage_full', advice.tellOperatorOfRoom()),
  useKnownHost: () => atServerWith('wrong_host', advice.useKnownHost()),
  correctDocument: async () => {
    const $schema = `${daemon.origin}/schemas/deposits/dataset-v1.0.0.json`
    const { id } = await ada.createDraft({ $schema })
    const hint = advice.correctDocument(id)
    await refuse(`deposit publish ${id}`, hint)
    await follow(`${commandsIn(hint)[0]} --metadata whole.yaml`)
    await follow(`deposit publish ${id}`)
  },
  nameSchema: async () => {
    const id = await draft()
    await refuse(`deposit update ${id} --metadata schema.yaml`, advice.nameSchema())
    await follow(`deposit update ${id} --metadata no-schema.yaml`)
  },
  comparePatch: async () => {
    const id = await draft()
    const hint = advice.comparePatch(id)
    await refuse(`deposit patch ${id} patch.json`, hint)
    expect(await follow(commandsIn(hint)[0])).toContain('"title"')
  },
  correctQuery: async () => {
    const said = await refuse('deposit list title:(', advice.correctQuery())
    expect(said).toMatch(/character \d+ of the query/)
    await follow('deposit list title:(sea)')
  },
  correctPaging: async () => {
    await refuse('deposit list --sort nope', advice.correctPaging())
    await follow('deposit list --sort mostrecent')
  },
  seeFiles: async () => {
    const { id } = await ada.createDraftWith('a.csv')
    const hint = advice.seeFiles(id)
    await refuse(`deposit rename ${id} a.csv ../`, hint)
    expect(await follow(commandsIn(hint)[0])).toContain('a.csv')
  },
  renameOrReplace: async () => {
    const { id } = await ada.createDraftWith('a.csv', 'b.csv')
    const hint = advice.renameOrReplace(id)
    await refuse(`deposit rename ${id} a.csv b.csv`, hint)
    await follow(`deposit rename ${id} a.csv c.csv`)
    await follow(commandsIn(hint, { FILE: 'b.csv' })[0])
  },
  logIn: async () => {
    const environment = { DEPOSIT_URL: daemon.origin }
    const { stderr } = await runCli(['list'], { environment })
    expect(stderr).toContain(`next: ${advice.logIn()}`)
    await follow('deposit list')
  },
  seeScopes: async () => {
    const reader = daemon.as('ada', { scopes: ['deposit:write'] })
    const id = await draft()
    const said = await refuse(`deposit publish ${id}`, advice.seeScopes(), reader)
    expect(said).toContain('deposit:actions')
    const have = await follow(commandsIn(advice.seeScopes())[0], reader)
    expect(have).toContain('deposit:write')
    await follow(`deposit publish ${id}`)
  },
  seeOwner: async () => {
    const bob = daemon.as('bob')
    await refuse(`deposit show ${await draft()}`, advice.seeOwner(), bob)
    expect(await follow(commandsIn(advice.seeOwner())[0], bob)).toContain('bob@example.org')
  },
  seeStatus: async () => {
    const id = await draft()
    const hint = advice.seeStatus(id)
    await refuse(`deposit discard ${id}`, hint)
    expect(await follow(commandsIn(hint)[0])).toContain('draft')
  },
  lookAgain: async () => {
    const hint = advice.lookAgain('abc')
    await atServerWith('stale_revision', hint)
    expect(commandsIn(hint)).toEqual(['deposit show abc'])
  },
  seeDeposits: async () => {
    const id = await draft()
    await ada.delete(`/deposits/${id}`)
    await refuse(`deposit show ${id}`, advice.seeDeposits())
    await follow(commandsIn(advice.seeDeposits())[0])
  },
  findDeposit: async () => {
    const id = await draft()
    await refuse(`deposit show ${'0'.repeat(32)}`, advice.findDeposit())
    expect(await follow(commandsIn(advice.findDeposit())[0])).toContain(id.slice(0, 6))
    await follow(`deposit show ${id.slice(0, 6)}`)
  },
  takeActions: async () => {
    const [first, second, third] = [await published(), await edited(), await published()]
    for (const { id } of [first, second]) {
      const hint = advice.takeActions(id, ['newversion'])
      await refuse(`deposit upload ${id} b.csv`, hint)
      const next = (await follow(commandsIn(hint)[0])).trim()
      await follow(`deposit upload ${next} b.csv`)
    }
    const hint = advice.takeActions(third.id, ['edit'])
    await refuse(`deposit update ${third.id} --set title=x`, hint)
    await follow(commandsIn(hint)[0])
    await follow(`deposit update ${third.id} --set title=x`)
    const ways = advice.takeActions(third.id, ['publish', 'discard'])
    await refuse(`deposit action ${third.id} newversion`, ways)
    await follow(commandsIn(ways)[0])
    await follow(`deposit action ${third.id} newversion`)
  },
  endUploads: async () => {
    const { id, links } = await ada.createDraft()
    const bytes = Buffer.from('1')
    const filename = Buffer.from('a.csv').toString('base64')
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(bytes.length) }
    const reply = await ada.post(links['uploads'] ?? '', {
      headers: { ...headers, 'upload-metadata': `filename ${filename}` },
    })
    const upload = reply.headers.get('location')?.split('/').at(-1) ?? ''
    const hint = advice.endUploads(id, [upload])
    await refuse(`deposit publish ${id}`, hint)
    await follow(commandsIn(hint)[1])
    await follow(`deposit publish ${id}`)
  },
  settleConflicts: async () => {
    const { id, links } = await edited()
    const curator = daemon.as('curator', { admin: true })
    await curator.put(links['record'] ?? '', { title: 'Theirs', notes: 'theirs' })
    await follow(`deposit update ${id} --set title=Ours`)
    const hint = advice.settleConflicts(id)
    const said = await refuse(`deposit publish ${id}`, hint)
    expect(said).toContain('before: "Sea level"; yours: "Ours"; theirs: "Theirs"')
    const { stdout } = await run(`deposit check ${id}`)
    expect(stdout).toContain('before: "Sea level"; yours: "Ours"; theirs: "Theirs"')
    const [update, merge, discard] = commandsIn(hint, { FIELD: 'title', TEXT: 'Both' })
    await follow(update)
    await follow(merge)
    await follow(`deposit publish ${id}`)
    const record = bodyOf<DepositBody>(await ada.get(links['record'] ?? ''), 200)
    expect(record.metadata).toMatchObject({ title: 'Both', notes: 'theirs' })
    await follow(`deposit edit ${id}`)
    await follow(discard)
  },
  splitFile: async () => {
    const id = await draft()
    await refuse(`deposit upload ${id} large.csv`, advice.splitFile())
    await follow(`deposit upload ${id} half.csv`)
  },
  freeRoom: () => atServerWith('quota_exceeded', advice.freeRoom()),
}

describe('a hint of the command line leads where it says', () => {
  it.for(Object.keys(rows) as (keyof typeof rows)[])('%s', async (name) => {
    await rows[name]()
  })
})

it('show tells of a record that was corrected since, and the command it names takes that over', async () => {
  const { id, links } = await ada.createPublished()
  expect((await run(`deposit show ${id}`)).stdout).not.toContain('Correction')
  const curator = daemon.as('curator', { admin: true })
  await curator.put(links['record'] ?? '', { title: 'Corrected' })

  const { stdout } = await run(`deposit show ${id}`)
  expect(stdout).toContain(`\`deposit edit ${id}\` takes that over`)
  await follow(`deposit edit ${id}`)
  expect((await run(`deposit show ${id}`)).stdout).toContain('Corrected')
})
