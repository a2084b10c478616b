import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { defaults } from '../../core/contract/defaults.ts'
import { configKeys } from '../../daemon/config/keys.ts'
import { configManual } from '../../man/config.ts'

describe('deposit-config(5)', () => {
  it('is current; `npm run manual` makes it so', async () => {
    const page = new URL('../../man/deposit-config.5.md', import.meta.url)
    expect(await readFile(page, 'utf8')).toBe(configManual())
  })

  it('lists every key of the specification', () => {
    expect(Object.keys(configKeys)).toEqual(expect.arrayContaining(Object.keys(defaults)))
    for (const name of Object.keys(configKeys)) expect(configManual()).toContain(`**${name}**`)
  })
})
