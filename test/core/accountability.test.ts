import { expect, it } from 'vitest'
import { accountable, actAs, createDeposits } from '../../core/index.ts'
import { coreParts, owner } from '../support/core-parts.ts'

const metadata = { title: 'Sea level' }

it('A change and its entry in the audit trail are both kept, or neither of them', async () => {
  await using stack = new AsyncDisposableStack()
  const parts = await coreParts(stack)
  const { read } = parts.database
  const deposits = createDeposits(parts)
  const entries = () => read.audit.list({ limit: 10 })
  const asAda = (tell: () => { readonly what: string }) => {
    const act = { tell: () => ({ who: owner.user, ...tell() }), noted: () => {} }
    return actAs(act, () => deposits.create(owner, metadata))
  }

  const made = await asAda(() => ({ what: 'made it' }))
  await expect(
    asAda(() => {
      throw new Error('the entry cannot be made')
    }),
  ).rejects.toThrow('cannot be made')

  expect(await entries()).toMatchObject([
    { who: owner.user, what: 'made it', deposit: made.id, revision: 0 },
  ])
  const { draft } = await read.deposits.countByStatus({ of: 'deposits' })
  expect(draft).toBe(1)
})

it('What the service does by itself, and what changes nothing, is not in the audit trail', async () => {
  await using stack = new AsyncDisposableStack()
  const parts = await coreParts(stack)
  const { read, write } = accountable(parts.database)
  const act = { tell: () => ({ what: 'looked' }), noted: () => {} }

  await createDeposits(parts).create(owner, metadata)
  await actAs(act, () => write((unit) => unit.accounts.count()))

  expect(await read.audit.list({ limit: 10 })).toEqual([])
})
