import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operateHere } from '../support/depositd.ts'
import { dataciteSettings } from '../support/doi-daemon.ts'
import { account, scriptedDatacite } from '../support/scripted-datacite.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('depositd config check asks DataCite', () => {
  it('whether it takes the account and its prefix', async () => {
    await using folder = await temporaryFolder()
    await using datacite = await scriptedDatacite()
    const env = await dataciteSettings(folder.path, datacite.url)
    const home = join(folder.path, 'home')

    const { status, stderr } = await operateHere(home, ['config', 'check'], env)

    expect({ status, stderr }).toMatchObject({ status: 0 })
    expect(stderr).toContain(`DataCite takes the account ${account} and the prefix 10.5072.`)
    expect(datacite.requests).toEqual([`GET /repositories/${account}`])
  })

  it('and names a password, an account and a prefix that it does not take', async () => {
    await using folder = await temporaryFolder()
    await using datacite = await scriptedDatacite()
    const env = await dataciteSettings(folder.path, datacite.url)
    const home = join(folder.path, 'home')
    const check = (more: object) => operateHere(home, ['config', 'check'], { ...env, ...more })

    const prefix = await check({ DEPOSIT_DOI_PREFIX: '10.1234' })
    expect(prefix.status).toBe(78)
    expect(prefix.stderr).toContain(
      `DEPOSIT_DOI_PREFIX: 10.1234 is not a prefix of the account ${account}. It has 10.5072.`,
    )
    const other = await check({ DEPOSIT_DATACITE_ACCOUNT: 'demo.other' })
    expect(other.status).toBe(78)
    expect(other.stderr).toContain('DEPOSIT_DATACITE_ACCOUNT')
    await writeFile(env['DEPOSIT_DATACITE_PASSWORD_FILE'] ?? '', 'wrong\n')
    const password = await check({})
    expect(password.status).toBe(78)
    expect(password.stderr).toContain('DataCite does not take the account demo.harbour')
    expect(password.stderr).toContain('DEPOSIT_DATACITE_PASSWORD_FILE')
  })

  it('and warns where it cannot be asked, for a daemon starts without it', async () => {
    await using folder = await temporaryFolder()
    const home = join(folder.path, 'home')
    const away = await dataciteSettings(folder.path, 'http://127.0.0.1:1')
    const unreached = await operateHere(home, ['config', 'check'], away)
    expect(unreached.status).toBe(0)
    expect(unreached.stderr).toContain('Warning: DataCite cannot be asked at http://127.0.0.1:1')

    await using datacite = await scriptedDatacite()
    datacite.fault = () => ({ status: 200, body: '<html>' })
    const env = await dataciteSettings(folder.path, datacite.url)
    const strange = await operateHere(home, ['config', 'check'], env)
    expect(strange.status).toBe(0)
    expect(strange.stderr).toContain('Warning: DataCite cannot be asked')
    expect(strange.stderr).not.toContain('DataCite takes')
  })

  it('not with a folder in place of the file with the password', async () => {
    await using folder = await temporaryFolder()
    await using datacite = await scriptedDatacite()
    const env = {
      ...(await dataciteSettings(folder.path, datacite.url)),
      DEPOSIT_DATACITE_PASSWORD_FILE: '/tmp',
    }
    const { status, stderr } = await operateHere(folder.path, ['config', 'check'], env)

    expect(status).toBe(78)
    expect(stderr).toContain('DEPOSIT_DATACITE_PASSWORD_FILE: /tmp is a folder, not a file.')
    expect(stderr).not.toContain('chmod')
    expect(datacite.requests).toEqual([])
  })
})
