import { readdir, rm } from 'node:fs/promises'
import { expect } from 'vitest'
import { advice } from '../../../cli/advice.ts'
import { demoToken } from '../../support/services/invenio/store.ts'
import type { FakeService } from '../../support/services/service.ts'
import { folder, metadata, zenodo } from './remote-rig.ts'
import { commandsIn, follow, pathTo, refuse, write } from './rig.ts'

/** Publishes the next version of a record with another file, and says its number. */
async function publishInBrowser({ url }: FakeService, id: string): Promise<string> {
  const headers = { authorization: `Bearer ${demoToken.token}` }
  const api = `${url}/api/deposit/depositions`
  const post = async (path: string) =>
    (await fetch(`${api}/${path}`, { method: 'POST', headers })).json()
  const draft = (await post(`${id}/actions/newversion`)) as {
    readonly id: number
    readonly links: Readonly<Record<string, string>>
    readonly metadata: object
  }
  const body = JSON.stringify({ metadata: { ...draft.metadata, publication_date: '2026-02-03' } })
  const typed = { ...headers, 'content-type': 'application/json' }
  await fetch(`${api}/${draft.id}`, { method: 'PUT', headers: typed, body })
  await fetch(`${draft.links['bucket']}/of-a-co-author.csv`, { method: 'PUT', headers, body: '7' })
  expect(await post(`${draft.id}/actions/publish`)).toMatchObject({ submitted: true })
  return String(draft.id)
}

const bob = { token: 'token-of-bob', user: 2 }
/** Another token of the same account. */
const second = { token: 'token-of-ada-too', user: 1 }
const tokenOf = (name: string, token: string) => ({
  environment: { [`DEPOSIT_REMOTE_${name}_TOKEN`]: token },
})

/** Hints where a push would overwrite what others made or closed there. */
export const ofOverwriting = {
  pullOthers: async () => {
    const service = await zenodo('shared')
    const command = `deposit push ${await folder('shared')} --to shared --publish --yes`
    const [id = ''] = /\d+$/.exec((await follow(command)).trim()) ?? []
    const next = await publishInBrowser(service, id)
    await write('shared/a.csv', '12')
    const newVersion = `${command} --new-version`
    const hint = advice.pullOthers('shared', next, newVersion)
    const before = service.state()
    await refuse(command, hint)
    await refuse(newVersion, hint)
    expect(service.state()).toEqual(before)
    for (const each of commandsIn(hint)) await follow(each)
    expect(service.state()).toHaveLength(3)
    await follow(newVersion)
    await write('shared/a.csv', '123')
    await follow(newVersion)
    expect(service.state()).toHaveLength(4)
  },
  overwrite: async () => {
    const service = await zenodo('half-done')
    const command = `deposit push ${await folder('half-done')} --to half-done --publish --yes`
    const [id = ''] = /\d+$/.exec((await follow(command)).trim()) ?? []
    const list = `${service.url}/api/deposit/depositions`
    const headers = { authorization: `Bearer ${demoToken.token}` }
    const made = await fetch(`${list}/${id}/actions/newversion`, { method: 'POST', headers })
    const draft = (await made.json()) as { readonly id: number; readonly metadata: object }
    const body = JSON.stringify({ metadata: { ...draft.metadata, notes: 'Theirs' } })
    const json = { ...headers, 'content-type': 'application/json' }
    await fetch(`${list}/${draft.id}`, { method: 'PUT', headers: json, body })
    await write('half-done/a.csv', '12')
    const newVersion = `${command} --new-version`
    const hint = advice.overwrite('half-done', String(draft.id), newVersion)
    const before = service.state()
    await refuse(newVersion, hint)
    expect(service.state()).toEqual(before)
    for (const each of commandsIn(hint)) await follow(each)
    expect(service.state()).toHaveLength(2)
    expect(JSON.stringify(service.state())).not.toContain('Theirs')
  },
  finishThere: async () => {
    const service = await zenodo('edited')
    const command = `deposit push ${await folder('edited')} --to edited --publish --yes`
    const [id = ''] = /\d+$/.exec((await follow(command)).trim()) ?? []
    const actions = `${service.url}/api/deposit/depositions/${id}/actions`
    const headers = { authorization: `Bearer ${demoToken.token}` }
    await fetch(`${actions}/edit`, { method: 'POST', headers })
    await write('edited/metadata.yaml', metadata.replace('Tides', 'High tides'))
    const hint = advice.finishThere(`${service.url}/deposit/${id}`)
    await refuse(command, hint)
    await fetch(`${actions}/publish`, { method: 'POST', headers })
    await follow(command)
  },
  deletePulled: async () => {
    const service = await zenodo('pulled-twice')
    const command = `deposit push ${await folder('pulled-twice')} --to pulled-twice --publish --yes`
    const [id = ''] = /\d+$/.exec((await follow(command)).trim()) ?? []
    const pull = `deposit pull pulled-twice:${id} -q`
    const draft = (await follow(pull)).trim()
    await write('pulled-twice/metadata.yaml', metadata.replace('Tides', 'High tides'))
    await follow(command)
    expect(service.state()).toHaveLength(1)
    const hint = advice.deletePulled(draft)
    await refuse(pull, hint)
    await follow(`${commandsIn(hint)[0]} --yes`)
    expect(await follow(`deposit show ${(await follow(pull)).trim()}`)).toContain('High tides')
  },
  continueCopy: async () => {
    const service = await zenodo('to-and-fro')
    const push = `deposit push ${await folder('to-and-fro')} --to to-and-fro --publish --yes`
    const [id = ''] = /\d+$/.exec((await follow(push)).trim()) ?? []
    const draft = (await follow(`deposit pull to-and-fro:${id} -q`)).trim()
    await follow(`deposit update ${draft} --set title=Levels`)
    const command = `deposit push ${draft} --to to-and-fro --publish --yes`
    const hint = advice.continueCopy(command, id)
    const before = service.state()
    await refuse(command, hint)
    expect(service.state()).toEqual(before)
    await follow(commandsIn(hint)[0])
    expect(service.state()).toMatchObject([{ published: { document: { title: 'Levels' } } }])
    await follow(command)
    await follow(`deposit delete ${draft} --yes`)
    const other = (await follow(`deposit pull to-and-fro:${id} -q`)).trim()
    expect(service.state()).toHaveLength(1)
    await follow(`deposit update ${other} --set title=Other --unset related_identifiers`)
    await follow(`deposit push ${other} --to to-and-fro --publish --yes`)
  },
  changeFileOrCorrect: async () => {
    const service = await zenodo('same-bytes')
    const command = `deposit push ${await folder('same-bytes')} --to same-bytes --publish --yes`
    const [id = ''] = /\d+$/.exec((await follow(command)).trim()) ?? []
    const headers = { authorization: `Bearer ${demoToken.token}` }
    const list = `${service.url}/api/deposit/depositions`
    const made = await fetch(`${list}/${id}/actions/newversion`, { method: 'POST', headers })
    const draft = (await made.json()) as { readonly id: number }
    await write('same-bytes/metadata.yaml', metadata.replace('Tides', 'High tides'))
    const hint = advice.changeFileOrCorrect(command, id)
    const before = service.state()
    await refuse(`${command} --of ${draft.id}`, hint)
    expect(service.state()).toEqual(before)
    await follow(commandsIn(hint)[0])
    await write('same-bytes/a.csv', '12')
    await follow(`${command} --of ${draft.id}`)
    expect(service.state()).toHaveLength(2)
  },
  giveTokenOrBegin: async () => {
    const service = await zenodo('of-ada', { tokens: [demoToken, bob] })
    const command = `deposit push ${await folder('of-ada')} --to of-ada --journal of-ada-journals`
    await follow(command)
    const [name = ''] = await readdir(pathTo('of-ada-journals'))
    const path = pathTo(`of-ada-journals/${name}`)
    const hint = advice.giveTokenOrBegin('of-ada', command, path)
    await refuse(`${command} --publish --yes`, hint, tokenOf('OF_ADA', bob.token))
    expect(service.state()).toMatchObject([{ draft: {} }])
    await follow(`${command} --publish --yes`, tokenOf('OF_ADA', demoToken.token))
    await rm(path)
    await follow(commandsIn(hint)[0], tokenOf('OF_ADA', bob.token))
    expect(service.state()).toHaveLength(2)
  },
  giveTokenOrName: async () => {
    const service = await zenodo('renewed', { tokens: [demoToken, bob, second] })
    const command = `deposit push ${await folder('renewed')} --to renewed`
    const [id = ''] = /\d+$/.exec((await follow(`${command} --publish --yes`)).trim()) ?? []
    await write('renewed/a.csv', '12')
    const draft = (await follow(`${command} --new-version`)).trim()
    const hint = advice.giveTokenOrName('renewed', `${command} --new-version`, id)
    await refuse(command, hint, tokenOf('RENEWED', bob.token))
    await follow(command, tokenOf('RENEWED', demoToken.token))
    const headers = { authorization: `Bearer ${demoToken.token}` }
    const own = `${service.url}/api/deposit/depositions/${draft.split('/').at(-1)}`
    expect((await fetch(own, { method: 'DELETE', headers })).ok).toBe(true)
    await refuse(command, hint, tokenOf('RENEWED', second.token))
    await follow(commandsIn(hint)[0], tokenOf('RENEWED', second.token))
    expect(service.state()).toHaveLength(2)
  },
  sayAccess: async () => {
    await zenodo('closed')
    const command = `deposit push ${await folder('closed')} --to closed --publish --yes`
    await write('closed/metadata.yaml', `${metadata}\naccess: {files: restricted}\n`)
    await follow(command)
    await write('closed/metadata.yaml', metadata)
    const hint = advice.sayAccess(undefined)
    await refuse(command, hint)
    const [open, closed] = [...hint.matchAll(/`(access: .*?)`/g)].map(([, line = '']) => line)
    for (const line of [closed, open]) {
      await write('closed/metadata.yaml', `${metadata}\n${line}\n`)
      await follow(command)
    }
  },
}
