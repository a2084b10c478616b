import { describe, expect, it } from 'vitest'
import { thereOrHere } from '../../daemon/operator/command/there-or-here.ts'
import { StartFailure } from '../../daemon/start-failure.ts'

const busy = (): Promise<never> => Promise.reject(new StartFailure('busy', 'Another depositd.'))

/** Answers one thing after another; the last one for ever. */
function oneAfterAnother<Result>(...steps: readonly (() => Promise<Result>)[]) {
  let at = 0
  return (): Promise<Result> => (steps[at++] ?? steps.at(-1) ?? busy)()
}

const nobody = async (): Promise<undefined> => undefined

describe('a command of an operator', () => {
  it('is done by the daemon that can be asked a moment after it took the home', async () => {
    const there = oneAfterAnother<string | undefined>(nobody, nobody, async () => 'there')

    expect(await thereOrHere(there, busy)).toBe('there')
  })

  it('is done here when whoever had the home is gone', async () => {
    const here = oneAfterAnother(busy, busy, async () => 'here')

    expect(await thereOrHere(nobody, here)).toBe('here')
  })

  it('fails at once with what is no matter of waiting', async () => {
    const here = oneAfterAnother(
      () => Promise.reject(new StartFailure('data', 'damaged')),
      async () => 'here',
    )

    await expect(thereOrHere(nobody, here)).rejects.toThrow('damaged')
  })

  it('ends its wait when it is stopped', async () => {
    await expect(thereOrHere(nobody, busy, AbortSignal.abort())).rejects.toThrow('aborted')
  })
})
