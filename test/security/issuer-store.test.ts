import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openSqliteDatabase } from '../../core/adapters/database/sqlite-database.ts'
import { systemClock } from '../../core/index.ts'
import { issuerStore } from '../../daemon/sign-in/issuer/issuer-store.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

it('the issuer finds no object of another kind by the user code of a device', async () => {
  await using folder = await temporaryFolder()
  await using database = await openSqliteDatabase(join(folder.path, 'deposit.db'), () => {})
  const store = issuerStore({ database, clock: systemClock })
  const devices = store('DeviceCode')
  await devices.upsert('a device', { userCode: 'BCDF-GHJK' }, 60)

  expect(await devices.findByUserCode('BCDF-GHJK')).toMatchObject({ userCode: 'BCDF-GHJK' })
  expect(await store('BackchannelAuthenticationRequest').findByUid('BCDF-GHJK')).toBeUndefined()
})

it('the issuer keeps no token of a sign-in that ended while it was renewed', async () => {
  await using folder = await temporaryFolder()
  await using database = await openSqliteDatabase(join(folder.path, 'deposit.db'), () => {})
  const store = issuerStore({ database, clock: systemClock })
  const [grants, tokens] = [store('Grant'), store('AccessToken')]
  await grants.upsert('a grant', { accountId: 'ada' }, 60)
  await tokens.upsert('first', { grantId: 'a grant', accountId: 'ada' }, 60)
  expect(await tokens.find('first')).toMatchObject({ accountId: 'ada' })

  await tokens.revokeByGrantId('a grant')

  const late = tokens.upsert('second', { grantId: 'a grant', accountId: 'ada' }, 60)
  await expect(late).rejects.toMatchObject({ error: 'invalid_grant' })
  expect([await tokens.find('first'), await tokens.find('second')]).toEqual([undefined, undefined])
})
