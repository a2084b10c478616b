import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Turns } from '../../core/base/turns.ts'

/** Asks for turns and records the order in which they are given. */
function queueAt(turns: Turns) {
  const begun: string[] = []
  const ask = (user: string, name = user, signal?: AbortSignal): Promise<Disposable> => {
    const turn = turns.take(user, signal)
    void turn.then(
      () => begun.push(name),
      () => {},
    )
    return turn
  }
  return { begun, ask }
}

describe('turns', () => {
  it('are limited in total', async () => {
    const { begun, ask } = queueAt(new Turns({ all: 2, each: 2 }))
    const first = await ask('ada')
    await ask('bob')
    const third = ask('eve')
    await setImmediate()
    expect(begun).toEqual(['ada', 'bob'])

    first[Symbol.dispose]()
    await third
    expect(begun).toEqual(['ada', 'bob', 'eve'])
  })

  it('are limited for each user, without making other users wait', async () => {
    const { begun, ask } = queueAt(new Turns({ all: 8, each: 1 }))
    const first = await ask('ada', 'ada 1')
    const second = ask('ada', 'ada 2')
    await ask('bob')
    expect(begun).toEqual(['ada 1', 'bob'])

    first[Symbol.dispose]()
    await second
    expect(begun).toEqual(['ada 1', 'bob', 'ada 2'])
  })

  it('are given to each user in turn, however many one of them waits for', async () => {
    const { begun, ask } = queueAt(new Turns({ all: 1, each: 1 }))
    const asked = ['ada 1', 'ada 2', 'ada 3', 'bob 1', 'bob 2', 'eve'].map((name) =>
      ask(name.split(' ')[0] ?? '', name),
    )
    for (const turn of asked) void turn.then((given) => given[Symbol.dispose]())
    await Promise.all(asked)

    expect(begun).toEqual(['ada 1', 'bob 1', 'eve', 'ada 2', 'bob 2', 'ada 3'])
  })

  it('end once, even when they are ended several times', async () => {
    const { begun, ask } = queueAt(new Turns({ all: 1, each: 1 }))
    const first = await ask('ada', '1')
    first[Symbol.dispose]()
    first[Symbol.dispose]()
    await ask('ada', '2')
    void ask('ada', '3')
    await setImmediate()

    expect(begun).toEqual(['1', '2'])
  })

  it('are not given to a request that ended while it waited', async () => {
    const { begun, ask } = queueAt(new Turns({ all: 1, each: 1 }))
    const first = await ask('ada', '1')
    const controller = new AbortController()
    const gone = ask('ada', '2', controller.signal)
    const third = ask('ada', '3')
    controller.abort(new Error('gone'))
    await expect(gone).rejects.toThrow('gone')

    first[Symbol.dispose]()
    await third
    expect(begun).toEqual(['1', '3'])
  })
})
