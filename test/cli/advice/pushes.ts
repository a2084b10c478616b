import { afterAll, expect } from 'vitest'
import { advice } from '../../../cli/advice.ts'
import type { DepositBody } from '../../../core/contract/schemas.ts'
import { startDataverse } from '../../support/services/dataverse/dataverse.ts'
import { demoKey } from '../../support/services/dataverse/store.ts'
import { demoToken } from '../../support/services/invenio/store.ts'
import { startZenodo } from '../../support/services/zenodo/zenodo.ts'
import { testDaemon } from '../../support/test-daemon.ts'
import { add, folder, token, zenodo } from './remote-rig.ts'
import { commandsIn, follow, refuse, run, write } from './rig.ts'

/** A record with an edit that is not published, and a Zenodo of this name. */
async function editedRecord(
  name: string,
): Promise<{ readonly id: string; readonly record: string }> {
  await zenodo(name)
  const made = await follow(`deposit create ${await folder(name)} --publish --no-remember --json`)
  const { id, links } = JSON.parse(made) as DepositBody
  await follow(`deposit edit ${id}`)
  await follow(`deposit update ${id} --set title=Secret`)
  return { id, record: links['record_html'] ?? '' }
}

const strict = await testDaemon({ env: { DEPOSIT_REVIEW: 'required' } })
afterAll(() => strict[Symbol.asyncDispose]())

/** Hints about what may be pushed, and about the remotes themselves. */
export const ofPushes = {
  pushRecord: async () => {
    const { id, record } = await editedRecord('as-draft')
    const hint = advice.pushRecord(`deposit push ${record} --to as-draft`)
    const { stderr } = await run(`deposit push ${id} --to as-draft`)
    expect(stderr).toContain(`They are pushed; ${hint}`)
    await follow(commandsIn(hint)[0])
  },
  publishFirst: async () => {
    const { id, record } = await editedRecord('as-record')
    const command = (what: string) => `deposit push ${what} --to as-record --publish --yes`
    const hint = advice.publishFirst(id, command(record))
    await refuse(command(id), hint)
    const [publish, ofRecord] = commandsIn(hint)
    await follow(ofRecord)
    await follow(publish)
    await follow(command(id))
  },
  publishHereFirst: async () => {
    await zenodo('after-withdrawal')
    const made = `deposit create ${await folder('after-withdrawal')} --publish --no-remember -q`
    const [id = ''] = (await follow(made)).trim().split('\n')
    await follow(`deposit withdraw ${id} --reason personal-data --yes`)
    const next = (await follow(`deposit newversion ${id} -q`)).trim()
    const command = `deposit push ${next} --to after-withdrawal --publish --yes`
    const hint = advice.publishHereFirst(next)
    await refuse(command, hint)
    await refuse(`${command} --dry-run`, hint)
    await follow(commandsIn(hint)[0])
    await follow(command)
  },
  submitFirst: async () => {
    await zenodo('waits')
    const { id } = await strict.as('ada').createDraft()
    const { authorization = '' } = await strict.as('ada').authorization()
    const { origin: DEPOSIT_URL } = strict
    const environment = { DEPOSIT_URL, DEPOSIT_TOKEN: authorization.replace('Bearer ', '') }
    const command = `deposit push ${id} --to waits --publish --yes`
    const hint = advice.submitFirst(id)
    await refuse(command, hint, { environment })
    await follow(commandsIn(hint)[0], { environment })
    await refuse(command, advice.awaitReview(id), { environment })
  },
  keepJournal: async () => {
    const service = await zenodo('unkept')
    const command = `deposit push ${await folder('unkept')} --to unkept --publish --yes`
    const hint = advice.keepJournal(command)
    const environment = { CI: 'true' }
    await refuse(command, hint, { environment })
    await refuse(`${command} --dry-run`, advice.keepJournal(`${command} --dry-run`), {
      environment,
    })
    expect(service.state()).toEqual([])
    const [kept = ''] = commandsIn(hint, { DIR: 'unkept.pushed' })
    await follow(kept, { environment })
    expect(await follow(kept, { environment })).toContain('https://doi.org/')
    expect(service.state()).toHaveLength(1)
    const [{ id }] = service.state() as readonly [{ readonly id: number }]
    await follow(`${command} --of ${id}`, { environment })
    expect(service.state()).toHaveLength(1)
  },
  renameRemote: async () => {
    const service = await zenodo('a-twin')
    const hint = advice.renameRemote('a-twin')
    await refuse(add('A_twin', service), hint, token)
    await refuse(`${add('a_twin', service)} --replace`, hint, token)
    await follow(add('a-twin2', service), token)
    await follow(commandsIn(hint)[0])
    await follow(add('A_twin', service), token)
  },
  withJournal: async () => {
    await zenodo('carried')
    const command = `deposit push ${await folder('carried')} --to carried --publish --yes`
    await follow(`${command} --journal carried.pushed`)
    await write('carried/a.csv', '12')
    const of = advice.pushOf('carried/', 'carried', true)
    const hint = advice.withJournal(of, 'carried.pushed')
    const status = 'deposit status carried/ --journal carried.pushed'
    expect((await run(status)).stdout).toContain(`which is behind: ${hint}`)
    await follow(`${commandsIn(hint)[0]} --publish --yes`)
    expect((await run(status)).stdout).toContain('\nNothing to do\n')
  },
  useHttpsUrl: async () => {
    const remote = 'deposit remote add clear --kind rdm --url'
    await refuse(`${remote} http://example.org`, advice.useHttpsUrl(), token)
    await follow(`${remote} http://example.org --insecure`, token)
    await follow(`${remote} https://example.org --replace`, token)
  },
  askRemoteAgain: async () => {
    const service = await zenodo('down')
    const { host, port } = new URL(service.url)
    await service[Symbol.asyncDispose]()
    const check = 'deposit remote check down'
    await refuse(`${check} --retries 0`, advice.askRemoteAgain(host))
    await using _ = await startZenodo({ port: Number(port), tokens: [demoToken] })
    await follow(check)
  },
  nameCollection: async () => {
    await using service = await startDataverse()
    const there = `deposit remote add dv --kind dataverse --url ${service.url} --collection`
    await follow(`${there} nowhere`, { stdin: demoKey })
    const hint = advice.nameCollection(`${there} ALIAS --replace`)
    const told = await refuse('deposit remote check dv', hint)
    expect(told).toContain('has no collection nowhere')
    await follow(commandsIn(hint, { ALIAS: 'root' })[0], { stdin: demoKey })
    await follow('deposit remote check dv')
  },
  removeCopy: async () => {
    await zenodo('copies')
    const dir = await folder('copies')
    await follow(`deposit create ${dir} --publish`)
    const pushed = await follow(`deposit push ${dir} --to copies --publish --yes --json remote`)
    const { remote } = JSON.parse(pushed) as { readonly remote: { readonly url: string } }
    const { id } = JSON.parse(await follow(`deposit show ${dir} --json id`)) as { id: string }
    await follow(`deposit withdraw ${dir} --reason test --yes`)
    const hint = advice.removeCopy(remote.url, { next: advice.restoreRecord(id, dir) })
    expect(await follow(`deposit status ${dir}`)).toContain(`\nNext: ${hint}\n`)
    await follow(commandsIn(hint)[0])
  },
}
