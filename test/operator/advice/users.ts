import { readFile, rm, writeFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { advice } from '../../../daemon/advice.ts'
import { send } from '../../support/http.ts'
import { startInstitution } from '../../support/institution.ts'
import { testDaemon } from '../../support/test-daemon.ts'
import {
  ada,
  at,
  done,
  follow,
  newHome,
  refused,
  scene,
  usedHome,
  type Environment,
  type Rows,
} from './scene.ts'

const word = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([found]) => found)

export const userRows = {
  seeUsers: async () => {
    const home = await usedHome()
    await refused(advice.seeUsers(), home, ['user', 'disable', 'nobody@example.org'])
    const [, email = ''] = (await follow(home, advice.seeUsers())).stdout.split('\t')
    await done(home, ['user', 'disable', email])
  },
  findDeparted: async () => {
    const home = await usedHome()
    await done(home, ['user', 'add', 'leaver@example.org'])
    await done(home, ['token', 'create', '--user', 'leaver@example.org'])
    await done(home, ['user', 'delete', 'leaver@example.org'])
    const hint = advice.findDeparted()
    await refused(hint, home, ['audit', '--user', 'leaver@example.org'])
    const { stdout } = await done(home, ['audit', '--user', 'owner'])
    const [, id = ''] = /user delete email=(\S+)/.exec(stdout) ?? []
    await done(home, ['audit', '--user', id])
  },
  seeTokens: async () => {
    const home = await usedHome()
    await done(home, ['token', 'create', '--user', ada])
    await refused(advice.seeTokens(), home, ['token', 'revoke', 'none'])
    const [id = ''] = (await follow(home, advice.seeTokens())).stdout.split('\t')
    await done(home, ['token', 'revoke', id])
  },
  seeVocabularies: async () => {
    const home = await newHome()
    await writeFile(at('terms.jsonl'), '{"id": "x", "title": "X"}')
    await refused(advice.seeVocabularies(), home, ['vocabulary', 'clear', 'planets'])
    await refused(advice.seeVocabularies(), home, [
      'vocabulary',
      'load',
      at('terms.jsonl'),
      'planets',
    ])
    const { stdout } = await follow(home, advice.seeVocabularies())
    for (const line of stdout.trim().split('\n'))
      await done(home, ['vocabulary', 'clear', line.split('\t')[0] ?? ''])
  },
  nameVocabulary: async () => {
    const home = await newHome()
    await writeFile(at('terms.jsonl'), '{"id": "x", "title": "X"}')
    await refused(advice.nameVocabulary(), home, ['vocabulary', 'load', at('terms.jsonl')])
    await done(home, ['vocabulary', 'load', at('terms.jsonl'), 'subjects'])
  },
  loadUnpacked: async () => {
    const home = await newHome()
    const ror = [{ id: 'https://ror.org/01ggx4157', name: 'CERN' }]
    await writeFile(at('ror.zip'), 'PK')
    await refused(advice.loadUnpacked(), home, ['vocabulary', 'load', at('ror.zip')])
    await writeFile(at('ror.json'), JSON.stringify(ror))
    await done(home, ['vocabulary', 'load', at('ror.json')])
  },
  seeClients: async () => {
    const home = await newHome()
    await done(home, ['client', 'create', 'tool', '--device'])
    await refused(advice.seeClients(), home, ['client', 'remove', 'none'])
    const [id = ''] = (await follow(home, advice.seeClients())).stdout.split('\t')
    await done(home, ['client', 'remove', id])
  },
  enableUser: async () => {
    const home = await usedHome()
    for (const command of [
      ['user', 'link', ada],
      ['token', 'create', '--user', ada],
      ['client', 'create', 'tool', '--owner', ada],
    ]) {
      await done(home, ['user', 'disable', ada])
      await refused(advice.enableUser(ada), home, command)
      await follow(home, advice.enableUser(ada))
      await done(home, command)
    }
  },
  disableUser: async () => {
    const env = { DEPOSIT_ISSUER: 'https://issuer.example.org' }
    const home = await newHome('home', env)
    await done(home, ['user', 'add', ada], env)
    await refused(advice.disableUser(ada), home, ['user', 'sign-out', ada], env)
    const { stderr } = await follow(home, advice.disableUser(ada), env)
    expect(stderr).toContain(`Disabled ${ada}`)
    await done(home, ['user', 'enable', ada], env)
  },
  revokeTokens: async () => {
    const home = await newHome()
    await done(home, ['user', 'add', ada])
    await done(home, ['token', 'create', '--user', ada])
    expect((await done(home, ['user', 'sign-out', ada])).stderr).toContain(advice.revokeTokens())
    const [id = ''] = (await done(home, ['token', 'list'])).stdout.split('\t')
    await done(home, ['token', 'revoke', id])
    expect((await done(home, ['token', 'list'])).stdout).toBe('')
  },
  nameHeir: async () => {
    const home = await newHome()
    const bob = 'bob@example.org'
    await done(home, ['user', 'add', bob])
    {
      await using daemon = await testDaemon({ home })
      await daemon.as('ada').createDraft()
    }
    await refused(advice.nameHeir(ada), home, ['user', 'delete', ada])
    await done(home, ['user', 'delete', ada, '--deposits-to', bob])
  },
  chooseIdentity: async () => {
    await using institution = await startInstitution()
    const { env } = institution
    const now = 'ada@new.example.org'
    for (const choice of ['--with-identity', '--without-identity']) {
      const home = await newHome(choice.slice(2), env)
      {
        await using daemon = await testDaemon({ home, env })
        const authorization = `Bearer ${await institution.mint({ claims: { email: ada } })}`
        expect((await send('GET', `${daemon.url}/me`, { headers: { authorization } })).status).toBe(
          200,
        )
      }
      await done(home, ['user', 'add', now], env)
      await done(home, ['user', 'disable', ada], env)
      const merge = ['user', 'merge', ada, now]
      await refused(advice.chooseIdentity(), home, merge, env)
      const { stderr } = await done(home, [...merge, choice], env)
      expect(stderr.includes('was left behind')).toBe(choice === '--without-identity')
    }
  },
  mergeUsers: async () => {
    const home = await newHome()
    const [old, now] = ['ada@old.example.org', ada]
    for (const email of [old, now]) await done(home, ['user', 'add', email])
    await refused(advice.mergeUsers(), home, ['user', 'rename', old, now])
    await done(home, ['user', 'merge', old, now])
  },
  makeAdmin: async () => {
    const home = await newHome()
    const eve = 'eve@example.org'
    await done(home, ['user', 'add', ada, '--admin'])
    await done(home, ['user', 'add', eve])
    await refused(advice.makeAdmin(), home, ['user', 'disable', ada])
    await done(home, ['user', 'admin', eve])
    await done(home, ['user', 'disable', ada])
    await refused(advice.makeAdmin(), home, ['user', 'admin', eve, '--revoke'])
    await done(home, ['user', 'admin', eve, '--revoke', '--yes'])
  },
  makeLinksAgain: async () => {
    const home = await newHome()
    expect((await done(home, ['user', 'add', ada])).stderr).toContain(advice.makeLinksAgain())
    const link = ['user', 'link', ada]
    const named = await done(home, link, { DEPOSIT_PUBLIC_URL: 'https://deposit.example.org' })
    expect(named.stdout).toMatch(/^https:\/\/deposit\.example\.org\//)
    await using daemon = await testDaemon({ home })
    const running = await done(home, link)
    expect(running.stdout.startsWith(daemon.origin)).toBe(true)
    expect(`${named.stderr}${running.stderr}`).not.toContain('guess')
  },
  saveWithCommas: async () => {
    const home = await newHome()
    const [file, table] = [at('people.csv'), 'email;admin\nada@example.org;FALSE\n']
    await writeFile(file, table)
    await refused(advice.saveWithCommas(), home, ['user', 'import', file])
    await writeFile(file, table.replaceAll(';', ','))
    await done(home, ['user', 'import', file])
  },
  makeToken: async () => {
    const env = { DEPOSIT_ISSUER: 'https://issuer.example.org' }
    const home = await newHome('home', env)
    const { stderr } = await done(home, ['user', 'add', ada], env)
    expect(stderr).toContain(advice.makeToken(ada))
    expect((await follow(home, advice.makeToken(ada), env)).stdout).toMatch(/^dep_pt_/)
  },
  giveLink: async () => {
    await using daemon = await testDaemon({ home: at('home') })
    const { stdout, stderr } = await done(daemon.home, ['user', 'add', ada])
    expect(stderr).toContain(advice.giveLink())
    const url = new URL(stdout.trim())
    expect((await fetch(url)).status).toBe(200)
    const link = url.hash.slice(1)
    const set = (body: Environment): Promise<Response> =>
      fetch(url, { method: 'POST', body: new URLSearchParams(body), redirect: 'manual' })
    expect(await (await set({ link })).text()).toContain('Set the passphrase')
    const body = { link, passphrase: 'correct horse battery', email: ada }
    expect((await set(body)).status).toBeLessThan(400)
    expect(await (await set({ link })).text()).not.toContain('Set the passphrase')
  },
  giveWholeId: async () => {
    const home = await usedHome()
    const create = (id: string): readonly string[] => [
      'token',
      'create',
      '--user',
      ada,
      '--deposit',
      id,
    ]
    await refused(advice.giveWholeId(), home, create(scene().draft.slice(0, 6)))
    await done(home, create(scene().draft))
  },
  leaveOut: async () => {
    const home = await usedHome()
    const create = (name: string): readonly string[] => [
      'token',
      'create',
      '--user',
      ada,
      '--name',
      name,
    ]
    await refused(advice.leaveOut(), home, create('a\u202eb'))
    await done(home, create('ab'))
  },
  writeSize: async () => {
    const home = await usedHome()
    await refused(advice.writeSize(), home, ['user', 'quota', ada, 'much'])
    const sizes = [...word(advice.writeSize(), /\d+\w+/g), '5000']
    for (const size of sizes) await done(home, ['user', 'quota', ada, size])
  },
  writeDuration: async () => {
    const home = await usedHome()
    const create = (expires: string): readonly string[] => [
      'token',
      'create',
      '--user',
      ada,
      '--expires',
      expires,
    ]
    await refused(advice.writeDuration(), home, create('a while'))
    for (const time of word(advice.writeDuration(), /\d+\w/g)) await done(home, create(time))
  },
  sayUse: async () => {
    const home = await usedHome()
    await refused(advice.sayUse(), home, ['client', 'create', 'tool'])
    const values = { EMAIL: ada, URI: 'https://tool.example.org/back' }
    const uses = word(advice.sayUse(), /--[a-z-]+(?: [A-Z]+)?/g)
    expect(uses).toHaveLength(4)
    for (const use of uses) {
      const filled = Object.entries(values).reduce(
        (text, [name, value]) => text.replace(name, value),
        use,
      )
      await done(home, ['client', 'create', 'tool', ...filled.split(' ')])
    }
  },
  giveAddress: async () => {
    const home = await newHome()
    const create = (uri: string): readonly string[] => [
      'client',
      'create',
      'tool',
      '--redirect-uri',
      uri,
    ]
    for (const wrong of ['http://tool.example.org/', 'https://*.example.org/', 'https://a/#b'])
      await refused(advice.giveAddress(), home, create(wrong))
    for (const uri of ['https://tool.example.org/', 'http://127.0.0.1:8000/', 'org.example.app:/'])
      await done(home, create(uri))
  },
  saveAsUtf8: async () => {
    const home = await newHome()
    const text = 'email\nren\u00e9@example.org\n'
    await writeFile(at('users.csv'), Buffer.from(text, 'latin1'))
    await refused(advice.saveAsUtf8(), home, ['user', 'import', at('users.csv')])
    await writeFile(at('users.csv'), text)
    await done(home, ['user', 'import', at('users.csv')])
  },
  nameLinksFile: () => importsAgain(advice.nameLinksFile(), ['--links', 'new.csv']),
  removeLinks: () => importsAgain(advice.nameLinksFile(), undefined),
} satisfies Partial<Rows>

async function importsAgain(hint: string, links: readonly string[] | undefined): Promise<void> {
  const home = await newHome()
  await writeFile(at('users.csv'), `email\n${ada}\n`)
  const command = ['user', 'import', at('users.csv')]
  const { stdout, stderr } = await done(home, command)
  expect(stderr).toContain(advice.removeLinks())
  await refused(hint, home, [...command, '--links', stdout.trim()])
  if (links === undefined) await rm(stdout.trim())
  await done(home, [
    ...command,
    ...(links ?? []).map((each) => each.replace('new.csv', at('new.csv'))),
  ])
  expect(await readFile(links ? at('new.csv') : stdout.trim(), 'utf8')).toContain('dep_ln_')
}
