import { describe, expect, it } from 'vitest'
import { actionsScope, writeScope } from '../../core/contract/scopes.ts'
import { parseUserId } from '../../core/access/caller.ts'
import { at, sampleAccount, sampleDraft, sampleFile, sampleToken } from '../support/rows.ts'
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

  describe('an account', () => {
    it('keeps the roles that were granted, and those of claims', async () => {
      const account = await insertAccount({ roles: ['curator'], claimedRoles: ['reviewer'] })

      expect(await read().accounts.find(account.id)).toEqual(account)
      const { roles: _, ...none } = account
      await current().database.write((unit) => unit.accounts.update({ ...none, roles: [] }))
      expect(await read().accounts.find(account.id)).toEqual(none)
    })

    it('is removed with all by which its user signs in, and nothing of others', async () => {
      const [ada, bob] = [await insertAccount(), await insertAccount()]
      const sample = { kind: 'Session', expires: at(59) }
      const entryOf = ({ id }: { readonly id: string }) => ({
        ...sample,
        hash: id,
        payload: { accountId: id },
      })
      await current().database.write(async (unit) => {
        for (const account of [ada, bob]) {
          await unit.tokens.insert(sampleToken(account))
          await unit.passphrases.put(account.id, 'hashed')
          await unit.issuer.put(entryOf(account))
          const answer = { key: 'a', request: 'r', answer: '{}', created: at(1) }
          await unit.answers.put({ user: account.id, ...answer }, at(0))
        }
      })

      await current().database.write((unit) => unit.accounts.remove(ada.id))

      expect(await read().accounts.list()).toEqual([bob])
      const left = [ada, bob].map(async ({ id }) => [
        (await read().tokens.list(id)).length,
        await read().passphrases.find(id),
        (await read().issuer.find('Session', id))?.hash,
        (await read().answers.find(id, 'a'))?.answer,
      ])
      expect(await Promise.all(left)).toEqual([
        [0, undefined, undefined, undefined],
        [1, 'hashed', bob.id, '{}'],
      ])
    })
  })

  it('what the issuer keeps for a user is removed, but for one kind and for others', async () => {
    const [ada, bob] = [await insertAccount(), await insertAccount()]
    const kept = [
      { kind: 'Grant', hash: '1', payload: { accountId: ada.id } },
      { kind: 'AccessToken', hash: '2', payload: { accountId: ada.id }, grant: 'one' },
      { kind: 'PassphraseLink', hash: '3', payload: { user: ada.id } },
      { kind: 'Grant', hash: '4', payload: { accountId: bob.id } },
    ].map((entry) => ({ ...entry, expires: at(59) }))
    await current().database.write(async ({ issuer }) => {
      for (const entry of kept) await issuer.put(entry)
      await issuer.removeOf(ada.id, 'PassphraseLink')
    })

    const left = kept.map(({ kind, hash }) => read().issuer.find(kind, hash))
    expect((await Promise.all(left)).map((entry) => entry?.hash)).toEqual([
      undefined,
      undefined,
      '3',
      '4',
    ])
  })

  describe('the audit trail', () => {
    const entries = [
      { who: 'ada', what: 'PUT', deposit: 'one', from: '192.0.2.1', files: ['a', 'b'] },
      { who: 'bob', what: 'POST', deposit: 'two', from: '192.0.2.2', was: 0, revision: 1 },
      { who: 'ada', what: 'DELETE', deposit: 'two', from: '192.0.2.1', status: 204 },
    ]
    const whats = (found: readonly { readonly what: string }[]) => found.map(({ what }) => what)

    it('is listed newest first, by user, deposit and time, a page at a time', async () => {
      await current().database.write((unit) => unit.audit.add(entries))
      const { audit } = read()

      const all = await audit.list({ limit: 10 })
      expect(all).toMatchObject(entries.toReversed())
      expect(await audit.count()).toBe(3)
      expect(whats(await audit.list({ who: ['ada'], limit: 10 }))).toEqual(['DELETE', 'PUT'])
      expect(whats(await audit.list({ deposit: 'two', limit: 10 }))).toEqual(['DELETE', 'POST'])
      const before = { before: all[0]?.id ?? '', limit: 1 }
      expect(whats(await audit.list(before))).toEqual(['POST'])
      const [now, later] = [all[2]?.at ?? '', '2999-01-01T00:00:00.000Z']
      expect(await audit.list({ since: now, limit: 10 })).toHaveLength(3)
      expect(await audit.list({ since: later, limit: 10 })).toEqual([])
    })

    it('forgets the addresses of a user, and what is too old', async () => {
      await current().database.write(async ({ audit }) => {
        await audit.add(entries)
        await audit.forget('ada')
      })
      const { audit } = read()
      const addresses = (await audit.list({ limit: 10 })).map(({ from }) => from)
      expect(addresses).toEqual([undefined, '192.0.2.2', undefined])
      const removed = (time: string) =>
        current().database.write((unit) => unit.audit.removeBefore(time, 2))
      expect(await removed('2020-01-01T00:00:00.000Z')).toBe(0)
      expect(await removed('2999-01-01T00:00:00.000Z')).toBe(2)
      expect(whats(await audit.list({ limit: 10 }))).toEqual(['DELETE'])
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
        const account = token.user === ada.id ? ada : bob
        expect(await read().tokens.findByHash(token.hash)).toEqual({ grant: token, account })
      }
      expect(await read().tokens.findByHash('f'.repeat(64))).toBeUndefined()
      expect(await read().tokens.list()).toEqual(tokens)
      expect(await read().tokens.list(ada.id)).toEqual([tokens[0], tokens[2]])
    })

    it('are found with what their users have, and may have', async () => {
      const [ada, bob] = [await insertAccount(), await insertAccount({ quota: 5000 })]
      const draft = sampleDraft({ owners: [bob.id] })
      await current().database.write(async (unit) => {
        await unit.deposits.insert(draft)
        await unit.files.add(sampleFile(draft.bucket, 'a', 70))
      })
      const { usage } = read()
      const metadata = await usage.metadata(bob.id)

      expect(await usage.holding(ada.id)).toEqual({
        stored: 0,
        metadata: 0,
        account: { email: ada.email },
      })
      const account = { email: bob.email, quota: 5000 }
      expect(metadata).toBeGreaterThan(0)
      expect(await usage.holding(bob.id)).toEqual({ stored: 70, metadata, account })
      expect(await usage.holding(parseUserId('nobody'))).toEqual({ stored: 0, metadata: 0 })
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
      expect((await read().tokens.findByHash(lasting.hash))?.grant).toEqual(lasting)
      expect((await read().tokens.findByHash(endless.hash))?.grant).toEqual(endless)
    })

    it('belong to an account that exists', async () => {
      const token = sampleToken(sampleAccount())
      const orphan = current().database.write((unit) => unit.tokens.insert(token))

      await expect(orphan).rejects.toThrow()
      expect(await read().tokens.list()).toEqual([])
    })
  })
}
