import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { advice } from '../../../cli/advice.ts'
import { demoToken } from '../../support/services/invenio/store.ts'
import { startZenodo } from '../../support/services/zenodo/zenodo.ts'
import { answerJson, strangeServer } from '../../support/strange-server.ts'
import { commandsIn, follow, pathTo, refuse, run, write } from './rig.ts'

import { zenodo, folder, metadata, token, weakToken, add } from './remote-rig.ts'

async function forgetRemotes(): Promise<void> {
  const { stdout } = await run('deposit remote list --json')
  for (const { name } of JSON.parse(stdout) as readonly { readonly name: string }[])
    await follow(`deposit remote remove ${name}`)
}

/** Hints about repositories of others. */
export const ofRemotes = {
  addRemote: async () => {
    await forgetRemotes()
    const hint = advice.addRemote()
    await refuse('deposit push data/ --to none', hint)
    const values = { NAME: 'first', KIND: 'zenodo --url http://127.0.0.1:1' }
    await follow(commandsIn(hint, values)[0], token)
  },
  nameRemote: async () => {
    await zenodo('named')
    const listed = JSON.parse((await run('deposit remote list --json')).stdout) as {
      name: string
    }[]
    const hint = advice.nameRemote(listed.map(({ name }) => name))
    await refuse('deposit push data/', hint)
    await refuse('deposit push data/ --to nmaed', hint)
    await refuse('deposit remote check nmaed', hint)
    await refuse('deposit pull nmaed:12', hint)
    await follow(`deposit push ${await folder('named')} --to named`)
    const values = { NAME: 'nmaed', KIND: 'zenodo --url http://127.0.0.1:1' }
    await follow(commandsIn(hint, values)[0], token)
  },
  otherRemoteName: async () => {
    const service = await zenodo('taken')
    await refuse(add('taken', service), advice.otherRemoteName(), token)
    await follow(`${add('taken', service)} --replace`, token)
    await follow(add('taken-too', service), token)
  },
  giveRemoteToken: async () => {
    const service = await zenodo('silent')
    await refuse(`${add('silent', service)} --replace`, advice.giveRemoteToken('silent'))
    const environment = { DEPOSIT_REMOTE_SILENT_TOKEN: demoToken.token }
    await follow(`${add('silent', service)} --replace`, { environment })
    await follow('deposit remote check silent', { environment })
    await follow(`${add('silent', service)} --replace`, token)
  },
  checkRemote: async () => {
    const service = await zenodo('moved')
    await follow(
      `deposit remote add moved --kind zenodo --url ${service.url}/nowhere --replace`,
      token,
    )
    const hint = advice.checkRemote('moved')
    await refuse(`deposit push ${await folder('moved-set')} --to moved`, hint)
    expect((await run(commandsIn(hint)[0] ?? '')).stderr).toContain('answers 404')
  },
  renewRemoteToken: async () => {
    const service = await zenodo('old')
    await follow(`${add('old', service)} --replace`, { stdin: 'expired-token' })
    const hint = advice.renewRemoteToken(`${add('old', service)} --replace`)
    await refuse(`deposit push ${await folder('old')} --to old`, hint)
    await follow(commandsIn(hint)[0], token)
    await follow('deposit push old/ --to old')
  },
  giveRemoteRights: async () => {
    const service = await zenodo('weak')
    await follow(`${add('weak', service)} --replace`, { stdin: weakToken.token })
    const hint = advice.giveRemoteRights(
      new URL(service.url).host,
      `${add('weak', service)} --replace`,
    )
    await refuse(`deposit push ${await folder('weak')} --to weak --publish --yes`, hint)
    const told = await refuse('deposit remote check weak', hint)
    expect(told).toContain('good for drafts, and may not publish')
    await follow(commandsIn(hint)[0], token)
    await follow('deposit remote check weak')
    await follow('deposit push weak/ --to weak --publish --yes')
  },
  pushAgain: async () => {
    const service = await zenodo('tired')
    service.misbehave({ shares: { error: 1 } })
    const hint = advice.pushAgain()
    await refuse(`deposit push ${await folder('tired')} --to tired --retries 0`, hint)
    service.misbehave()
    await follow('deposit push tired/ --to tired --retries 0')
  },
  correctForRemote: async () => {
    await zenodo('small', { quota: 10 })
    const command = `deposit push ${await folder('small')} --to small`
    await write('small/a.csv', '1'.repeat(20))
    await refuse(command, advice.correctForRemote())
    await write('small/a.csv', '1')
    await follow(command)
  },
  correctPlan: async () => {
    await zenodo('plain')
    const dir = await folder('plain')
    await write('plain/metadata.yaml', 'title: Tides\n')
    await refuse(`deposit push ${dir} --to plain --publish --yes`, advice.correctPlan())
    await write('plain/metadata.yaml', metadata)
    await follow(`deposit push ${dir} --to plain --publish --yes`)
  },
  flatten: async () => {
    await zenodo('flat')
    const dir = await folder('flat')
    await mkdir(pathTo('flat/sub'))
    await write('flat/sub/b.csv', '2')
    const hint = advice.flatten('deposit push flat/ --to flat')
    await refuse(`deposit push ${dir} --to flat`, hint)
    for (const command of commandsIn(hint)) await follow(command)
  },
  addRemoteOf: async () => {
    const service = await zenodo('elsewhere')
    const other = await zenodo('other')
    const command = `deposit push ${await folder('elsewhere')} --to elsewhere --publish --yes`
    const [id = ''] = /\d+$/.exec((await follow(command)).trim()) ?? []
    await follow('deposit remote remove elsewhere')
    const hint = advice.addRemoteOf()
    await refuse(`deposit pull ${service.url}/records/${id}`, hint)
    const values = { NAME: 'elsewhere', KIND: 'zenodo', ADDRESS: service.url }
    await follow(commandsIn(hint, values)[0], token)
    await follow(`deposit pull ${service.url}/records/${id}`)
    await follow(`deposit pull elsewhere:${id}`)
    expect(other.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  },
  removeJournal: async () => {
    const service = await zenodo('planted')
    const dir = await folder('planted')
    const command = `deposit push ${dir} --to planted --journal journals`
    await follow(command)
    const [name = ''] = await readdir(pathTo('journals'))
    const path = pathTo(`journals/${name}`)
    const headers = { authorization: `Bearer ${demoToken.token}` }
    const list = `${service.url}/api/deposit/depositions`
    const more = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
    const made = await fetch(list, { ...more, body: '{"metadata":{"title":"Of another"}}' })
    const { id } = (await made.json()) as { readonly id: number }
    const journal = await readFile(path, 'utf8')
    await writeFile(path, journal.replaceAll(/"id":"\d+"/g, `"id":"${id}"`))
    const hint = advice.removeJournal(
      path,
      { command: `${command} --publish --yes`, asDraft: command },
      String(id),
    )
    await refuse(`${command} --publish --yes`, hint)
    const other = await fetch(`${list}/${id}`, { headers })
    expect(await other.json()).toMatchObject({ title: 'Of another', submitted: false })
    await writeFile(pathTo('journals/other'), journal)
    await follow(commandsIn(hint)[0])
    const taken = await fetch(`${list}/${id}`, { headers })
    expect(await taken.json()).toMatchObject({ title: 'Tides', submitted: true })
    await follow(`${command} --publish --yes`)
    await rm(path)
    await follow(commandsIn(hint)[1])
  },
  nameOrBegin: async () => {
    const service = await zenodo('vanished')
    const command = `deposit push ${await folder('vanished')} --to vanished --journal vanished-journals`
    const [id = ''] = /\d+$/.exec((await follow(`${command} --publish --yes`)).trim()) ?? []
    const [name = ''] = await readdir(pathTo('vanished-journals'))
    const path = pathTo(`vanished-journals/${name}`)
    const journal = await readFile(path, 'utf8')
    await writeFile(path, journal.replaceAll(`"id":"${id}"`, '"id":"1"'))
    const hint = advice.nameOrBegin(path, {
      command: `${command} --publish --yes`,
      asDraft: command,
    })
    await refuse(`${command} --publish --yes`, hint)
    await follow(commandsIn(hint, { ADDRESS: `${service.url}/records/${id}` })[0])
    await follow(`${command} --publish --yes`)
    expect(service.state()).toHaveLength(1)
    await writeFile(path, journal.replaceAll(`"id":"${id}"`, '"id":"1"'))
    await rm(path)
    await follow(commandsIn(hint)[1])
    expect(service.state()).toHaveLength(2)
  },
  changeFile: async () => {
    await zenodo('renamed')
    const command = `deposit push ${await folder('renamed')} --to renamed --publish --yes`
    await follow(command)
    await rm(pathTo('renamed/a.csv'))
    await write('renamed/b.csv', '1')
    await refuse(`${command} --new-version`, advice.changeFile())
    await write('renamed/b.csv', '12')
    await follow(`${command} --new-version`)
  },
  nameOwn: async () => {
    const service = await zenodo('mine')
    const command = `deposit push ${await folder('mine')} --to mine --publish --yes`
    const [id = ''] = /\d+$/.exec((await follow(command)).trim()) ?? []
    await refuse(`${command} --of 77`, advice.nameOwn())
    for (const of of [id, `10.5072/zenodo.${id}`, `${service.url}/records/${id}`])
      await follow(`${command} --of ${of}`)
    expect(service.state()).toHaveLength(1)
  },
  correctRemote: async () => {
    const service = await zenodo('lost')
    const there = `deposit remote add lost --kind zenodo --url ${service.url}`
    await follow(`${there}/nowhere --replace`, token)
    const hint = advice.correctRemote(`${there}/nowhere --replace`, new URL(service.url).host)
    await refuse('deposit remote check lost', hint)
    await follow(`${commandsIn(hint)[0]} --url ${service.url}`, token)
    await follow('deposit remote check lost')
  },
  renewTokenVariable: async () => {
    const service = await zenodo('wrong')
    const dir = await folder('wrong')
    const hint = advice.renewTokenVariable('DEPOSIT_REMOTE_WRONG_TOKEN', new URL(service.url).host)
    const command = `deposit push ${dir} --to wrong`
    await refuse(command, hint, { environment: { DEPOSIT_REMOTE_WRONG_TOKEN: 'expired-token' } })
    await follow(command, { environment: { DEPOSIT_REMOTE_WRONG_TOKEN: demoToken.token } })
  },
  syncAndPush: async () => {
    await zenodo('stale')
    const dir = await folder('stale')
    await follow(`deposit create ${dir}`)
    await write('stale/a.csv', 'corrected')
    const hint = advice.syncAndPush('stale/', false)
    await refuse(`deposit push ${dir} --to stale --publish --yes`, hint)
    await follow(commandsIn(hint)[0])
    await follow(`deposit push ${dir} --to stale --publish --yes`)
  },
  flattenToZip: async () => {
    await zenodo('many')
    const dir = await folder('many')
    for (let at = 0; at < 101; at += 1) await write(`many/f${at}`, `${at}`)
    const hint = advice.flattenToZip('deposit push many/ --to many')
    await refuse(`deposit push ${dir} --to many --flatten dash`, hint)
    await refuse(`deposit push ${dir} --to many`, hint)
    for (const command of commandsIn(hint)) await follow(command)
  },
  pushNewVersion: async () => {
    await zenodo('grown')
    const command = `deposit push ${await folder('grown')} --to grown --publish --yes`
    await follow(command)
    await write('grown/a.csv', '12')
    const hint = advice.pushNewVersion('deposit push grown/ --to grown --publish --yes')
    await refuse(command, hint)
    await follow(commandsIn(hint)[0])
  },
  pushOf: async () => {
    await zenodo('behind')
    await follow(`deposit push ${await folder('behind')} --to behind`)
    await write('behind/a.csv', '12')
    const hint = advice.pushOf('behind/', 'behind', false)
    expect((await run('deposit status behind/')).stdout).toContain(`which is behind: ${hint}`)
    await follow(commandsIn(hint)[0])
    expect((await run('deposit status behind/')).stdout).not.toContain('which is behind')
  },
  pushToSee: async () => {
    const service = await zenodo('record-gone')
    await follow(`deposit push ${await folder('record-gone')} --to record-gone --publish --yes`)
    const hint = advice.pushToSee('record-gone/', 'record-gone')
    expect(await follow('deposit status record-gone/ --remotes')).toContain('Nothing to do')
    // Another one answers there, which has no records.
    const { port } = new URL(service.url)
    await service[Symbol.asyncDispose]()
    await using empty = await startZenodo({ port: Number(port), tokens: [demoToken] })
    const told = await follow('deposit status record-gone/ --remotes')
    expect(told).toContain(`which is not there any more: ${hint}`)
    expect(told).toContain(`\nNext: ${hint}\n`)
    const [command = ''] = commandsIn(hint)
    expect((await run(command)).stderr).toContain('next: if it has another address there')
    expect(empty.state()).toEqual([])
  },
  publishThere: async () => {
    await zenodo('draft-begun')
    await follow(`deposit push ${await folder('draft-begun')} --to draft-begun`)
    const hint = advice.publishThere('draft-begun/', 'draft-begun')
    expect(await follow('deposit status draft-begun/')).toContain(`\nNext: ${hint}\n`)
    await follow(`${commandsIn(hint)[0]} --yes`)
    expect(await follow('deposit status draft-begun/')).toContain('\nNothing to do\n')
    await write('draft-begun/a.csv', '12')
    const next = advice.pushOf('draft-begun/', 'draft-begun', true)
    expect(await follow('deposit status draft-begun/')).toContain(`\nNext: ${next}\n`)
  },
  confirmPush: async () => {
    await zenodo('sure')
    const command = `deposit push ${await folder('sure')} --to sure --publish`
    const hint = advice.confirmPush(`${command} --yes`)
    await refuse(command, hint)
    await follow(commandsIn(hint)[0])
  },
  nameOther: async () => {
    await zenodo('log')
    const command = `deposit push ${await folder('log')} --to log --record`
    await write('log.jsonl', '')
    await refuse(`${command} log.jsonl`, advice.nameOther())
    await follow(`${command} other.jsonl`)
  },
  reportRemote: async () => {
    const file = { key: 'a.csv', links: { self: 'http://127.0.0.1:1/' } }
    await using server = await strangeServer(({ url = '' }, response) => {
      const record = { id: 1, metadata: { title: 'x' }, files: [file] }
      answerJson(response, url.includes('/records/') ? record : [])
    })
    await follow(`deposit remote add vague --kind zenodo --url ${server.url}`, token)
    await refuse('deposit pull vague:1 --record vague.jsonl', advice.reportRemote())
    expect(await readFile(pathTo('vague.jsonl'), 'utf8')).toContain('/api/records/1')
  },
  giveCollection: async () => {
    const add = 'deposit remote add dvn --kind dataverse --url https://demo.dataverse.org'
    await refuse(add, advice.giveCollection(), token)
    await follow(`${add} --collection demo`, token)
  },
  giveRemoteUrl: async () => {
    const add = 'deposit remote add own --kind rdm'
    await refuse(add, advice.giveRemoteUrl(), token)
    await follow(`${add} --url https://inveniordm.web.cern.ch`, token)
  },
  nameRemoteRecord: async () => {
    const service = await zenodo('read')
    const command = `deposit push ${await folder('read')} --to read --publish --yes`
    const [id = ''] = /\d+$/.exec((await follow(command)).trim()) ?? []
    await refuse('deposit pull read:99999', advice.nameRemoteRecord())
    await follow(`deposit pull read:${id}`)
    await follow(`deposit pull 10.5072/zenodo.${id}`)
    await follow(`deposit pull ${service.url}/records/${id}`)
  },
  findAt: async () => {
    await forgetRemotes()
    const at = await zenodo('has-it')
    const command = `deposit push ${await folder('has-it')} --to has-it --publish --yes`
    const doi = (await follow(command)).trim().slice('https://doi.org/'.length)
    await zenodo('has-not')
    const right = `${add('has-it', at)} --replace`
    await follow(right, { stdin: 'expired-token' })
    const hint = advice.findAt('has-it', { next: advice.renewRemoteToken(right) })
    expect(await refuse(`deposit pull ${doi}`, hint)).toMatch(
      /has-not has no such record; has-it could not be asked: \S+ answers 401/,
    )
    await follow(commandsIn(hint)[0], token)
    await follow(`deposit pull ${doi}`)
  },
  lookAtRemote: async () => {
    const service = await zenodo('odd')
    await follow(`deposit push ${await folder('odd-names')} --to odd`)
    const headers = { authorization: `Bearer ${demoToken.token}` }
    const list = await fetch(`${service.url}/api/deposit/depositions`, { headers })
    const [{ id, links }] = (await list.json()) as [
      { readonly id: number; readonly links: Readonly<Record<string, string>> },
    ]
    const odd = `${links['bucket']}/${encodeURIComponent('ü'.repeat(200))}`
    await fetch(odd, { method: 'PUT', headers, body: 'odd' })
    await refuse(`deposit pull odd:${id}`, advice.lookAtRemote(links['html'] ?? ''))
    await fetch(odd, { method: 'DELETE', headers })
    await follow(`deposit pull odd:${id}`)
  },
}
