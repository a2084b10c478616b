import { cp, mkdir, readFile, rm } from 'node:fs/promises'
import { expect } from 'vitest'
import { advice, type Advice } from '../../../cli/advice.ts'
import { bagOf } from '../../support/bag.ts'
import { runCli } from '../../support/run-cli.ts'
import { zipOfFiles } from '../../support/zip.ts'
import { at, atHome, commandsIn, daemon, follow, pathTo, refuse, run, write } from './rig.ts'

/** A folder with a file and metadata. */
async function folderOf(name: string): Promise<string> {
  await mkdir(pathTo(name))
  await write(`${name}/a.csv`, '1')
  await write(`${name}/metadata.yaml`, `title: ${name}\n`)
  return name
}

/** A folder that knows its deposit, and the id of the deposit. */
export async function knownFolder(name: string, ...options: readonly string[]): Promise<string> {
  const words = ['deposit', 'create', await folderOf(name), '--json', 'id', ...options]
  const { id } = JSON.parse(await follow(words.join(' '))) as { readonly id: string }
  return id
}

/** Edits the server that a folder knows. */
async function replaceServer(name: string, from: string, to: string): Promise<void> {
  const file = `${name}/.deposit.json`
  const text = await readFile(pathTo(file), 'utf8')
  expect(text).toContain(`"${from}"`)
  await write(file, text.replace(`"${from}"`, `"${to}"`))
}

const inFolder = (name: string) => ({ ...atHome(), folder: pathTo(name) })

/** The output of `deposit` alone in a folder. */
async function alone(name: string): Promise<string> {
  const { status, stdout, stderr } = await runCli([], inFolder(name))
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

/** Follows a hint in a folder; returns the output of its last command. */
async function followWithin(name: string, hint: Advice): Promise<string> {
  let last = ''
  for (const command of commandsIn(hint)) last = await follow(command, { within: name })
  return last
}

/** The id of a deposit that does not exist. */
const unknownId = 'f'.repeat(32)

/** Hints about a folder and its deposit. */
export const ofFolders = {
  goToData: async () => {
    await mkdir(pathTo('empty'))
    expect(await alone('empty')).toContain(`This folder is empty\nNext: ${advice.goToData()}\n`)
    await mkdir(pathTo('with-data'))
    await write('with-data/a.csv', '1')
    const [init = ''] = commandsIn(advice.goToData())
    const { status } = await runCli([...init.split(' ').slice(1), '--yes'], inFolder('with-data'))
    expect(status).toBe(0)
    expect(await alone('with-data')).toContain(`\nNext: ${advice.createOf('.')}\n`)
  },
  seeFolder: async () => {
    const id = await knownFolder('looked-at')
    expect(await alone('looked-at')).toContain(
      `This folder knows the deposit ${id}\nNext: ${advice.seeFolder()}\n`,
    )
    expect(await followWithin('looked-at', advice.seeFolder())).toContain(id)
  },
  seeAndRelease: async () => {
    await folderOf('complete')
    const hint = advice.seeAndRelease()
    expect(await alone('complete')).toContain(`\nThen: ${hint}\n`)
    expect(await followWithin('complete', hint)).toContain('/records/')
  },
  releaseFolder: async () => {
    await knownFolder('kept-at')
    const hint = advice.releaseFolder()
    expect(await alone('kept-at')).toContain(`\nThen: ${hint}\n`)
    const first = await followWithin('kept-at', hint)
    await write('kept-at/b.csv', '2')
    expect(await followWithin('kept-at', hint)).not.toBe(first)
  },
  restoreMemory: async () => {
    const record = (await follow(`deposit release ${await folderOf('damaged')} --yes`)).trim()
    const file = 'damaged/.deposit.json'
    await write(file, '{"server')
    await write('damaged/new.csv', '2')
    const hint = advice.restoreMemory('damaged', file)
    await refuse('deposit status damaged', hint)
    await refuse('deposit release damaged', hint)
    const [release = '', list = ''] = commandsIn(hint)
    expect(await follow(list)).toContain('damaged')
    const next = (await follow(release.replace('RECORD', record))).trim()
    expect(next).not.toBe(record)
    expect(await follow('deposit status damaged')).toContain(next)
  },
  replaceDraft: async () => {
    await follow(`deposit release ${await folderOf('ours')} --yes`)
    await cp(pathTo('ours'), pathTo('theirs'), { recursive: true })
    await write('theirs/new.csv', '2')
    const draft = (await follow('deposit newversion theirs/ --quiet')).trim()
    await follow('deposit sync theirs')
    await write('ours/other.csv', '3')
    const hint = advice.replaceDraft('ours', draft)
    await refuse('deposit release ours', hint)
    const [diff = '', release = ''] = commandsIn(hint)
    expect(await follow(diff)).toContain('new.csv')
    expect(await follow(release)).toContain('/records/')
  },
  overtake: async () => {
    await follow(`deposit release ${await folderOf('first')} --yes`)
    await cp(pathTo('first'), pathTo('second'), { recursive: true })
    await write('first/new.csv', '2')
    const record = (await follow('deposit release first --yes')).trim()
    await write('second/other.csv', '3')
    const hint = advice.overtake('second', record)
    await refuse('deposit release second', hint)
    expect(await follow(commandsIn(hint)[0])).toContain('/records/')
  },
  awaitReview: async () => {
    const id = await knownFolder('awaited')
    await follow('deposit submit awaited/')
    const hint = advice.awaitReview(id)
    expect(await follow('deposit status awaited')).toContain(`\nNext: ${hint}\n`)
    await follow(commandsIn(hint)[0])
  },
  changeOrDelete: async () => {
    await follow(`deposit release ${await folderOf('same')} --yes`)
    const id = (await follow('deposit newversion same/ --quiet')).trim()
    const hint = advice.changeOrDelete(id)
    expect(await follow('deposit status same')).toContain(`\nNext: ${hint}\n`)
    await follow(`${commandsIn(hint)[0]} --yes`)
  },
  beginWith: async () => {
    await mkdir(pathTo('begun'))
    await write('begun/a.csv', '1')
    expect(await alone('begun')).toContain(`\nNext: ${advice.beginWith('.')}\n`)
    const hint = advice.beginWith('begun')
    expect(await follow('deposit status begun')).toContain(`\nNext: ${hint}\n`)
    await follow(`${commandsIn(hint)[0]} --yes`)
  },
  syncFolder: async () => {
    const id = await knownFolder('synced')
    await write('synced/b.csv', '2')
    const hint = advice.syncFolder('synced', false)
    expect(await follow('deposit status synced')).toContain(`\nNext: ${hint}\n`)
    await follow(commandsIn(hint)[0])
    expect(await follow(`deposit files ${id}`)).toContain('b.csv')
    await rm(pathTo('synced/b.csv'))
    const toDelete = advice.syncFolder('synced', true)
    expect(await follow('deposit status synced')).toContain(`\nNext: ${toDelete}\n`)
    await follow(commandsIn(toDelete)[0])
    expect(await follow('deposit status synced')).toContain(
      `\nNext: ${advice.publishOf('synced')}\n`,
    )
  },
  syncAndPublish: async () => {
    const id = await knownFolder('changed')
    await write('changed/b.csv', '2')
    const hint = advice.syncAndPublish('changed', false, id)
    await refuse('deposit publish ./changed', hint)
    const [sync, publish, asItIs] = commandsIn(hint)
    await follow(sync)
    await rm(pathTo('changed/b.csv'))
    const toDelete = advice.syncAndPublish('changed', true, id)
    await refuse('deposit publish ./changed', toDelete)
    await follow(commandsIn(toDelete)[0])
    await follow(publish)
    expect(await follow(`deposit files ${id}`)).not.toContain('b.csv')
    const other = await knownFolder('as-it-is')
    await write('as-it-is/b.csv', '2')
    await follow(`${asItIs}`.replace(id, other))
    expect(await follow(`deposit show ${other}`)).toContain('published')
  },
  publishOf: async () => {
    const id = await knownFolder('ready')
    const hint = advice.publishOf('ready')
    expect(await follow('deposit status ready')).toContain(`\nNext: ${hint}\n`)
    await follow(commandsIn(hint)[0])
    expect(await follow(`deposit show ${id}`)).toContain('published')
    expect(await follow('deposit status ready')).toContain('\nNothing to do\n')
  },
  finishVersion: async () => {
    const id = await knownFolder('standing', '--publish')
    const draft = (await follow('deposit newversion standing')).trim()
    expect(draft).not.toBe(id)
    const hint = advice.finishVersion('standing')
    const again = await run('deposit newversion standing')
    expect(again.stdout.trim()).toBe(draft)
    expect(again.stderr).toContain(`${draft} is the next version already; ${hint}`)
    await write('standing/b.csv', '2')
    const [sync, publish] = commandsIn(hint)
    await follow(sync)
    await follow(publish)
    expect(await follow(`deposit files ${draft}`)).toContain('b.csv')
  },
  finishDraft: async () => {
    const id = await knownFolder('named-whole', '--publish')
    const draft = (await follow(`deposit newversion ${id}`)).trim()
    const hint = advice.finishDraft(draft)
    const again = await run(`deposit newversion ${draft}`)
    expect(again.stdout.trim()).toBe(draft)
    expect(again.stderr).toContain(`${draft} is the next version already; ${hint}`)
    await write('b.csv', '2')
    const [upload, publish] = commandsIn(hint)
    await follow(`${upload}`.replace('FILE', 'b.csv'))
    await follow(publish)
  },
  nextVersion: async () => {
    const id = await knownFolder('versions', '--publish')
    await write('versions/b.csv', '2')
    const hint = advice.nextVersion('versions')
    expect(await follow('deposit status versions')).toContain(`\nNext: ${hint}\n`)
    await refuse('deposit create versions --publish', hint)
    await refuse('deposit sync versions', hint)
    const [release, newversion, sync, create] = commandsIn(hint)
    const second = (await follow(release)).trim()
    expect(await follow(`deposit files ${second}`)).toContain('b.csv')
    await write('versions/c.csv', '3')
    const draft = (await follow(newversion)).trim()
    expect(draft).not.toBe(id)
    await follow(sync)
    expect(await follow(`deposit files ${draft}`)).toContain('c.csv')
    expect([id, draft]).not.toContain((await follow(create)).trim())
  },
  correctRecord: async () => {
    const id = await knownFolder('misspelt', '--publish')
    await write('misspelt/metadata.yaml', 'title: Spelt right\n')
    const hint = advice.correctRecord('misspelt')
    expect(await follow('deposit status misspelt')).toContain(`\nNext: ${hint}\n`)
    await refuse('deposit sync misspelt', hint)
    const [edit, sync, publish, release] = commandsIn(hint)
    for (const command of [edit, sync, publish]) await follow(command)
    expect(await follow(`deposit show ${id}`)).toContain('Spelt right')
    expect(await follow('deposit status misspelt')).toContain('\nNothing to do\n')
    await write('misspelt/metadata.yaml', 'title: Spelt well\n')
    expect((await follow(release)).trim()).not.toBe(id)
  },
  getAgain: async () => {
    await folderOf('bad-bag')
    await write('bad-bag/bagit.txt', '')
    const hint = advice.getAgain('bad-bag')
    await refuse('deposit create bad-bag', hint)
    await follow(commandsIn(hint)[0])
    await rm(pathTo('bad-bag/bagit.txt'))
    await follow('deposit create bad-bag')
  },
  anotherDeposit: async () => {
    await write('again.zip', zipOfFiles(bagOf({ 'a.csv': '1', 'metadata.yaml': 'title: x\n' })))
    await follow('deposit create again.zip --publish')
    await refuse('deposit create again.zip --title y', advice.anotherDeposit('again.zip'))
    await follow('deposit create again.zip --new')
  },
  uploadWhole: async () => {
    const id = (await follow('deposit create --title Whole')).trim()
    const hint = advice.uploadWhole(id, 'a.csv')
    await refuse(`deposit upload ${id} a.csv --unpack`, hint)
    await follow(commandsIn(hint)[0])
  },
  nameObjectFolder: async () => {
    const made = await follow('deposit create data --title Object --publish --yes --json id')
    const { id } = JSON.parse(made) as { readonly id: string }
    await refuse(`deposit export ${id} --as ocfl`, advice.nameObjectFolder())
    await follow(`deposit export ${id} --as ocfl --output object`)
    expect(await follow('deposit verify object')).toBe('')
  },
  nameEmptyFolder: async () => {
    const make = 'deposit create data --new --no-remember --title Bag --publish --yes --json id'
    const idOf = (made: string): string => (JSON.parse(made) as { readonly id: string }).id
    const id = idOf(await follow(make))
    await follow(`deposit export ${id} --as bagit --output bagged`)
    await write('bagged/data/other.csv', '3')
    await refuse(`deposit export ${id} --as bagit --output bagged`, advice.nameEmptyFolder())
    await follow(`deposit export ${id} --as bagit --output bagged-again`)
  },
  nameRecord: async () => {
    const id = (await follow('deposit create --title Copied')).trim()
    await follow(`deposit upload ${id} data/a.csv --name a.csv`)
    await follow(`deposit download ${id} --output copy`)
    const hint = advice.nameRecord('copy')
    await refuse('deposit verify copy', hint)
    await follow(commandsIn(hint)[0]?.replace('ID', id))
  },
  nameFilesThere: async () => {
    const id = await knownFolder('named-there')
    const there = { within: 'named-there' }
    for (const key of ['b.csv', 'c d.csv']) await write(`named-there/${key}`, '2')
    await follow('deposit upload . b.csv "c d.csv" --quiet', there)
    for (const [command, words, ...names] of [
      ['cat', 'b.csv', 'b.csv'],
      ['rm', 'b.csv', 'b.csv'],
      ['restore', 'b.csv', 'b.csv'],
      ['upload', 'b.csv', 'b.csv'],
      ['upload', '"c d.csv" b.csv', 'c d.csv', 'b.csv'],
      ['cat', '"c d.csv" b.csv', 'c d.csv', 'b.csv'],
      ['rm', '"c d.csv" b.csv', 'c d.csv', 'b.csv'],
      ['restore', '"c d.csv"', 'c d.csv'],
    ] as const) {
      const hint = advice.nameFilesThere(command, names)
      await refuse(`deposit ${command} ${words}`, hint, there)
      await follow(commandsIn(hint)[0], there)
    }
    expect(await follow('deposit files . --quiet', there)).not.toBe('')
    // Names that begin like an option.
    await write('named-there/-dash.txt', '3')
    for (const command of ['upload', 'cat', 'rm', 'restore'] as const) {
      const hint = advice.nameFilesThere(command, ['-dash.txt'])
      await refuse(`deposit ${command} -- -dash.txt`, hint, there)
      await follow(commandsIn(hint)[0], there)
    }
    for (const [hint, NAME = ''] of [
      [advice.seeVersions(id, '-dash.txt')],
      [advice.giveOtherName(id, '-dash.txt'), '-other.txt'],
      [advice.sendAgain(id, '-other.txt')],
      [advice.restoreAs(id, '-other.txt'), '-again.txt'],
      [advice.matchRow(id, ['-again.txt'])],
    ] as const)
      await follow(commandsIn(hint, { NAME })[0], there)
  },
  continueFolder: async () => {
    const id = await knownFolder('begun-here')
    const here = { within: 'begun-here', isTyped: true } as const
    const { status, stderr } = await run('deposit create', here)
    expect(status).toBe(0)
    const hint = advice.continueFolder()
    expect(stderr).toContain(`The folder has the deposit ${id} already, as .deposit.json says;`)
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(hint)
    expect(await follow(commandsIn(hint)[0], here)).toBe(`${id}\n`)
    expect((await run('deposit create --new', here)).stderr).not.toContain('already')
  },
  nameDeposit: async () => {
    const dir = await folderOf('unknown')
    const hint = advice.nameDeposit(dir)
    await refuse('deposit sync unknown', hint)
    await refuse('deposit diff unknown', hint)
    const id = (await follow(commandsIn(hint)[0])).trim()
    expect(await follow('deposit sync unknown')).toBe('')
    expect(await follow(`deposit diff unknown ${id}`)).toBe('')
  },
  returnToServer: async () => {
    await knownFolder('abroad')
    const nowhere = 'http://127.0.0.1:1'
    const hint = advice.returnToServer(daemon.origin, 'abroad/.deposit.json', nowhere)
    await refuse('deposit sync abroad', hint, at(nowhere))
    await follow('deposit sync abroad')
    // The service was at another address when the folder got its deposit.
    const old = 'https://deposit.example.org'
    await replaceServer('abroad', daemon.origin, old)
    const moved = advice.returnToServer(old, 'abroad/.deposit.json', daemon.origin)
    await refuse('deposit sync abroad', moved)
    const [, to = '', from = ''] = /write "(.+?)" in place of "(.+?)"/.exec(moved) ?? []
    await replaceServer('abroad', from, to)
    expect(await follow('deposit sync abroad')).toBe('')
    const local = await folderOf('at-home')
    await follow(`deposit create ${local}`, atHome())
    const toLocal = advice.returnToServer('local', 'at-home/.deposit.json', daemon.origin)
    await refuse('deposit diff at-home', toLocal)
    await follow('deposit diff at-home', atHome())
    await rm(pathTo('at-home/.deposit.json'))
    await follow('deposit create at-home')
  },
  forgetDeposit: async () => {
    const id = await knownFolder('gone')
    const hint = advice.forgetDeposit('gone', 'gone/.deposit.json')
    await follow(`deposit delete ${id} --yes`)
    const deleted = await refuse('deposit create gone', hint)
    expect(deleted).toContain('it was deleted (deposit_deleted, request ')
    await follow(commandsIn(hint)[0])
    expect(await follow('deposit sync gone')).toBe('')
    await write('gone/.deposit.json', JSON.stringify({ server: daemon.origin, id: unknownId }))
    await refuse('deposit sync gone', hint)
    const { id: others } = await daemon.as('grace').createDraft()
    await write('gone/.deposit.json', JSON.stringify({ server: daemon.origin, id: others }))
    await refuse('deposit status gone', hint)
    await follow('deposit create gone --new')
    await follow('deposit open ./gone')
  },
}
