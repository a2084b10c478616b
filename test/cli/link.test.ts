import { describe, expect, it } from 'vitest'
import { deposit, expectFailure, newDraft, useDaemon } from '../support/cli-at-daemon.ts'

useDaemon()

describe('deposit link create', () => {
  it('takes a duration or a day, and says both of something else', async () => {
    const create = ['link', 'create', await newDraft(), '--expires']
    const words = /"(\S+)" is neither .* such as (\S+), .*, nor a day such as (\S+)\n/

    const refused = await deposit([...create, 'yesterday'])

    expectFailure(refused, 2, 'nor a day')
    const [, given, duration = '', day = ''] = words.exec(refused.stderr) ?? []
    expect(given).toBe('yesterday')
    for (const said of [duration, day])
      expect(await deposit([...create, said])).toMatchObject({ status: 0 })
  })
})
