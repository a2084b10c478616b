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
