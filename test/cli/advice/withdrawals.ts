import { rm } from 'node:fs/promises'
import { expect } from 'vitest'
import { advice } from '../../../cli/advice.ts'
import type { DepositBody } from '../../../core/contract/schemas.ts'
import { knownFolder } from './folders.ts'
import { folder } from './remote-rig.ts'
import { ada, commandsIn, daemon, follow, pathTo, published, refuse, run, write } from './rig.ts'

/** The identifier of the record of a folder. */
async function valueOf(folder: string): Promise<string> {
  const { links } = JSON.parse(await follow(`deposit show ${folder} --json`)) as DepositBody
  return links['record']?.split('/').at(-1) ?? ''
}

/** Hints about records that are withdrawn. */
export const ofWithdrawals = {
  destroyToo: async () => {
    const { id } = await published()
    const next = (await follow(`deposit newversion ${id} -q`)).trim()
    const hint = advice.destroyToo(next, true)
    const destroy = `deposit withdraw ${id} --reason personal-data --destroy-bytes --yes`
    expect((await run(destroy)).stderr).toContain(hint)
    await follow(commandsIn(hint)[0])
  },
  withdrawNewest: async () => {
    const { id } = await published()
    const next = (await follow(`deposit newversion ${id} -q`)).trim()
    await follow(`deposit publish ${next} --yes`)
    const shown = JSON.parse(await follow(`deposit show ${next} --json`)) as DepositBody
    const concept = shown.pids?.concept.value ?? ''
    const command = `deposit withdraw ${next} --reason test --yes`
    const hint = advice.withdrawNewest(command, shown.links['record_html'] ?? '')
    await refuse(`deposit withdraw ${concept} --reason test --yes`, hint)
    await follow(commandsIn(hint)[0])
  },
  restoreRecord: async () => {
    const id = await knownFolder('withdrawn', '--publish')
    await follow('deposit withdraw ./withdrawn --reason test --yes')
    const hint = advice.restoreRecord(id, 'withdrawn')
    expect(await follow('deposit status withdrawn')).toContain(`\nNext: ${hint}\n`)
    await refuse('deposit create withdrawn --publish', hint)
    const [restore, newversion] = commandsIn(hint)
    await follow(newversion)
    await follow(restore)
    expect(await follow(`deposit show ${id}`)).toContain('Status: published')
  },
  followWithdrawn: async () => {
    const id = await knownFolder('destroyed', '--publish')
    await follow(`deposit withdraw ${id} --reason test --destroy-bytes --yes`)
    const hint = advice.followWithdrawn('destroyed')
    await refuse('deposit create destroyed', hint)
    expect(await follow('deposit status destroyed')).toContain(`\nNext: ${hint}\n`)
    await follow(commandsIn(hint)[0])
    expect(await follow('deposit status destroyed')).toContain(', draft, ')
  },
  publishWithout: async () => {
    await knownFolder('without', '--publish')
    await write('without/names.csv', 'Ada')
    await follow('deposit release without')
    await follow('deposit withdraw ./without --reason personal-data --yes')
    const before = await valueOf('./without')
    await follow('deposit newversion without')
    const hint = advice.publishWithout('without')
    expect(await follow('deposit status without')).toContain(`\nNext: ${hint}\n`)
    await rm(pathTo('without/names.csv'))
    const [sync, publish] = commandsIn(hint)
    await follow(sync)
    expect(await follow(publish)).not.toContain(before)
    expect(await follow('deposit files without')).not.toContain('names.csv')
  },
  releaseAfter: async () => {
    await knownFolder('removed', '--publish')
    await follow('deposit withdraw ./removed --reason test --destroy-bytes --yes')
    const value = await valueOf('./removed')
    const hint = advice.releaseAfter('deposit release removed', value)
    await refuse('deposit release removed', hint)
    await follow('deposit newversion removed')
    await refuse('deposit release removed', hint)
    await follow(`${commandsIn(hint)[0]} --dry-run`)
    await write('removed/b.csv', 'corrected')
    expect(await follow(commandsIn(hint)[0])).toContain('/records/')
  },
  releaseOrRestore: async () => {
    const id = await knownFolder('returned', '--publish')
    await follow('deposit withdraw ./returned --reason test --yes')
    const value = await valueOf('./returned')
    const hint = advice.releaseOrRestore('deposit release returned', value, id)
    await refuse('deposit release returned', hint)
    const [restore, release] = commandsIn(hint)
    await follow(restore)
    expect(await follow('deposit release returned')).toContain(value)
    await follow('deposit withdraw ./returned --reason test --yes')
    expect(await follow(release)).not.toContain(value)
  },
  askToRestoreThere: async () => {
    const { authorization = '' } = await ada.authorization()
    const stdin = authorization.replace('Bearer ', '')
    const add = `deposit remote add here --kind rdm --url ${daemon.origin}/rdm`
    await follow(add, { stdin })
    const command = `deposit push ${await folder('taken-back')} --to here --publish --yes`
    const pushed = JSON.parse(await follow(`${command} --json`)) as {
      readonly remote: { readonly url: string }
    }
    const { url } = pushed.remote
    const id = (await follow(`deposit withdraw ${url} --reason test --yes -q`)).trim()
    await refuse(command, advice.askToRestoreThere(url))
    await follow(`deposit restore-record ${id}`)
    await follow(command)
    await follow('deposit remote remove here')
  },
}
