import { describe, expect, it } from 'vitest'
import { deposit, newPublished, read, useDaemon } from '../support/cli-at-daemon.ts'

useDaemon()

interface Shown {
  readonly links: Readonly<Record<string, string>>
  readonly withdrawn?: object
}

describe('the owner of a record', () => {
  it('withdraws, finds and restores it by its identifier or its address', async () => {
    const id = await newPublished()
    const { links } = (await read(id)) as Shown
    const value = links['record']?.split('/').at(-1) ?? ''
    const done = await deposit(['withdraw', value, '--reason', 'test', '--yes'])
    expect(done.status).toBe(0)

    const list = await deposit(['list'])
    expect(list.stdout).toContain('withdrawn')
    const shown = await deposit(['show', links['record_html'] ?? ''])
    expect(shown.stdout).toContain('Status: withdrawn')
    expect((await deposit(['restore-record', value])).status).toBe(0)
    expect(await read(id)).not.toHaveProperty('withdrawn')
  })
})
