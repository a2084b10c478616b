import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { advice } from '../../../cli/advice.ts'
import { answerJson, strangeServer } from '../../support/strange-server.ts'
import {
  ada,
  at,
  batch,
  changingProxy,
  proxyOf,
  commandsIn,
  correct,
  daemon,
  draft,
  follow,
  followInShell,
  pathTo,
  published,
  refuse,
  run,
  runUnprivileged,
  write,
} from './rig.ts'

/** Hints for files and folders. */
export const ofFiles = {
  correctInput: async () => {
    await write('bad.yaml', 'title: Tide: the sequel\n')
    const create = 'deposit create --metadata'
    await correct(`${create} bad.yaml`, advice.correctInput(), `${create} no-schema.yaml`)
    await write('bad.csv', 'title,keywords:\nx,[\n')
    await refuse('deposit batch bad.csv', advice.correctInput())
    await follow(await batch('bad.csv', 'title,keywords:\nx,[]\n'))
  },
  saveAsUtf8: async () => {
    await write('latin.yaml', Buffer.from('title: Süd\n', 'latin1'))
    const create = 'deposit create --metadata latin.yaml'
    await refuse(create, advice.saveAsUtf8())
    await write('latin.yaml', 'title: Süd\n')
    await follow(create)
  },
  changeFolder: () => {
    const path = fileURLToPath(new URL('../../../cli/bin.mjs', import.meta.url))
    const help = `"${process.execPath}" "${path}" list --help 2>&1`
    const said = followInShell(`mkdir gone && cd gone && rmdir ../gone && ${help}; true`)
    expect(said).toContain(`next: ${advice.changeFolder()}\n`)
    expect(followInShell(help)).toContain('deposit list')
    return Promise.resolve()
  },
  saveTableAsUtf8: async () => {
    await write('latin.csv', Buffer.from('title\nSüd\n', 'latin1'))
    await refuse('deposit batch latin.csv', advice.saveTableAsUtf8())
    await write('latin.csv', 'title\nSüd\n')
    await follow('deposit batch latin.csv')
  },
  checkPath: async () => {
    const upload = `deposit upload ${await draft()}`
    await correct(`${upload} none.csv`, advice.checkPath(), `${upload} a.csv`)
  },
  takeAsIs: async () => {
    const hint = advice.takeAsIs('a.csv')
    await refuse('deposit create a.csv', hint)
    await follow(commandsIn(hint)[0])
  },
  keepOneMetadata: async () => {
    await mkdir(pathTo('two'))
    await write('two/metadata.yaml', 'title: One\n')
    await write('two/metadata.json', '{"title":"Two"}')
    await refuse('deposit create two', advice.keepOneMetadata())
    await follow('deposit create two --metadata two/metadata.json')
    await rm(pathTo('two/metadata.json'))
    await follow('deposit create two')
  },
  correctWarnings: async () => {
    const create = 'deposit create --metadata no-schema.yaml --publish --strict'
    const hint = advice.correctWarnings()
    await correct(create, hint, create.replace(' --strict', ''))
    await correct(create, hint, create.replace('no-schema', 'whole'))
    const publish = `deposit publish ${await draft()} --strict`
    await correct(publish, hint, publish.replace(' --strict', ''))
  },
  confirmDeletion: async () => {
    const id = await draft()
    const hint = advice.confirmDeletion(`deposit delete ${id} --keep --yes`)
    await refuse(`deposit delete ${id} --keep`, hint)
    await follow(commandsIn(hint)[0])
  },
  confirmWithdrawal: async () => {
    const { id } = await published()
    const hint = advice.confirmWithdrawal(`deposit withdraw ${id} --reason test --yes`)
    await refuse(`deposit withdraw ${id} --reason test`, hint)
    await follow(commandsIn(hint)[0])
  },
  answerYes: async () => {
    const command = `deposit delete ${await draft()}`
    await refuse(command, advice.answerYes(), { isTyped: true })
    await follow(command, { stdin: 'y\n', isTyped: true })
  },
  askNothing: async () => {
    await mkdir(pathTo('silent'))
    await correct('deposit init silent', advice.askNothing(), 'deposit init silent --yes')
  },
  checkFolder: async () => {
    const hint = advice.checkFolder('data')
    await refuse('deposit init data --yes', hint)
    await follow(commandsIn(hint)[0])
  },
  fillIn: async () => {
    await mkdir(pathTo('to fill'))
    const hint = advice.fillIn('to fill')
    expect((await run("deposit init 'to fill' --yes")).stderr).toContain(`next: ${hint}\n`)
    const text = await readFile(pathTo('to fill/metadata.yaml'), 'utf8')
    const filled = text.replace('license: ""', 'license: MIT').replaceAll('""', 'Tides')
    await write('to fill/metadata.yaml', filled)
    await follow(commandsIn(hint)[0])
  },
  createOf: async () => {
    await mkdir(pathTo('cited'))
    const person = '{family-names: Lovelace, given-names: Ada}'
    await write(
      'cited/CITATION.cff',
      `title: Tides\nabstract: x\nlicense: MIT\nauthors: [${person}]\n`,
    )
    const hint = advice.createOf('cited')
    expect((await run('deposit init cited --yes')).stderr).toContain(`next: ${hint}\n`)
    expect(await follow('deposit status cited')).toContain(`\nNext: ${hint}\n`)
    const id = await follow(commandsIn(hint)[0])
    expect(id).toMatch(/^\S+\n$/)
    expect(await follow('deposit status cited --quiet')).toBe(id)
  },
  placeMetadata: async () => {
    await mkdir(pathTo('linked'))
    await symlink(pathTo('no-schema.yaml'), pathTo('linked/metadata.yaml'))
    await refuse('deposit create linked', advice.placeMetadata())
    await follow('deposit create linked --metadata linked/metadata.yaml')
  },
  writeMetadata: async () => {
    const id = await draft()
    const hint = advice.writeMetadata(id)
    const update = `deposit update ${id} --metadata`
    for (const json of ['--json', '--json metadata']) {
      await write('answer.json', await follow(`deposit show ${id} ${json}`))
      await refuse(`${update} answer.json`, hint)
    }
    const [show = ''] = commandsIn(hint)
    const [command, file = ''] = show.split(' > ')
    await write(file, await follow(command))
    await follow(`${update} ${file}`)
  },
  excludeNames: async () => {
    await mkdir(pathTo('links'))
    await symlink(pathTo('a.csv'), pathTo('links/away.csv'))
    await symlink(pathTo('none'), pathTo('links/nothing.csv'))
    await write('links/b.csv', '2')
    await symlink('b.csv', pathTo('links/c.csv'))
    const create = 'deposit create links'
    await refuse(create, advice.excludeNames(['link']))
    await refuse(`${create} --follow-links`, advice.excludeNames(['outside', 'dangling']))
    await follow(`${create} --exclude away.csv --exclude nothing.csv --exclude c.csv`)
    await follow(`${create} --exclude away.csv --exclude nothing.csv --follow-links`)
    await write('links/.depositignore', 'away.csv\nnothing.csv\nc.csv\n')
    await follow(create)
    await rm(pathTo('links/.depositignore'))
    await rm(pathTo('links/away.csv'))
    await writeFile(pathTo('links/away.csv'), '1')
    await rm(pathTo('links/nothing.csv'))
    await follow(`${create} --follow-links`)

    await write('odd/b.csv', '1')
    followInShell('mkfifo odd/pipe')
    await refuse('deposit create odd', advice.excludeNames(['special']))
    await follow('deposit create odd --exclude pipe')
    await rm(pathTo('odd/pipe'))
    await symlink('.', pathTo('odd/loop'))
    await refuse('deposit create odd --follow-links', advice.excludeNames(['circle']))
    await follow('deposit create odd --follow-links --exclude loop')
    await rm(pathTo('odd/loop'))
    const misnamed = Buffer.concat([Buffer.from(pathTo('odd/')), Buffer.of(0xff)])
    await writeFile(misnamed, '1')
    await refuse('deposit create odd', advice.excludeNames(['misnamed']))
    await rename(misnamed, pathTo('odd/c.csv'))
    await follow('deposit create odd')
    await chmod(pathTo('odd/c.csv'), 0)
    const { stderr } = await runUnprivileged('deposit create odd')
    expect(stderr).toContain(`\n  next: ${advice.excludeNames(['unreadable'])}\n`)
    expect(await runUnprivileged('deposit create odd --exclude c.csv')).toMatchObject({ status: 0 })
    await chmod(pathTo('odd/c.csv'), 0o600)
    expect(await runUnprivileged('deposit create odd')).toMatchObject({ status: 0 })
  },
  renameOrExclude: async () => {
    await mkdir(pathTo('names'))
    await write('names/ ', '1')
    await write('names/b.csv', '1')
    await refuse('deposit create names', advice.renameOrExclude())
    await follow("deposit create names --exclude '/\\ '")
    await rename(pathTo('names/ '), pathTo('names/a.csv'))
    await follow('deposit create names')
  },
  renameOrReplaceAll: async () => {
    const { id } = await ada.createDraftWith('a.csv')
    const hint = advice.renameOrReplaceAll(id)
    await refuse(`deposit upload ${id} a.csv`, hint)
    await follow(`deposit upload ${id} a.csv --name c.csv`)
    await follow(commandsIn(hint, { PATH: 'a.csv' })[0])
  },
  sendSettled: async () => {
    await mkdir(pathTo('settling'))
    await write('settling/other.csv', '1')
    const path = 'settling/growing.csv'
    await write(path, '1')
    // It grows between being listed and being sent.
    await using proxy = await proxyOf(() => daemon.origin, {
      before: () => write(path, '22'),
    })
    const grown = { environment: { DEPOSIT_URL: proxy.url } }
    const id = await draft()
    await refuse(`deposit upload ${id} settling`, advice.sendSettled(), grown)
    await follow(`deposit upload ${id} settling`)
    await write(path, '1')
    const said = await run('deposit create settling --no-remember', grown)
    const [, command = ''] = /next: wait until [^`]*`([^`]+)`/.exec(said.stderr) ?? []
    await follow(command)
    expect(await follow(`deposit cat ${command.split(' ')[2]} growing.csv`)).toBe('22')
  },
  sendAgain: async () => {
    await using proxy = await changingProxy(() => daemon.origin)
    const id = await draft()
    const hint = advice.sendAgain(id, 'a.csv')
    const upload = `deposit upload ${id} a.csv`
    await refuse(upload, hint, { environment: { DEPOSIT_URL: proxy.url } })
    await follow(commandsIn(hint)[0])
    await follow(upload)
  },
  catFile: async () => {
    const names = ['ok.txt', 'ok.txt/sub']
    const facts = { filesize: 1, checksum: `sha256:${'0'.repeat(64)}`, links: { self: '/f' } }
    await using server = await strangeServer((_, response) =>
      answerJson(
        response,
        names.map((filename) => ({ id: filename, filename, ...facts })),
      ),
    )
    await refuse('deposit download abc', advice.catFile(), at(server.url))
    const { id } = await ada.createDraftWith('a.csv')
    expect(await follow(commandsIn(advice.catFile(), { ID: id, FILE: 'a.csv' })[0])).toBe('a.csv')
  },
  nameFolder: async () => {
    const { id } = await ada.createDraftWith('a.csv')
    await correct(
      `deposit download ${id} --output b.csv`,
      advice.nameFolder(),
      `deposit download ${id} --output folder`,
    )
    expect(await follow(`deposit download ${id} --output -`)).toBe('a.csv')
  },
  nameFile: async () => {
    const { id } = await ada.createDraftWith('a.csv')
    await correct(
      `deposit export ${id} --output nowhere/a.json`,
      advice.nameFile(),
      `deposit export ${id} --output a.json`,
    )
    expect(await follow(`deposit export ${id} --output -`)).toContain(id)
  },
  nameOneFile: async () => {
    const { id } = await ada.createDraftWith('a.csv', 'b.csv')
    const download = `deposit download ${id}`
    await refuse(`${download} --output -`, advice.nameOneFile())
    await follow(`${download} a.csv --output -`)
    await follow(`${download} --output both`)
  },
  replaceOrElsewhere: async () => {
    const { id } = await ada.createDraftWith('a.csv')
    const download = `deposit download ${id} --output`
    await correct(`${download} .`, advice.replaceOrElsewhere(), `${download} elsewhere-2`)
    await mkdir(pathTo('over'))
    await write('over/a.csv', 'other')
    await follow(`${download} over --replace`)
    expect(await readFile(pathTo('over/a.csv'), 'utf8')).toBe('a.csv')
  },
  moveAway: async () => {
    const { id } = await ada.createDraftWith('sub/a.csv')
    await mkdir(pathTo('way'))
    await symlink(pathTo('data'), pathTo('way/sub'))
    const download = `deposit download ${id} --output`
    await correct(`${download} way`, advice.moveAway(), `${download} way-2`)
    await rename(pathTo('way/sub'), pathTo('moved'))
    await follow(`${download} way`)
  },
  publishFolder: async () => {
    await mkdir(pathTo('again'))
    await write('again/metadata.yaml', 'title: Tides')
    await write('again/a.csv', '1')
    const create = 'deposit create again --publish --idempotency-key k-again'
    const record = await follow(create)
    await write('again/a.csv', '2')
    await write('again/b.csv', '3')
    const { status, stdout, stderr } = await run(create)
    const [, id = ''] = /^Found (\w+), published already$/m.exec(stderr) ?? []
    const hint = advice.publishFolder(id, 'again NEW')
    expect({ status, stdout }).toEqual({ status: 5, stdout: '' })
    expect(stderr).toContain(`without these files: a.csv, b.csv\n  next: ${hint}\n`)
    const NEW = (await follow(commandsIn(hint)[0])).trim()
    const [, sync, publish] = commandsIn(hint, { NEW })
    await follow(sync)
    expect(await follow(publish)).not.toBe(record)
    expect(await follow(`deposit download ${NEW} a.csv --output -`)).toBe('2')
  },
  continueDraft: async () => {
    const { stderr } = await run('deposit create draft-data --publish')
    const [, id = ''] = /Created draft (\w+)/.exec(stderr) ?? []
    const next = stderr.split('\n  next: ')[1]?.trim() ?? ''
    const [, command = ''] = /to continue the draft, run `([^`]+)`/.exec(next) ?? []
    expect(next).toBe(advice.continueDraft(advice.splitFile(), command))
    await write('draft-data/large.csv', 'split')
    const [upload, publish] = command.split(' && ')
    await follow(upload)
    const record = await follow(publish)
    // A second run of the command prints the same record.
    expect(await follow(publish)).toBe(record)
    expect(await follow(`deposit show ${id}`)).toContain('published')
  },
}
