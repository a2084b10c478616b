import { chmod, chown, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { advice, type Advice } from '../../../cli/advice.ts'
import { unless } from '../../faults/obstacle.ts'
import { bagOf } from '../../support/bag.ts'
import { startOther } from '../../support/other-daemon.ts'
import { noSetTime, setTime } from '../../support/set-time.ts'
import { canMount, smallDisk } from '../../support/small-disk.ts'
import { answerJson, strangeServer } from '../../support/strange-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { zipOfFiles } from '../../support/zip.ts'
import {
  ada,
  atHome,
  batch,
  commandsIn,
  daemon,
  follow,
  followInShell,
  mostListed,
  pathTo,
  refuse,
  run,
  runApart,
  write,
} from './rig.ts'

const local = (DEPOSIT_HOME: string) => ({
  environment: { DEPOSIT_HOME, DEPOSIT_URL: undefined, DEPOSIT_TOKEN: undefined },
})

type Asked = NonNullable<Parameters<typeof run>[1]>

interface Diagnosed {
  readonly what: string
  readonly fix?: string
}

/** `deposit doctor` names this fix for the fault. */
async function diagnose(what: string, fix: Advice, asked: Asked): Promise<void> {
  const { status, stdout } = await run('deposit doctor --json', asked)
  expect(status).toBe(1)
  const found = JSON.parse(stdout) as readonly Diagnosed[]
  expect(found.filter((one) => one.what === what)).toMatchObject([{ fix }])
}

/** The record of a deposit of Ada's, corrected by a curator. */
async function corrected(): Promise<string> {
  const { id, links } = await ada.createPublished()
  const curator = daemon.as('curator', { admin: true })
  await curator.put(links['record'] ?? '', { title: 'Corrected' })
  return id
}

/** Runs a command with its standard output in a file on a full disk. */
const intoFullDisk = ['sh', '-c', 'exec "$@" > /dev/full', 'sh']

/** Advice in the results of `deposit doctor`, and in the notes of other commands. */
export const ofTold = {
  useOwnHome: async () => {
    await diagnose('home', advice.useOwnHome(), local(pathTo('a.csv')))
    await using foreign = await temporaryFolder()
    const isRoot = process.getuid?.() === 0
    if (isRoot) await chown(foreign.path, 65_534, 65_534)
    await diagnose('home', advice.useOwnHome(), local(isRoot ? foreign.path : '/'))
    await follow('deposit doctor', atHome())
    const environment = { DEPOSIT_HOME: pathTo('a.csv'), DEPOSIT_URL: undefined }
    const { status, stderr } = await run('deposit list', { environment })
    expect(status).toBe(6)
    expect(stderr).toContain(`a file is in the place of a folder: ${pathTo('a.csv')}; nothing`)
    expect(stderr).toContain(`next: ${advice.useOwnHome()}\n`)
  },
  closeHome: async () => {
    await using home = await temporaryFolder()
    await chmod(home.path, 0o755)
    const hint = advice.closeHome(home.path)
    await diagnose('home', hint, local(home.path))
    followInShell(commandsIn(hint)[0])
    await follow('deposit doctor', local(home.path))
  },
  makeRoomThere: async () => {
    if (!canMount()) return
    await using disk = await smallDisk('64k')
    const { id } = await ada.createDraftWith('a.csv')
    const download = `deposit download ${id} --output ${disk.path}/out`
    const batched = `${await batch('full.csv', 'title\na\n')} --resume ${disk.path}/a.journal`
    const filler = join(disk.path, 'filler')
    await expect(writeFile(filler, Buffer.alloc(100_000))).rejects.toThrow('ENOSPC')
    const stderr = await refuse(download, advice.makeRoomThere())
    expect(stderr).toContain(`the disk is full: ${disk.path}/out; all that has arrived is kept\n`)
    expect(await refuse(batched, advice.makeRoomThere())).toContain('nothing was sent\n')
    const piped = await runApart(`deposit download ${id} --output -`, {}, intoFullDisk)
    expect(piped.status).toBe(1)
    expect(piped.stderr).toBe(
      'deposit: could not download a.csv\n' +
        '  the disk is full: standard output; the file is not complete there\n' +
        `  next: ${advice.makeRoomThere()}\n`,
    )
    expect(await readdir(disk.path)).toEqual(['filler', 'out'])
    await rm(filler)
    await follow(download)
    await follow(batched)
  },
  useOtherTemp: async () => {
    if (!canMount()) return
    await using disk = await smallDisk('64k')
    await using other = await temporaryFolder()
    const { id } = await ada.createDraftWith('z.csv')
    await write('packed.zip', zipOfFiles(bagOf({ 'packed.csv': 'x'.repeat(90) })))
    const filler = join(disk.path, 'filler')
    await expect(writeFile(filler, Buffer.alloc(100_000))).rejects.toThrow('ENOSPC')
    const upload = `deposit upload ${id} packed.zip --unpack`
    const { status, stderr } = await runApart(upload, { TMPDIR: disk.path })
    expect(status).toBe(1)
    expect(stderr).toContain(`could not unpack packed.csv\n  the disk is full: ${disk.path}/`)
    expect(stderr).toContain(`next: ${advice.useOtherTemp()}\n`)
    expect(await readdir(disk.path)).toEqual(['filler'])
    expect(await runApart(upload, { TMPDIR: other.path })).toMatchObject({ status: 0 })
  },
  seeResult: async () => {
    const title = 'Made though not told'
    const create = `deposit create --title "${title}" --quiet`
    const { status, stderr } = await runApart(create, {}, intoFullDisk)
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'deposit: could not write the result\n' +
        '  the disk is full: standard output; the command itself has ended\n' +
        `  next: ${advice.seeResult()}\n`,
    })
    expect(await follow(commandsIn(advice.seeResult())[0])).toContain(title)
  },
  makeRoom: async () => {
    if (!canMount()) return
    await using disk = await smallDisk('1m')
    await diagnose('disk', advice.makeRoom(), local(disk.path))
    await follow('deposit doctor', atHome())
  },
  replaceDaemon: async () => {
    await using home = await temporaryFolder()
    await chmod(home.path, 0o700)
    const asked = local(home.path)
    using newer = await startOther(home.path, '99.0.0')
    const hint = advice.replaceDaemon()
    await diagnose('daemon', hint, asked)
    await follow(commandsIn(hint)[0], asked)
    await newer.ended
    try {
      await follow('deposit list', asked)
      await follow('deposit doctor', asked)
    } finally {
      await run('deposit daemon stop', asked)
    }
  },
  checkService: async () => {
    await using other = await strangeServer((_, response) => answerJson(response, {}))
    const environment = { DEPOSIT_URL: other.url, DEPOSIT_TOKEN: 't' }
    await diagnose('server', advice.checkService(), { environment })
    await follow('deposit doctor')
  },
  setClock: async () => {
    if (unless('a clock that is wrong', noSetTime)) return
    await using time = await setTime()
    const clock = async (): Promise<unknown> => {
      const { stdout } = await runApart('deposit doctor --json', time.env)
      return (JSON.parse(stdout) as readonly Diagnosed[]).find(({ what }) => what === 'clock')
    }
    await time.setAhead(3600)
    expect(await clock()).toMatchObject({ fix: advice.setClock() })
    await time.setAhead(0)
    expect(await clock()).not.toHaveProperty('fix')
  },
  takeCorrection: async () => {
    const id = await corrected()
    const hint = advice.takeCorrection(id)
    expect(await follow(`deposit show ${id}`)).toContain(hint)
    await follow(commandsIn(hint)[0])
    expect(await follow(`deposit show ${id}`)).toContain('Corrected')
  },
  mergeCorrection: async () => {
    const { id, links } = await ada.createPublished()
    await follow(`deposit edit ${id}`)
    const curator = daemon.as('curator', { admin: true })
    await curator.put(links['record'] ?? '', { title: 'Corrected' })
    const hint = advice.mergeCorrection(id)
    expect(await follow(`deposit show ${id}`)).toContain(hint)
    await follow(commandsIn(hint)[0])
    const merged = await follow(`deposit show ${id}`)
    expect(merged).toContain('Corrected')
    expect(merged).not.toContain('Correction:')
  },
  openSignedIn: async () => {
    const id = (await follow('deposit create --quiet', atHome())).trim()
    const hint = advice.openSignedIn(id)
    expect((await run(`deposit open ${id}`, atHome())).stderr).toBe(`${hint}\n`)
    const link = (await follow(commandsIn(hint)[0], atHome())).trim()
    const answer = await fetch(link, { redirect: 'manual' })
    expect(answer.status).toBeLessThan(400)
  },
  updateRow: async () => {
    await write('changed.csv', 'key,title\nk,One\n')
    await follow('deposit batch changed.csv')
    await write('changed.csv', 'key,title\nk,Two\n')
    for (const more of ['', ' --dry-run']) {
      const { status, stdout } = await run(`deposit batch changed.csv${more}`)
      expect(status).toBe(7)
      expect(stdout).toContain(advice.updateRow())
    }
    expect(await follow('deposit batch changed.csv --update')).toContain('updated')
  },
  showAll: async () => {
    for (let made = 0; made < 11; made += 1) await ada.createDraft({ title: 'Elevenfold' })
    const { stdout, stderr } = await run('deposit list elevenfold --quiet')
    expect(stdout.trim().split('\n')).toHaveLength(10)
    expect(stderr).toBe('')
    expect((await run('deposit list elevenfold')).stderr).toContain(`; ${advice.showAll()}\n`)
    expect((await follow('deposit list elevenfold --quiet --all')).trim().split('\n')).toHaveLength(
      11,
    )
  },
  narrowSearch: async () => {
    const rows = Array.from({ length: mostListed }, () => 'Wide').join('\n')
    const made = await batch('wide.csv', `title\nNarrow\n${rows}\n`)
    await follow(`${made} --endpoint lab --quiet`)
    const all = await run('deposit list --all --endpoint lab')
    expect(all.stderr).toContain(`; ${advice.narrowSearch()}\n`)
    const narrowed = await run('deposit list narrow --all --endpoint lab')
    expect(narrowed).toMatchObject({ status: 0, stderr: '' })
    expect(narrowed.stdout).toContain('Narrow')
  },
}
