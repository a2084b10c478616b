import { describe, expect, it } from 'vitest'
import { actionsScope, writeScope } from '../../core/contract/scopes.ts'
import { at, sampleAccount, sampleToken } from '../support/rows.ts'
import type { CurrentFixture } from './database.contract.ts'

/** Rows of accounts and of their tokens. */
export function accountRowsContract(current: CurrentFixture): void {
  const read = () => current().database.read
  const insertAccount = async (changes = {}) => {
    const account = sampleAccount(changes)
    await current().database.write((unit) => unit.accounts.insert(account))
    return account
  }

  describe('accounts', () => {
    it('are found by id and e-mail, and listed oldest first', async () => {
      const later = await insertAccount({ created: at(2), admin: true })
      const earlier = await insertAccount({ created: at(1) })

      expect(await read().accounts.find(later.id)).toEqual(later)
      expect(await read().accounts.findByEmail(earlier.email)).toEqual(earlier)
      expect(await read().accounts.findByEmail('nobody@example.org')).toBeUndefined()
      expect(await read().accounts.list()).toEqual([earlier, later])
    })

    it('have one e-mail each', async () => {
      const { email } = await insertAccount()

      await expect(insertAccount({ email })).rejects.toThrow()
      expect(await read().accounts.list()).toHaveLength(1)
    })

    it('can be changed', async () => {
      const account = await insertAccount()
      const changed = { ...account, admin: true, disabled: true, email: 'new@example.org' }
      await current().database.write((unit) => unit.accounts.update(changed))

      expect(await read().accounts.find(account.id)).toEqual(changed)
    })
  })

  describe('tokens', () => {
    it('are found by their hash, and listed oldest first, of one user or of all', async () => {
      const [ada, bob] = [await insertAccount(), await insertAccount()]
      const bounds = {
        deposit: 'abc',
        expires: at(59),
        scopes: [writeScope, actionsScope] as const,
      }
      const tokens = [
        sampleToken(ada, { created: at(1) }),
        sampleToken(bob, { created: at(2), ...bounds }),
        sampleToken(ada, { created: at(3), scopes: [] }),
      ]
      await current().database.write(async (unit) => {
        for (const token of tokens.toReversed()) await unit.tokens.insert(token)
      })

      for (const token of tokens) {
        expect(await read().tokens.findByHash(token.hash)).toEqual(token)
      }
      expect(await read().tokens.findByHash('f'.repeat(64))).toBeUndefined()
      expect(await read().tokens.list()).toEqual(tokens)
      expect(await read().tokens.list(ada.id)).toEqual([tokens[0], tokens[2]])
    })

    it('are removed once', async () => {
      const token = sampleToken(await insertAccount())
      await current().database.write((unit) => unit.tokens.insert(token))
      const remove = () => current().database.write((unit) => unit.tokens.remove(token.id))

      expect([await remove(), await remove()]).toEqual([1, 0])
      expect(await read().tokens.findByHash(token.hash)).toBeUndefined()
    })

    it('are removed with the token they were made with, and no others are', async () => {
      const account = await insertAccount()
      const first = sampleToken(account, { created: at(1) })
      const second = sampleToken(account, { created: at(2), parent: first.id })
      const third = sampleToken(account, { created: at(3), parent: second.id })
      const other = sampleToken(account, { created: at(4) })
      await current().database.write(async (unit) => {
        for (const token of [first, second, third, other]) await unit.tokens.insert(token)
      })
      expect(await read().tokens.list()).toEqual([first, second, third, other])

      expect(await current().database.write((unit) => unit.tokens.remove(first.id))).toBe(3)

      expect(await read().tokens.list()).toEqual([other])
      expect([await read().tokens.has(third.id), await read().tokens.has(other.id)]).toEqual([
        false,
        true,
      ])
    })

    it('are removed when they have expired, and kept when they do not expire', async () => {
      const account = await insertAccount()
      const [past, lasting] = [
        { ...sampleToken(account), expires: at(1) },
        { ...sampleToken(account), expires: at(9) },
      ]
      const { expires, ...endless } = sampleToken(account)
      await current().database.write(async (unit) => {
        for (const token of [past, lasting, endless]) await unit.tokens.insert(token)
        await unit.tokens.removeExpired(at(5))
      })

      expect(await read().tokens.findByHash(past.hash)).toBeUndefined()
      expect(await read().tokens.findByHash(lasting.hash)).toEqual(lasting)
      expect(await read().tokens.findByHash(endless.hash)).toEqual(endless)
    })

    it('belong to an account that exists', async () => {
      const token = sampleToken(sampleAccount())
      const orphan = current().database.write((unit) => unit.tokens.insert(token))

      await expect(orphan).rejects.toThrow()
      expect(await read().tokens.list()).toEqual([])
    })
  })
}
