import { createServer, connect } from 'node:net'
import { once } from 'node:events'
import { expect } from 'vitest'
import { advice } from '../../../cli/advice.ts'
import { takeLock } from '../../../core/base/file-lock.ts'
import type { DepositBody } from '../../../core/contract/schemas.ts'
import { bodyOf } from '../../support/http.ts'
import { forward } from '../../support/forward.ts'
import { answerJson, strangeServer } from '../../support/strange-server.ts'
import {
  ada,
  atHome,
  atServerWith,
  commandsIn,
  correct,
  daemon,
  draft,
  edited,
  follow,
  inConflict,
  pathTo,
  published,
  refuse,
  run,
  write,
} from './rig.ts'

/** Hints for requests that the server refuses. */
/** A record of another user that was withdrawn. */
async function withdrawn(replaced_by?: string): Promise<{ readonly url: string }> {
  const bob = daemon.as('bob')
  const { id, metadata } = await bob.createPublished()
  const json = { reason: 'retracted', ...(replaced_by !== undefined && { replaced_by }) }
  await bob.post(`/deposits/${id}/actions/withdraw`, { json })
  return { url: `${daemon.origin}/records/${metadata._deposit?.value}` }
}

export const ofServer = {
  correctAbove: () =>
    correct(
      "deposit token create --scope deposit:write --name 'a\u0007b'",
      advice.correctAbove(),
      'deposit token create --scope deposit:write',
    ),
  // No real service: the command line sends the files of a broken form one by one, and a file alone
  // is no form. Other servers may answer so.
  runAgain: () => atServerWith('broken_upload', advice.runAgain()),
  waitForOther: async () => {
    await write('rows.csv', 'title\nOne\n')
    const args = 'deposit batch rows.csv --resume rows.journal'
    const lock = await takeLock(pathTo('rows.journal.lock'))
    await refuse(args, advice.waitForOther())
    await lock?.[Symbol.asyncDispose]()
    await follow(args)
  },
  useOtherKey: async () => {
    await follow('deposit create --title One --idempotency-key k-1')
    await refuse('deposit create --title Two --idempotency-key k-1', advice.useOtherKey())
    await follow(commandsIn(advice.useOtherKey())[0])
    await follow('deposit create --title Two --idempotency-key k-2')
  },
  freeRoom: async () => {
    const poor = daemon.as('poor')
    const [old, full] = [await poor.createDraft(), await poor.createDraft()]
    await poor.addFile(old, 'old.csv', 'x'.repeat(90))
    const { used } = (await poor.get('/me')).body as { readonly used: number }
    const email = 'poor@example.org'
    await daemon.operate('user quota', { email, size: String(used + 10) })
    const upload = `deposit upload ${full.id} half.csv`
    await refuse(upload, advice.freeRoom(), { as: poor })
    expect(await follow('deposit whoami', { as: poor })).toContain('of files')
    await follow(`deposit rm ${old.id} old.csv`, { as: poor })
    await follow(upload, { as: poor })
    await refuse(`deposit upload ${full.id} half.csv --name b.csv`, advice.freeRoom(), { as: poor })
    await daemon.operate('user quota', { email, size: '1MB' })
    await follow(`deposit upload ${full.id} half.csv --name b.csv`, { as: poor })
  },
  nameEndpoint: () =>
    correct(
      'deposit list --endpoint labs',
      advice.nameEndpoint(['depid', 'lab']),
      'deposit list --endpoint depid',
    ),
  useEndpoint: async () => {
    const id = (await follow('deposit create --quiet --endpoint lab')).trim()
    await refuse(`deposit show ${id}`, advice.useEndpoint('lab'))
    await follow(`deposit show ${id} --endpoint lab`)
  },
  useKnownHost: async () => {
    const { port } = new URL(daemon.origin)
    const forward = createServer((socket) => socket.pipe(connect(Number(port))).pipe(socket))
    await once(forward.listen(0, '127.0.0.1'), 'listening')
    const address = forward.address()
    const other = typeof address === 'object' ? address?.port : undefined
    const environment = { DEPOSIT_URL: `http://127.0.0.1:${other}` }
    await refuse('deposit list', advice.useKnownHost(), { environment })
    forward.close()
    await follow('deposit list')
  },
  correctDocument: async () => {
    const $schema = `${daemon.origin}/schemas/deposits/dataset-v1.0.0.json`
    const { id } = await ada.createDraft({ $schema })
    const hint = advice.correctDocument(id)
    await refuse(`deposit publish ${id}`, hint)
    await follow(commandsIn(hint, { FILE: 'whole.yaml' })[0])
    await follow(`deposit publish ${id}`)
  },
  nameSchema: async () => {
    const id = await draft()
    const update = `deposit update ${id} --metadata`
    await correct(`${update} schema.yaml`, advice.nameSchema(), `${update} no-schema.yaml`)
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
  correctPaging: () =>
    correct('deposit list --sort nope', advice.correctPaging(), 'deposit list --sort mostrecent'),
  seeFiles: async () => {
    const { id } = await ada.createDraftWith('a.csv')
    const hint = advice.seeFiles(id)
    await refuse(`deposit rm ${id} none.csv`, hint)
    await refuse(`deposit rename ${id} .. b.csv`, hint)
    expect(await follow(commandsIn(hint)[0])).toContain('a.csv')
  },
  nameFolderOf: async () => {
    const { id } = await ada.createDraftWith('data/a.csv', 'data/b.csv', 'c.csv')
    const hint = advice.nameFolderOf(id, 'data')
    await refuse(`deposit rm ${id} data`, hint)
    await follow(commandsIn(hint)[0])
    expect(await follow(`deposit files ${id}`)).toMatch(/^c\.csv\t[^\n]*\n$/)
  },
  renameOrReplace: async () => {
    const { id } = await ada.createDraftWith('a.csv', 'b.csv')
    const hint = advice.renameOrReplace(id)
    await refuse(`deposit rename ${id} a.csv b.csv`, hint)
    await follow(`deposit rename ${id} a.csv c.csv`)
    await follow(commandsIn(hint, { FILE: 'b.csv' })[0])
  },
  seeStatus: async () => {
    const id = await draft()
    const hint = advice.seeStatus(id)
    await refuse(`deposit discard ${id}`, hint)
    expect(await follow(commandsIn(hint)[0])).toContain('draft')
  },
  lookAgain: async () => {
    const { id } = await ada.createDraft()
    // Somebody else saves between the reading and the writing of the command.
    await using between = await strangeServer(async (request, response) => {
      if (request.method === 'PUT') await ada.put(`/deposits/${id}`, { title: 'Theirs' })
      const { status, body } = await forward(daemon.origin, request)
      answerJson(response, body, status)
    })
    const hint = advice.lookAgain(id)
    await refuse(`deposit update ${id} --set notes=ours`, hint, {
      environment: { DEPOSIT_URL: between.url },
    })
    expect(await follow(commandsIn(hint)[0])).toContain('Theirs')
    await follow(`deposit update ${id} --set notes=ours`)
  },
  seeDeposits: async () => {
    const id = await draft()
    await ada.delete(`/deposits/${id}`)
    await refuse(`deposit show ${id}`, advice.seeDeposits())
    await follow(commandsIn(advice.seeDeposits())[0])
  },
  readTombstone: async () => {
    const { url } = await withdrawn()
    await refuse(`deposit cite ${url}`, advice.readTombstone(url))
    const page = await fetch(url, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('This record was withdrawn')
  },
  seeReplacement: async () => {
    const other = await ada.record(await ada.createPublished())
    const { url } = await withdrawn(other.id)
    const next = `${daemon.origin}/records/${other.id}`
    await refuse(`deposit cite ${url}`, advice.seeReplacement(next))
    await follow(`deposit cite ${next}`)
  },
  askForFiles: async () => {
    const closed = { title: 'x', access: { files: 'restricted', until: '2999-01-01' } }
    await write('closed.json', JSON.stringify(closed))
    const hint = advice.askForFiles()
    await follow(commandsIn(hint)[0], atHome())
    const id = (await follow('deposit create --metadata closed.json', atHome())).trim()
    await follow(`deposit upload ${id} data/a.csv`, atHome())
    await follow(`deposit publish ${id}`, atHome())
    const show = `deposit show ${id} --jq .metadata._deposit.value`
    const record = (await follow(show, atHome())).trim().replaceAll('"', '')
    const said = await refuse(`deposit download ${record}`, hint)
    expect(said).toContain('open on 1 January 2999')
    await follow(`deposit download ${record} --output opened`, atHome())
  },
  findDeposit: async () => {
    const id = await draft()
    await refuse(`deposit show ${'0'.repeat(32)}`, advice.findDeposit())
    expect(await follow(commandsIn(advice.findDeposit())[0])).toContain(id.slice(0, 6))
  },
  giveWhole: async () => {
    const id = await draft()
    const stderr = await refuse(`deposit delete 00000000 --yes`, advice.giveWhole())
    expect(stderr).toContain('; `delete` takes the whole identifier\n')
    expect(await follow(commandsIn(advice.giveWhole())[0])).toContain(id)
    await follow(`deposit delete ${id} --yes`)
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
    await refuse(`deposit newversion ${third.id}`, ways)
    await follow(commandsIn(ways)[0])
    await follow(`deposit newversion ${third.id}`)
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
    await follow(commandsIn(hint)[0])
    await follow(`deposit publish ${id}`)
  },
  deleteUploads: async () => {
    const { id, links } = await ada.createDraft()
    const filename = Buffer.from('a.csv').toString('base64')
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': '9' }
    const reply = await ada.post(links['uploads'] ?? '', {
      headers: { ...headers, 'upload-metadata': `filename ${filename}` },
    })
    const upload = reply.headers.get('location')?.split('/').at(-1) ?? ''
    // Somebody takes it for an upload of `deposit`, and runs that again.
    await refuse(`deposit publish ${id}`, advice.endUploads(id, [upload]))
    await write('a.csv', 'x,y\n1,2\n')
    await follow(`deposit upload ${id} a.csv`)
    const hint = advice.deleteUploads(id, [upload])
    await refuse(`deposit publish ${id}`, hint)
    await follow(commandsIn(hint)[0])
    await follow(`deposit publish ${id}`)
    expect(await ada.keys({ id })).toEqual(['a.csv'])
  },
  settleConflicts: async () => {
    const { id, links } = await inConflict()
    const hint = advice.settleConflicts(id)
    const said = await refuse(`deposit publish ${id}`, hint)
    expect(said).toContain('before: "Sea level"; yours: "Ours"; theirs: "Theirs"')
    const { stdout } = await run(`deposit check ${id}`)
    expect(stdout).toContain('before: "Sea level"; yours: "Ours"; theirs: "Theirs"')
    const [ours, ...others] = commandsIn(hint)
    await follow(ours)
    await follow(`deposit publish ${id}`)
    const record = bodyOf<DepositBody>(await ada.get(links['record'] ?? ''), 200)
    expect(record.metadata).toMatchObject({ title: 'Ours', notes: 'theirs' })
    for (const at of others.keys()) {
      const other = await inConflict()
      const command = commandsIn(advice.settleConflicts(other.id))[at + 1]
      const isDiscarded = command?.includes('discard') === true
      await follow(command, { isTyped: true, stdin: isDiscarded ? 'y\n' : 't\n' })
      if (!isDiscarded) await follow(`deposit publish ${other.id}`)
    }
  },
  chooseAgain: async () => {
    const { id } = await inConflict()
    const hint = advice.chooseAgain(id)
    await refuse(`deposit merge ${id}`, hint, { isTyped: true, stdin: 's\n' })
    for (const option of ['--ours', '--theirs', '--edit']) expect(hint).toContain(option)
    await follow(commandsIn(hint)[0], { isTyped: true, stdin: 't\n' })
  },
  splitFile: async () => {
    const id = await draft()
    const upload = `deposit upload ${id}`
    await correct(`${upload} large.csv`, advice.splitFile(), `${upload} half.csv`)
  },
}
