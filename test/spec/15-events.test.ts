import { describe, expect, it } from 'vitest'
import { createDeposits, Signals, type Parts } from '../../core/index.ts'
import { runAction } from '../../core/service/run-action.ts'
import type { SignalEvents } from '../../core/service/signals.ts'
import { coreParts, owner as caller } from '../support/core-parts.ts'

type Heard = readonly [string, SignalEvents[keyof SignalEvents]]

/** The core on its real adapters with receivers that record their events. */
const sender = { name: 'depositd', url: 'http://127.0.0.1:8420' }

async function listeningParts(stack: AsyncDisposableStack) {
  const real = await coreParts(stack)
  const heard: Heard[] = []
  const reported: unknown[] = []
  const receiver = (name: string) => (event: Heard[1], from: unknown) => {
    expect(from).toBe(sender)
    heard.push([name, event])
  }
  const receivers = {
    beforeRecordUpdate: [receiver('beforeRecordUpdate')],
    afterRecordUpdate: [receiver('afterRecordUpdate')],
    postAction: [() => Promise.reject(new Error('broken')), receiver('postAction')],
  }
  const signals = new Signals(receivers, sender, (error) => reported.push(error))
  const parts: Parts = { ...real, signals }
  const draft = await createDeposits(parts).create(caller, { title: 'Sea level' })
  const run = (name: string) => runAction(parts, { caller, id: draft.id, name })
  return { parts, draft, run, heard, reported }
}

describe('Events: post-action signal', () => {
  it('is sent after publish, edit and discard, once they are committed', async () => {
    await using stack = new AsyncDisposableStack()
    const { parts, draft, run, heard } = await listeningParts(stack)

    for (const name of ['publish', 'edit', 'discard']) {
      const deposit = await run(name)
      const [signal, event] = heard.at(-1) ?? []
      expect(signal).toBe('postAction')
      expect(event).toEqual({
        action: name,
        pid: await parts.database.read.pids.find({ type: 'depid', value: draft.id }),
        deposit,
      })
      expect(await parts.database.read.deposits.find(draft.id)).toEqual(deposit)
    }
  })

  it('is not sent for an action that fails', async () => {
    await using stack = new AsyncDisposableStack()
    const { run, heard } = await listeningParts(stack)

    await expect(run('edit')).rejects.toThrow('Invalid action')
    await expect(run('nope')).rejects.toThrow()
    expect(heard.filter(([name]) => name === 'postAction')).toEqual([])
  })

  it('reports a receiver that fails: the action stands, and the next receiver gets the event', async () => {
    await using stack = new AsyncDisposableStack()
    const { run, heard, reported } = await listeningParts(stack)

    expect((await run('publish')).status).toBe('published')
    expect(reported).toEqual([new Error('broken')])
    expect(heard.map(([name]) => name)).toEqual(['postAction'])
  })
})

describe('Events: before record update, after record update signals', () => {
  it.for(['edit', 'discard'])(
    'are sent around %s, with the deposit as it was and is',
    async (name) => {
      await using stack = new AsyncDisposableStack()
      const { run, heard } = await listeningParts(stack)
      await run('publish')
      if (name === 'discard') await run('edit')
      const [before, after] = name === 'edit' ? ['published', 'draft'] : ['draft', 'published']
      heard.length = 0
      await run(name)

      expect(heard).toMatchObject([
        ['beforeRecordUpdate', { action: name, deposit: { status: before } }],
        ['afterRecordUpdate', { action: name, deposit: { status: after } }],
        ['postAction', { action: name, deposit: { status: after } }],
      ])
    },
  )

  it('are sent around the discard of an edit that a new version closes', async () => {
    await using stack = new AsyncDisposableStack()
    const { run, draft, heard } = await listeningParts(stack)
    await run('publish')
    await run('edit')
    heard.length = 0
    const next = await run('newversion')

    const { id } = draft
    expect(heard).toMatchObject([
      ['beforeRecordUpdate', { action: 'discard', deposit: { id, status: 'draft' } }],
      ['afterRecordUpdate', { action: 'discard', deposit: { id, status: 'published' } }],
      ['postAction', { action: 'discard', deposit: { id, status: 'published' } }],
      ['postAction', { action: 'newversion', deposit: { id: next.id } }],
    ])
  })

  it('are not sent around publish', async () => {
    await using stack = new AsyncDisposableStack()
    const { run, heard } = await listeningParts(stack)
    await run('publish')

    expect(heard.map(([name]) => name)).toEqual(['postAction'])
  })
})
