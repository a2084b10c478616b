import { expect } from 'vitest'
import { advice } from '../../../cli/advice.ts'
import { cuttingProxy } from '../../support/cutting-proxy.ts'
import { runCli } from '../../support/run-cli.ts'
import { canMount, readOnlyView } from '../../support/small-disk.ts'
import {
  ada,
  batch,
  commandsIn,
  correct,
  daemon,
  follow,
  pathTo,
  refuse,
  run,
  write,
} from './rig.ts'

/** Hints for batches. */
export const ofBatches = {
  leaveColumn: async () => {
    await refuse(await batch('twice.csv', 'title,title\na,b\n'), advice.leaveColumn())
    await follow(await batch('twice.csv', 'title\na\n'))
  },
  quoteCell: async () => {
    for (const cell of ['say "x"', '"say" x', '"say']) {
      await refuse(await batch('quotes.csv', `title\n${cell}\n`), advice.quoteCell())
      const quoted = `"${cell.replaceAll('"', '""')}"`
      await follow(await batch('quotes.csv', `title\n${quoted}\n`))
    }
  },
  renameColumn: async () => {
    const rows = 'title,Folders\na,data\n'
    await refuse(await batch('column.csv', rows), advice.renameColumn('Folders'))
    await follow(await batch('column.csv', rows.replace('Folders', 'folder')))
    await follow(await batch('pointer.csv', rows.replace('Folders', '/Folders')))
  },
  nameJournal: async () => {
    const stdin = 'title\nFrom a pipe\n'
    await refuse('deposit batch -', advice.nameJournal(), { stdin })
    const command = 'deposit batch - --resume piped.journal'
    const made = await follow(command, { stdin })
    expect(made).toContain('From a pipe')
    expect(await follow(command, { stdin: '{"title": "From a pipe"}\n' })).toContain('From a pipe')
  },
  useOwnKeys: async () => {
    await refuse(await batch('keys.csv', 'key,title\nk,a\nk,b\n'), advice.useOwnKeys())
    await follow(await batch('keys.csv', 'key,title\nk,a\nl,b\n'))
  },
  useNewKey: async () => {
    const made = await batch('new-key.csv', 'key,title,files\nk,One,a.csv\n')
    const [row = ''] = (await follow(made)).split('\n')
    await follow(`deposit publish ${row.split('\t')[2]}`)
    await write('new-key.csv', 'key,title,files\nk,One,b.csv\n')
    const publish = `${made} --publish`
    expect((await run(publish)).stdout).toContain(`next: ${advice.useNewKey()}`)
    await write('new-key.csv', 'key,title,files\nl,One,b.csv\n')
    expect(await follow(publish)).toContain('published')
  },
  removeAndNewKey: async () => {
    const made = await batch('destroyed.csv', 'key,title,files\nd,One,a.csv\n')
    const command = `${made} --publish --update`
    const [row = ''] = (await follow(command)).split('\n')
    const shown = /\S+\/records\/\S+/.exec(row)?.[0] ?? ''
    await follow(`deposit withdraw ${shown} --reason test --destroy-bytes --yes -q`)
    await write('destroyed.csv', 'key,title,files\nd,One,b.csv\n')
    expect((await run(command)).stdout).toContain(`next: ${advice.removeAndNewKey()}`)
    await write('destroyed.csv', 'key,title,files\ne,One,b.csv\n')
    expect(await follow(command)).toContain('published')
  },
  restoreOrNewKey: async () => {
    const made = await batch('withdrawn.csv', 'key,title,files\nw,One,a.csv\n')
    const command = `${made} --publish --update`
    const [row = ''] = (await follow(command)).split('\n')
    const shown = /\S+\/records\/\S+/.exec(row)?.[0] ?? ''
    const id = (await follow(`deposit withdraw ${shown} --reason test --yes -q`)).trim()
    await write('withdrawn.csv', 'key,title,files\nw,One,b.csv\n')
    const hint = advice.restoreOrNewKey(id)
    expect((await run(command)).stdout).toContain(`next: ${hint}`)
    await write('withdrawn.csv', 'key,title,files\nx,One,b.csv\n')
    expect(await follow(command)).toContain('published')
    await follow(commandsIn(hint)[0])
    await write('withdrawn.csv', 'key,title,files\nw,One,b.csv\n')
    expect(await follow(`${command} --delete`)).toContain('new version')
  },
  matchRow: async () => {
    const command = `${await batch('files.csv', 'key,title,files\nm,One,a.csv\n')} --update`
    const [row = ''] = (await follow(command)).split('\n')
    const id = row.split('\t')[2] ?? ''
    await write('files.csv', 'key,title,files\nm,One,b.csv\n')
    const hint = advice.matchRow(id, ['a.csv'])
    expect((await run(command)).stdout).toContain(`next: ${hint}`)
    await follow(commandsIn(hint)[0])
    expect(await follow(command)).toContain('updated')
    await write('files.csv', 'key,title,files\nm,One,a.csv\n')
    expect((await run(command)).stdout).toContain(`next: ${advice.matchRow(id, ['b.csv'])}`)
    expect(await follow(`${command} --delete`)).toContain('updated')
    expect(await follow(`deposit files ${id}`)).toMatch(/^a\.csv\t[^\n]*\n$/)
  },
  giveDelete: async () => {
    const made = await batch('version.csv', 'key,title,files\nn,One,a.csv\n')
    const command = `${made} --publish --update`
    await follow(command)
    await write('version.csv', 'key,title,files\nn,One,b.csv\n')
    const rehearsed = await run(`${command} --dry-run`)
    expect(rehearsed.stdout).toContain(`next: ${advice.giveDelete()}`)
    expect(await follow(`${command} --delete`)).toContain('new version')
  },
  nameReport: async () => {
    const command = `${await batch('reported.csv', 'title\nreported\n')} --report`
    await correct(`${command} reported.csv`, advice.nameReport(), `${command} done.csv`)
  },
  useOtherJournal: async () => {
    const command = `${await batch('other.csv', 'title\na\n')} --resume`
    const made = { row: 'r', key: 'k', id: '0'.repeat(32), content: '' }
    await write('other.journal', JSON.stringify(made))
    await correct(`${command} other.journal`, advice.useOtherJournal(), `${command} new.journal`)
  },
  moveJournal: async () => {
    const command = `${await batch('moved.csv', 'title\na\n')} --resume`
    const stderr = await refuse(`${command} none/a.journal`, advice.moveJournal())
    const place = pathTo('none/a.journal')
    expect(stderr).toContain(`there is no such folder: ${place}; nothing was sent\n`)
    await follow(`${command} a.journal`)
    if (!canMount()) return
    await using closed = await readOnlyView(pathTo('data'))
    const refused = await refuse(`${command} ${closed.path}/a.journal`, advice.moveJournal())
    expect(refused).toContain('the disk is read-only: ')
  },
  resumeRenamed: async () => {
    await follow(await batch('before.csv', 'title\nrenamed later\n'))
    const command = await batch('after.csv', 'title\nrenamed later\n')
    const hint = advice.resumeRenamed('before.csv.journal', 'after.csv.journal')
    await refuse(command, hint)
    const [, known = '', fresh = ''] = /--resume (\S+);.*--resume (\S+)/.exec(hint) ?? []
    expect(await follow(`${command} --resume ${known}`)).toContain('already done')
    expect(await follow(`${command} --resume ${fresh}`)).toContain('\tdraft\t')
  },
  inTurn: async () => {
    const command = `${await batch('edit.csv', 'key,title\nk,Old\n')} --publish`
    const [row = ''] = (await follow(command)).split('\n')
    const id = row.split('\t')[2] ?? ''
    await follow(`deposit edit ${id}`)
    await write('edit.csv', 'key,title\nk,New\n')
    const hint = advice.inTurn(advice.takeActions(id, ['publish', 'discard']), advice.runAgain())
    expect((await run(`${command} --update`)).stdout).toContain(`next: ${hint}`)
    await follow(commandsIn(hint)[1])
    expect(await follow(`${command} --update`)).toContain('updated')
  },
  finishAfter: async () => {
    await using proxy = await cuttingProxy(daemon.origin)
    const through = { environment: { DEPOSIT_URL: proxy.url } }
    const command = `${await batch('lost.csv', 'key,title\nk,Old\n')} --update`
    await follow(command, through)
    await write('lost.csv', 'key,title\nk,New\n')
    proxy.cut(/^PUT/, 1)
    const hint = advice.finishAfter(advice.runAgainOnceBack(), command)
    expect(hint).toContain(`run \`${command}\` once the server answers`)
    await refuse(command, hint, through)
    expect(await follow(commandsIn(hint)[0], through)).toContain('updated')
  },
  finishBatch: async () => {
    const command = await batch('rest.csv', 'title\nb\n')
    const { authorization = '' } = await ada.authorization()
    const { stderr } = await runCli(command.split(' ').slice(1), {
      environment: {
        DEPOSIT_URL: daemon.origin,
        DEPOSIT_TOKEN: authorization.replace('Bearer ', ''),
      },
      folder: pathTo('.'),
      signal: AbortSignal.abort(),
    })
    expect(stderr).toContain(`next: ${advice.finishBatch(command)}`)
    await follow(commandsIn(advice.finishBatch(command))[0])
  },
}
