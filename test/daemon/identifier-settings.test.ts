import { writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../daemon/config/config.ts'
import { doiOf } from '../support/doi-daemon.ts'
import { account, scriptedDatacite } from '../support/scripted-datacite.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

const given = {
  DEPOSIT_DOI_PREFIX: '10.5072',
  DEPOSIT_DATACITE_URL: 'http://127.0.0.1:9',
  DEPOSIT_DATACITE_ACCOUNT: 'ABC.DEPOSIT',
  DEPOSIT_DATACITE_PASSWORD_FILE: 'password',
}

type Settings = Readonly<Record<string, string>>

/** @param env with the name of the password file, in the home */
async function read(env: Settings, password = 'secret\n') {
  await using home = await temporaryFolder({ password })
  const file = env['DEPOSIT_DATACITE_PASSWORD_FILE']
  const whole =
    file === 'password' ? { DEPOSIT_DATACITE_PASSWORD_FILE: `${home.path}/${file}` } : {}
  return await readConfig({ ...env, ...whole, DEPOSIT_HOME: home.path })
}

describe('the settings of DataCite', () => {
  it('are taken together, or there are no DOIs', async () => {
    expect((await read({})).identifiers.datacite).toBeUndefined()
    expect((await read(given)).identifiers.datacite).toMatchObject({ prefix: '10.5072' })
    for (const name of Object.keys(given)) {
      const others = Object.fromEntries(Object.entries(given).filter(([each]) => each !== name))
      await expect(read(others)).rejects.toThrow(`need ${name} as well`)
    }
  })

  const production = { DEPOSIT_DATACITE_URL: 'https://api.datacite.org' }
  const test = { DEPOSIT_DATACITE_URL: 'https://api.test.datacite.org' }
  const own = { DEPOSIT_DOI_PREFIX: '10.1234' }
  const seen = { DEPOSIT_PUBLIC_URL: 'https://deposit.example.org' }

  it.each<[string, Settings, string]>([
    ['the test prefix in production', { ...production, ...seen }, 'the prefix for tests'],
    ['another prefix in the test system', { ...test, ...own }, 'is not the prefix for tests'],
    ['a service that others cannot reach', { ...production, ...own }, 'DEPOSIT_PUBLIC_URL'],
    ['an address without https', { DEPOSIT_DATACITE_URL: 'http://example.org' }, 'https://'],
    ['no prefix', { DEPOSIT_DOI_PREFIX: 'abc' }, 'such as 10.5072'],
    ['a missing file', { DEPOSIT_DATACITE_PASSWORD_FILE: '/none' }, 'cannot be read'],
  ])('are refused at the start with %s', async (_name, changes, message) => {
    await expect(read({ ...given, ...changes })).rejects.toThrow(message)
  })

  it('are refused with an empty password', async () => {
    await expect(read(given, '\n')).rejects.toThrow('is empty')
  })

  it('fit each other in production and in the test system', async () => {
    const live = await read({ ...given, ...production, ...own, ...seen })
    expect(live.identifiers.datacite).not.toHaveProperty('resolver')
    const tried = await read({ ...given, ...test })
    expect(tried.identifiers.datacite?.resolver).toBe('https://handle.test.datacite.org/')
  })
})

describe('DEPOSIT_PID_MINTER', () => {
  it('names datacite with its settings alone, and lists what there is', async () => {
    await expect(read({ DEPOSIT_PID_MINTER: 'datacite' })).rejects.toThrow('DEPOSIT_DOI_PREFIX')
    await expect(read({ ...given, DEPOSIT_PID_MINTER: 'datacite' })).resolves.toBeDefined()
    await expect(read({ DEPOSIT_PID_MINTER: 'doi' })).rejects.toThrow(
      'DEPOSIT_PID_MINTER must be one of recid, datacite, ark, not "doi".',
    )
  })

  it('names ark, whose identifiers are registered at once', async () => {
    const env = { DEPOSIT_PID_MINTER: 'ark', DEPOSIT_ARK_NAAN: '12345/x1' }
    await using daemon = await testDaemon({ env })
    const { pids, links } = await daemon.as('ada').createPublished()
    const { value, status } = pids['ark' as keyof typeof pids] as Record<string, string>
    expect({ value, status }).toEqual({ value, status: 'registered' })
    expect(value).toMatch(/^ark:12345\/x1/)
    expect(links['ark']).toBe(`https://n2t.net/${value}`)
    // Resolvers may keep the slash of older ARKs, and hyphens mean nothing.
    const [name = ''] = /12345.*/.exec(value ?? '') ?? []
    for (const ark of [value, `ark:/${name.slice(0, -1)}-${name.slice(-1)}`]) {
      const reply = await fetch(`${daemon.origin}/${ark}`, { redirect: 'manual' })
      expect([reply.status, reply.headers.get('location')]).toEqual([302, links['record_html']])
    }
    expect((await fetch(`${daemon.origin}/ark:12345/x1unknown`)).status).toBe(404)
  })
})

describe('a password that is changed while the daemon runs', () => {
  it('counts for the next request', async () => {
    await using home = await temporaryFolder({ password: 'wrong\n' })
    await using datacite = await scriptedDatacite()
    const env = {
      ...given,
      DEPOSIT_DATACITE_URL: datacite.url,
      DEPOSIT_DATACITE_ACCOUNT: account,
      DEPOSIT_DATACITE_PASSWORD_FILE: `${home.path}/password`,
    }
    await using daemon = await testDaemon({ env })
    const ada = daemon.as('ada')
    const published = await ada.createPublished()
    await expect.poll(() => daemon.warnings().join()).toContain('Bad credentials.')
    await writeFile(`${home.path}/password`, 'secret\n')
    await daemon.operate('doi retry')
    await doiOf(ada, published, 'registered')
  })
})
