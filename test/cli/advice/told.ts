import { chmod, chown } from 'node:fs/promises'
import { expect } from 'vitest'
import { advice, type Advice } from '../../../cli/advice.ts'
import { startOther } from '../../support/other-daemon.ts'
import { canMount, smallDisk } from '../../support/small-disk.ts'
import { answerJson, strangeServer } from '../../support/strange-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import {
  ada,
  atHome,
  commandsIn,
  daemon,
  follow,
  followInShell,
  pathTo,
  published,
  run,
  write,
} from './rig.ts'

const local = (DEPOSIT_HOME: string) => ({
  environment: { DEPOSIT_HOME, DEPOSIT_URL: undefined, DEPOSIT_TOKEN: undefined },
})

type Asked = NonNullable<Parameters<typeof run>[1]>

/** `deposit doctor` names this fix for what is wrong. */
async function diagnose(what: string, fix: Advice, asked: Asked): Promise<void> {
  const { status, stdout } = await run('deposit doctor --json', asked)
  expect(status).toBe(1)
  const found = JSON.parse(stdout) as readonly { readonly what: string; readonly fix?: string }[]
  expect(found.filter((one) => one.what === what)).toMatchObject([{ fix }])
}

/** A server whose answer to everything has these headers. */
const answering = (headers: Readonly<Record<string, string>>) =>
  strangeServer((_, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    answerJson(response, {})
  })

/** The record of a deposit of Ada's, corrected by a curator. */
async function corrected(): Promise<string> {
  const { id, links } = await ada.createPublished()
  const curator = daemon.as('curator', { admin: true })
  await curator.put(links['record'] ?? '', { title: 'Corrected' })
  return id
}

/** What `deposit doctor` and the narration of other commands advise. */
export const ofTold = {
  useOwnHome: async () => {
    await diagnose('home', advice.useOwnHome(), local(pathTo('a.csv')))
    await using foreign = await temporaryFolder()
    const isRoot = process.getuid?.() === 0
    if (isRoot) await chown(foreign.path, 65_534, 65_534)
    await diagnose('home', advice.useOwnHome(), local(isRoot ? foreign.path : '/'))
    await follow('deposit doctor', atHome())
  },
  closeHome: async () => {
    await using home = await temporaryFolder()
    await chmod(home.path, 0o755)
    const hint = advice.closeHome(home.path)
    await diagnose('home', hint, local(home.path))
    followInShell(commandsIn(hint)[0])
    await follow('deposit doctor', local(home.path))
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
    await using other = await answering({ server: 'something else' })
    const environment = { DEPOSIT_URL: other.url, DEPOSIT_TOKEN: 't' }
    await diagnose('server', advice.checkService(), { environment })
    await follow('deposit doctor')
  },
  setClock: async () => {
    await using late = await answering({
      date: 'Thu, 01 Jan 2015 00:00:00 GMT',
      'deposit-api-version': '1',
    })
    const environment = { DEPOSIT_URL: late.url, DEPOSIT_TOKEN: 't' }
    await diagnose('clock', advice.setClock(), { environment })
    await follow('deposit doctor')
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
    const { id } = await published()
    await using server = await strangeServer(({ url = '' }, response) => {
      const deposit = { id, metadata: {}, links: {}, revision: 0, created: '', updated: '' }
      const total = url.includes('q=') ? 1 : 20_000
      answerJson(response, { hits: { hits: [deposit], total }, links: {} })
    })
    const environment = { DEPOSIT_URL: server.url, DEPOSIT_TOKEN: 't' }
    const all = await run('deposit list --all', { environment })
    expect(all.stderr).toContain(`; ${advice.narrowSearch()}\n`)
    expect((await run('deposit list tides --all', { environment })).stderr).toBe('')
  },
}
