import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runDepositd } from '../support/depositd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

it('depositd config check refuses settings that would be ignored, and warns of those that contradict each other', async () => {
  await using folder = await temporaryFolder()
  const check = (env: Readonly<Record<string, string>>) =>
    runDepositd(join(folder.path, 'home'), ['config', 'check'], env)
  const wrong = await check({
    DEPOSIT_ISSUER_ADMIN_CLAIM: 'groups=admins',
    DEPOSIT_ISSUER_AUDIENCE: 'x',
    DEPOSIT_TRUSTED_PROXIES: '127.0.0.1/99,10.0.0.1,foo',
    DEPOSIT_UI_ENDPOINT: 'javascript:alert("{pid_value}")',
  })
  const samePage = await check({ DEPOSIT_UI_ENDPOINT: 'https://desk.example.org/' })
  const good = await check({ DEPOSIT_UI_ENDPOINT: 'https://desk.example.org/{pid_value}' })
  const odd = await check({
    DEPOSIT_TRUSTED_PROXIES: '10.0.0.1,::/0',
    DEPOSIT_UPLOADS_AT_ONCE: '2',
    DEPOSIT_UPLOADS_AT_ONCE_PER_USER: '8',
    DEPOSIT_QUOTA: '1GB',
    DEPOSIT_MAX_FILE_SIZE: '10GB',
  })
  const presets = await check({ DEPOSIT_UPLOADS_AT_ONCE: '2', DEPOSIT_QUOTA: '1GB' })

  expect(wrong.status).toBe(78)
  for (const said of [
    'Without DEPOSIT_ISSUER, DEPOSIT_ISSUER_AUDIENCE and DEPOSIT_ISSUER_ADMIN_CLAIM would be ignored.',
    'not "127.0.0.1/99" or "foo".',
    'DEPOSIT_UI_ENDPOINT must be an http or https address with {pid_value}',
  ])
    expect(wrong.stderr).toContain(said)
  expect([samePage.status, good.status]).toEqual([78, 0])
  expect(odd.status).toBe(0)
  for (const said of [
    'Warning: DEPOSIT_TRUSTED_PROXIES has ::/0: every client',
    'Warning: DEPOSIT_UPLOADS_AT_ONCE_PER_USER (8) is more than DEPOSIT_UPLOADS_AT_ONCE (2)',
    'Warning: DEPOSIT_MAX_FILE_SIZE is more than DEPOSIT_QUOTA',
  ])
    expect(odd.stderr).toContain(said)
  expect(presets.stderr).not.toContain('Warning')
})
