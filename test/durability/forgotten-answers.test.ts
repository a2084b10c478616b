import { expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf } from '../support/http.ts'
import { runBehind } from '../support/rows-behind.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon, type TestDaemon } from '../support/test-daemon.ts'

const hourMs = 3_600_000

async function create(daemon: TestDaemon): Promise<string> {
  const sent = { json: { title: 'Tides' }, headers: { 'idempotency-key': 'key' } }
  return bodyOf<DepositBody>(await daemon.as('owner').post('/deposits/', sent), 201).id
}

/** Backdates every answer by this many hours. */
async function makeOld(home: string, hours: number): Promise<void> {
  const created = new Date(Date.now() - hours * hourMs).toISOString()
  await runBehind(home, `UPDATE answers SET created = '${created}'`)
}

it('an Idempotency-Key is valid for 24 hours, and can then be used for another request', async () => {
  await using daemon = await testDaemon()
  const first = await create(daemon)

  await makeOld(daemon.home, 23)
  expect(await create(daemon)).toBe(first)

  await makeOld(daemon.home, 25)
  const second = await create(daemon)
  expect(second).not.toBe(first)
  expect(await create(daemon)).toBe(second)
})

it('expired answers are removed', async () => {
  await using home = await temporaryFolder()
  {
    await using daemon = await testDaemon({ home: home.path })
    await create(daemon)
  }
  await makeOld(home.path, 25)

  await using _ = await testDaemon({ home: home.path })

  await expect.poll(() => runBehind(home.path, 'SELECT created FROM answers')).toEqual([])
})
