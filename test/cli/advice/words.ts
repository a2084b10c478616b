import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect } from 'vitest'
import { advice } from '../../../cli/advice.ts'
import { runCli } from '../../support/run-cli.ts'
import { answerJson, strangeServer } from '../../support/strange-server.ts'
import {
  ada,
  at,
  commandsIn,
  correct,
  daemon,
  draft,
  follow,
  pathTo,
  published,
  refuse,
  run,
  runApart,
  shown,
  write,
} from './rig.ts'

/** A draft with an unfinished upload. */
async function interrupted(): Promise<string> {
  const { id, links } = await ada.createDraft()
  const metadata = `filename ${Buffer.from('a.csv').toString('base64')}`
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': '1', 'upload-metadata': metadata }
  await ada.post(links['uploads'] ?? '', { headers })
  return id
}

/** Gives two tokens of Ada ids with the same beginning: the service draws them at random. */
async function makeSimilarTokens(): Promise<void> {
  const create = 'deposit token create --scope deposit:write --name'
  for (const name of ['similar-1', 'similar-2']) await follow(`${create} ${name}`)
  const list = await follow('deposit token list')
  const database = new Sqlite(join(daemon.home, 'deposit.db'))
  const change = database.prepare('UPDATE tokens SET id = ? WHERE id = ?')
  for (const [, id, end] of list.matchAll(/^(\S+)\tsimilar-(\d)\t/gm))
    change.run(`abcdef01-${end}`, id)
  database.close()
  // The daemon alone writes to its database: it reads again after its own write.
  await draft()
}

/**
 * No real service: of deposits, two with the same first six characters are to be expected among some
 * five thousand.
 */
async function refuseOfTwoDeposits(): Promise<void> {
  const ids = ['1', '2'].map((end) => `abcdef${'0'.repeat(25)}${end}`)
  const hits = ids.map((id) => ({ ...shown, id }))
  await using server = await strangeServer(({ url = '' }, response) => {
    const isSearch = url.startsWith('/api/deposits/?')
    answerJson(response, isSearch ? { hits: { hits, total: 2 }, links: {} } : hits[0])
  })
  await refuse('deposit show abcdef', advice.writeMore(), at(server.url))
  await follow(`deposit show ${ids[0]} --json`, at(server.url))
}

/** Hints for command lines that cannot be understood. */
export const ofWords = {
  giveMetadata: async () => {
    await mkdir(pathTo('bare'))
    await writeFile(pathTo('bare/a.csv'), '1')
    await refuse('deposit create bare --publish', advice.giveMetadata())
    await follow('deposit create bare --publish --yes')
    await writeFile(pathTo('named.yaml'), 'title: Named\n')
    await follow('deposit create bare --new --publish --metadata named.yaml')
    await writeFile(pathTo('bare/metadata.yaml'), 'title: Bare\n')
    await follow('deposit create bare --new --publish')
  },
  allOf: async () => {
    await mkdir(pathTo('faulty'))
    await write('faulty/metadata.yaml', 'title: [x]\n')
    await write('faulty/a\\b.csv', '1')
    await mkdir(pathTo('faulty/a'))
    await write('faulty/a/b.csv', '1')
    const { stderr } = await run('deposit create faulty')
    expect(stderr).toContain('would both be "a/b.csv"')
    expect(stderr).toContain('/title: Title must be text.')
    const [, next = ''] = /next: (.+)\n$/.exec(stderr) ?? []
    expect(next).toMatch(/^[^;]*(?:; and [^;]*)*; nothing was sent$/)
    await rm(pathTo('faulty/a'), { recursive: true })
    await write('faulty/metadata.yaml', 'title: x\n')
    await follow('deposit create faulty')
  },
  giveTitle: async () => {
    const id = (await follow('deposit create --quiet')).trim()
    const hint = advice.giveTitle(id)
    await refuse(`deposit publish ${id}`, hint)
    await follow(commandsIn(hint, { TITLE: 'Tides' })[0])
    await follow(`deposit publish ${id}`)
    const bare = (await follow('deposit create --quiet')).trim()
    await refuse(`deposit publish ${bare}`, advice.giveTitle(bare))
    await follow(`deposit publish ${bare} --yes`)
  },
  seeHelp: async () => {
    const hint = advice.seeHelp('deposit rename')
    await refuse('deposit rename', hint)
    await follow(commandsIn(hint)[0])
    await refuse('deposit completion csh', advice.seeHelp('deposit completion'))
  },
  useCommand: async () => {
    const names = ['new', 'view', 'search'] as const
    const { id } = await published()
    const values = { ID: id, FOLDER: 'data', QUERY: 'title:tides', FILE: 'a.csv' }
    for (const name of names) {
      const hint = advice.useCommand(name)
      await refuse(`deposit ${name}`, hint)
      await follow(commandsIn(hint, values)[0])
    }
  },
  askUndelete: async () => {
    const id = await draft()
    await follow(`deposit delete ${id} --keep --yes`)
    await refuse(`deposit undelete ${id}`, advice.askUndelete())
    expect(commandsIn(advice.askUndelete(), { ID: id })).toEqual([`depositd undelete ${id}`])
    await daemon.operate('undelete', { id })
    await follow(`deposit show ${id}`)
  },
  setVariable: async () => {
    const { stderr } = await runCli(['create', ''])
    expect(stderr).toContain(`next: ${advice.setVariable()}`)
    for (const command of ['create /', `upload ${await draft()} //`])
      await refuse(`deposit ${command}`, advice.setVariable())
    await follow('deposit create data')
  },
  leaveOut: async () => {
    const list = 'deposit list --all'
    await correct(`${list} --page 2`, advice.leaveOut('--page'), list)
    const upload = `deposit upload ${await draft()} a.csv b.csv`
    await correct(`${upload} --name c.csv`, advice.leaveOut('--name'), upload)
  },
  correctOption: async () => {
    const id = await draft()
    await correct('deposit list --limit 0', advice.correctOption('--limit'), 'deposit list')
    for (const option of ['--jobs', '--timeout'])
      await correct(
        `deposit upload ${id} a.csv ${option} many`,
        advice.correctOption(option),
        `deposit upload ${id} a.csv`,
      )
    const update = `deposit update ${id}`
    await correct(
      `${update} --unset titel`,
      advice.correctOption('--unset'),
      `${update} --unset title`,
    )
    expect((await run('deposit daemon logs --lines x')).stderr).toContain(
      `next: ${advice.correctOption('--lines')}`,
    )
  },
  writeMore: async () => {
    await makeSimilarTokens()
    const revoke = 'deposit token revoke abcdef01'
    await refuse(revoke, advice.writeMore())
    await follow(`${revoke}-1`)
    await refuseOfTwoDeposits()
  },
  nameJsonFields: () =>
    correct(
      'deposit list --json title',
      advice.nameJsonFields(),
      'deposit list --json id,metadata.title',
    ),
  correctJq: () =>
    correct(
      "deposit list --jq '.hits.total.all'",
      advice.correctJq(),
      "deposit list --jq '.hits.total'",
    ),
  giveChange: async () => {
    const id = await draft()
    const hint = advice.giveChange(id)
    await refuse(`deposit update ${id}`, hint)
    await follow(commandsIn(hint, { FIELD: 'title', TEXT: 'x' })[0])
  },
  writePointer: async () => {
    const update = `deposit update ${await draft()} --set`
    await correct(
      `${update} keywords+=tide`,
      advice.writePointer('--set', '/keywords/-=tide'),
      `${update} '/keywords/-=tide'`,
    )
  },
  writeSet: async () => {
    const id = await draft()
    await refuse(`deposit update ${id} --set title`, advice.writeSet())
    await follow(`deposit update ${id} --set title='A title' --set keywords:='[]'`)
  },
  setEditor: async () => {
    const id = await draft()
    const hint = advice.setEditor(id)
    await refuse(`deposit edit ${id} --open`, hint)
    await follow(`deposit edit ${id} --open`, { environment: { EDITOR: 'true' } })
    await follow(commandsIn(hint, { FIELD: 'title', TEXT: 'x' })[0])
  },
  saveFile: async () => {
    const id = await draft()
    const edit = `deposit edit ${id} --open`
    for (const EDITOR of ['false', 'echo "title: 5" >']) {
      const { stderr } = await run(edit, { environment: { EDITOR } })
      const [, file = ''] = /next: correct (\S+) and run/.exec(stderr) ?? []
      const hint = advice.saveFile(id, file)
      expect(stderr).toContain(`next: ${hint}`)
      await writeFile(file, 'title: Corrected\n')
      await follow(commandsIn(hint)[0])
      await rm(dirname(file), { recursive: true })
    }
  },
  giveThisWhole: async () => {
    const id = await draft()
    const hint = advice.giveThisWhole(`deposit delete ${id} --yes`)
    await refuse(`deposit delete ${id.slice(0, 8)} --yes`, hint)
    await follow(commandsIn(hint)[0])
  },
  saveKept: async () => {
    const id = await draft()
    const { authorization } = await ada.authorization()
    const change = `curl -s -X PUT -H 'authorization: ${authorization}' --json '{"title":"Other"}'`
    const other = `${change} ${daemon.url}/deposits/${id} >/dev/null && echo "title: Mine" >`
    const { stderr } = await run(`deposit edit ${id} --open`, { environment: { EDITOR: other } })
    const [, file = ''] = /your text is kept in (\S+):/.exec(stderr) ?? []
    const hint = advice.saveKept(id, file)
    expect(stderr).toContain(`next: ${hint}`)
    for (const command of commandsIn(hint)) await follow(command)
    expect(await follow(`deposit show ${id} --metadata`)).toContain('title: Mine')
    await rm(dirname(file), { recursive: true })
  },
  nameOrder: async () => {
    const { id } = await ada.createDraftWith('b.csv', 'a.csv')
    const hint = advice.nameOrder(id)
    await refuse(`deposit sort ${id}`, hint)
    await refuse(`deposit sort ${id} --by size`, hint)
    await follow(commandsIn(hint)[0])
    await follow(`deposit sort ${id} b.csv`)
  },
  nameAction: async () => {
    const id = await draft()
    const hint = advice.nameAction(id)
    expect(await refuse(`deposit action ${id} dance`, hint)).toContain('publish')
    await follow(commandsIn(hint)[0])
    await follow(`deposit action ${id} publish`)
  },
  giveOtherName: async () => {
    const { id } = await ada.createDraftWith('a.csv')
    const hint = advice.giveOtherName(id, 'a.csv')
    await refuse(`deposit rename ${id} a.csv a.csv`, hint)
    await follow(commandsIn(hint, { NAME: 'b.csv' })[0])
  },
  nameInput: async () => {
    const id = await draft()
    const hint = advice.nameInput(id)
    await refuse(`deposit upload ${id} -`, hint)
    await follow(commandsIn(hint, { NAME: 'input.txt' })[0], { stdin: 'x' })
  },
  nameUploads: async () => {
    const id = await interrupted()
    const hint = advice.nameUploads(id)
    await refuse(`deposit uploads ${id} --delete`, hint)
    await follow(commandsIn(hint)[0])
    await follow(`deposit publish ${id}`)
  },
  seeDeleted: async () => {
    const id = await draft()
    await follow(`deposit upload ${id} a.csv`)
    await follow(`deposit rm ${id} a.csv`)
    await refuse(`deposit restore ${id} none.csv`, advice.seeDeleted(id))
    expect(await follow(commandsIn(advice.seeDeleted(id))[0])).toContain('a.csv')
  },
  nameOneOfFiles: async () => {
    const id = await draft()
    await follow(`deposit upload ${id} a.csv`)
    await refuse(`deposit restore ${id} --versions`, advice.nameOneOfFiles())
    expect(await follow(`deposit restore ${id} a.csv --versions`)).toContain('latest')
  },
  restoreDeleted: async () => {
    const names = ['1', '2', '3', '4', '5', '6'].map((name) => `${name}.csv`)
    const { id } = await ada.createDraftWith('a.csv', ...names)
    const typed = { isTyped: true } as const
    const told = async (words: string): Promise<string> =>
      (await run(`deposit rm ${id} ${words}`, typed)).stderr.replaceAll(/\s+/g, ' ')
    const one = advice.restoreDeleted(id, ['a.csv'])
    expect(await told('a.csv')).toContain(one)
    await follow(commandsIn(one)[0])
    const many = advice.restoreDeleted(id, [])
    expect(await told(names.join(' '))).toContain(many)
    expect(await follow(commandsIn(many)[0])).toContain('6.csv')
    expect((await run(`deposit rm ${id} a.csv`)).stderr).not.toContain('restore')
  },
  seeVersions: async () => {
    const id = await draft()
    await follow(`deposit upload ${id} a.csv`)
    const hint = advice.seeVersions(id, 'a.csv')
    await refuse(`deposit restore ${id} a.csv --to previous`, hint)
    expect(await follow(commandsIn(hint)[0])).toContain('latest')
  },
  restoreAs: async () => {
    const id = await draft()
    await follow(`deposit upload ${id} a.csv`)
    await follow(`deposit rm ${id} a.csv`)
    await follow(`deposit upload ${id} a.csv`)
    const hint = advice.restoreAs(id, 'a.csv')
    await refuse(`deposit restore ${id} a.csv`, hint)
    await follow(commandsIn(hint, { NAME: 'old.csv' })[0])
  },
  seeUploads: async () => {
    const id = await interrupted()
    const hint = advice.seeUploads(id)
    await refuse(`deposit uploads ${id} none.csv --delete`, hint)
    expect(await follow(commandsIn(hint)[0])).toContain('a.csv')
    await follow(`deposit uploads ${id} a.csv --delete`)
  },
  publishEach: async () => {
    const ids = [await draft(), await draft()]
    const hint = advice.publishEach()
    await refuse(`deposit publish ${ids.join(' ')} --idempotency-key k`, hint)
    for (const ID of ids) await follow(commandsIn(hint, { ID, KEY: `k-${ID}` })[0])
  },
  checkAndPublish: async () => {
    const id = await draft()
    const hint = advice.checkAndPublish(id)
    await refuse(`deposit open ${id} --record`, hint)
    for (const command of commandsIn(hint)) await follow(command)
    await follow(`deposit open ${id} --record`)
  },
  checkBatch: async () => {
    await writeFile(pathTo('table.csv'), 'title\nTides\n')
    await refuse('deposit check table.csv', advice.checkBatch('table.csv'))
    await follow(commandsIn(advice.checkBatch('table.csv'))[0])
  },
  checkAgain: async () => {
    const $schema = `${daemon.origin}/schemas/deposits/dataset-v1.0.0.json`
    const { id } = await ada.createDraft({ $schema })
    const hint = advice.checkAgain(id)
    await refuse(`deposit check ${id}`, hint)
    await refuse(`deposit publish ${id} --dry-run`, advice.correctDocument(id))
    await follow(`deposit update ${id} --metadata whole.yaml`)
    await follow(commandsIn(hint)[0])
  },
  followFixes: async () => {
    const doctor = (DEPOSIT_HOME: string) => ({ environment: { DEPOSIT_HOME } })
    await refuse('deposit doctor', advice.followFixes(), doctor(pathTo('a.csv')))
    await follow('deposit doctor', doctor(daemon.home))
  },
  continueWith: async () => {
    const { authorization = '' } = await ada.authorization()
    const environment = {
      DEPOSIT_URL: daemon.origin,
      DEPOSIT_TOKEN: authorization.replace('Bearer ', ''),
    }
    const { stderr } = await runCli(['list'], { environment, signal: AbortSignal.abort() })
    expect(stderr).toContain(`next: ${advice.continueWith('deposit list')}`)
    await follow('deposit list')
  },
  reportBug: async () => {
    // A planted bug: no input should cause one.
    await write('bug.mjs', "URL.parse = () => { throw new TypeError('a bug') }")
    const variables = { NODE_OPTIONS: `--import=${pathTo('bug.mjs')}` }
    const { status, stderr } = await runApart('deposit list', variables)
    expect(status).toBe(1)
    expect(stderr).toContain('TypeError: a bug')
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(`  next: ${advice.reportBug()}`)
  },
}
