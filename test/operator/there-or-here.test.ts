import { describe, expect, it } from 'vitest'
import { thereOrHere } from '../../daemon/operator/command/there-or-here.ts'
import { StartFailure } from '../../daemon/start-failure.ts'

const busy = (): Promise<never> => Promise.reject(new StartFailure('busy', 'Another depositd.'))

/** Returns the results in turn, and the last one for ever. */
function oneAfterAnother<Result>(...steps: readonly (() => Promise<Result>)[]) {
  let at = 0
  return (): Promise<Result> => (steps[at++] ?? steps.at(-1) ?? busy)()
}

const nobody = async (): Promise<undefined> => undefined

describe('a command of an operator', () => {
  it('waits for a starting daemon, and runs there', async () => {
    const there = oneAfterAnother<string | undefined>(nobody, nobody, async () => 'there')

    expect(await thereOrHere(there, busy)).toBe('there')
  })

  it('runs here once the other process is gone', async () => {
    const here = oneAfterAnother(busy, busy, async () => 'here')

    expect(await thereOrHere(nobody, here)).toBe('here')
  })

  it('does not wait on other errors', async () => {
    const here = oneAfterAnother(
      () => Promise.reject(new StartFailure('data', 'damaged')),
      async () => 'here',
    )

    await expect(thereOrHere(nobody, here)).rejects.toThrow('damaged')
  })

  it('stops waiting when it is interrupted', async () => {
    await expect(thereOrHere(nobody, busy, AbortSignal.abort())).rejects.toThrow('aborted')
  })
})
