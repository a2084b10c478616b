import { describe, expect, it } from 'vitest'
import type { Provider, Wanted } from '../../core/ports/provider.ts'
import { describeDocument } from '../support/describe-document.ts'

/** A provider, and a look at what its service says. */
interface Fixture extends AsyncDisposable {
  readonly provider: Provider
  /** Title and address that an identifier is found with there; undefined where nobody finds it. */
  readonly found?: (
    identifier: string,
  ) => { readonly title: string; readonly target: string } | undefined
}

/** The behaviour of every provider of identifiers. */
export function providerContract(name: string, open: () => Promise<Fixture>): void {
  const { signal } = new AbortController()
  const concept = 'fghij-67890'
  const target = 'https://deposit.example.org/records/abcde-12345'
  const wantedOf = (identifier: string, title: string): Wanted => ({
    identifier,
    concept,
    target,
    description: describeDocument({ title, creators: [{ name: 'Carberry, Josiah' }] }),
  })

  describe(`${name} as a provider`, () => {
    it('reserves the same identifier for the same value, and another for each other', async () => {
      await using fixture = await open()
      const { reserve, toUrl } = fixture.provider
      const values = Array.from({ length: 500 }, (_, at) => `value-${at}`)
      const made = values.map(reserve)

      expect(new Set(made).size).toBe(500)
      expect(values.map(reserve)).toEqual(made)
      for (const each of made) expect(toUrl(each)).toMatch(/^https?:\/\/\S+$/)
    })

    it('says what is wanted, however often it is told', async () => {
      await using fixture = await open()
      const { provider, found } = fixture
      const identifier = provider.reserve('abcde-12345')

      for (const title of ['First', 'First', 'Second']) {
        const wanted = wantedOf(identifier, title)
        expect(await provider.want(wanted, signal)).toEqual({ is: 'done' })
        expect(await provider.check(identifier, wanted, signal)).toEqual([])
        if (found) expect(found(identifier)).toEqual({ title, target })
      }
    })

    it('hides what is no longer public, and shows it again', async () => {
      await using fixture = await open()
      const { provider, found } = fixture
      const identifier = provider.reserve('abcde-12345')
      const wanted = wantedOf(identifier, 'Title')
      const hidden = { identifier, concept, target }
      await provider.want(wanted, signal)

      expect(await provider.want(hidden, signal)).toMatchObject({ is: 'done' })
      expect(await provider.check(identifier, hidden, signal)).toEqual([])
      expect(found?.(identifier)).toBeUndefined()
      expect(await provider.want(wanted, signal)).toEqual({ is: 'done' })
      if (found) expect(found(identifier)).toMatchObject({ title: 'Title' })
    })

    it('tells nobody of what was never published', async () => {
      await using fixture = await open()
      const { provider, found } = fixture
      const identifier = provider.reserve('abcde-12345')

      expect(await provider.want({ identifier, concept, target }, signal)).toEqual({ is: 'done' })
      expect(await provider.check(identifier, null, signal)).toEqual([])
      expect(found?.(identifier)).toBeUndefined()
    })
  })
}
