import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { bodyOf, send } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())

const names = ['ann', 'ben', 'cat', 'dan'] as const
type Name = (typeof names)[number]
const roles = ['owner', 'editor', 'reader'] as const
type PersonRole = (typeof roles)[number]
const runs = Number(process.env['DEPOSIT_TEST_RUNS'] ?? 12)

/**
 * A step of a history: whoever does it may not be allowed to. The operator disables users and
 * enables them again.
 */
type Step =
  | { readonly do: 'give'; readonly by: Name; readonly to: Name; readonly role: PersonRole }
  | { readonly do: 'take'; readonly by: Name; readonly to: Name }
  | { readonly do: 'offer'; readonly by: Name; readonly to: Name }
  | { readonly do: 'accept'; readonly by: Name }
  | { readonly do: 'link'; readonly by: Name; readonly role: 'reader' | 'editor' }
  | { readonly do: 'revoke'; readonly by: Name }
  | { readonly do: 'disable'; readonly by: Name }
  | { readonly do: 'enable'; readonly by: Name }

const someone = fc.constantFrom(...names)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('give' as const),
    by: someone,
    to: someone,
    role: fc.constantFrom(...roles),
  }),
  fc.record({ do: fc.constant('take' as const), by: someone, to: someone }),
  fc.record({ do: fc.constant('offer' as const), by: someone, to: someone }),
  fc.record({ do: fc.constant('accept' as const), by: someone }),
  fc.record({
    do: fc.constant('link' as const),
    by: someone,
    role: fc.constantFrom('reader', 'editor'),
  }),
  fc.record({ do: fc.constant('revoke' as const), by: someone }),
  fc.record({ do: fc.constant('disable' as const), by: someone }),
  fc.record({ do: fc.constant('enable' as const), by: someone }),
)

/** What should be true of a deposit: a model without rows. */
class Model {
  /** Owners in their order. */
  owners: readonly Name[] = ['ann']
  others = new Map<Name, PersonRole>()
  offer: { readonly to: Name; readonly by: Name } | undefined
  links: { readonly by: Name; readonly role: 'reader' | 'editor'; isGood: boolean }[] = []
  disabled = new Set<Name>()

  roleOf(name: Name): PersonRole | undefined {
    return this.owners.includes(name) ? 'owner' : this.others.get(name)
  }

  /** Whether a step is allowed; then it is taken. */
  take(taken: Step): boolean {
    if (taken.do === 'enable' || taken.do === 'disable') {
      this.disabled[taken.do === 'enable' ? 'delete' : 'add'](taken.by)
      return true
    }
    if (this.disabled.has(taken.by)) return false
    if (taken.do === 'accept') return this.#accept(taken.by)
    if (this.roleOf(taken.by) !== 'owner') return false
    switch (taken.do) {
      case 'give':
        return this.#give(taken.by, taken.to, taken.role)
      case 'take':
        return this.roleOf(taken.to) !== undefined && this.#drop(taken.by, taken.to)
      case 'offer':
        if (taken.to === taken.by) return false
        this.offer = { to: taken.to, by: taken.by }
        return true
      case 'link':
        this.links.push({ by: taken.by, role: taken.role, isGood: true })
        return true
      case 'revoke': {
        const link = this.links.find(({ isGood }) => isGood)
        if (link) link.isGood = false
        return link !== undefined
      }
    }
  }

  #give(by: Name, to: Name, role: PersonRole): boolean {
    if (this.roleOf(to) === role) return true
    if (this.roleOf(to) === 'owner' && !this.#drop(by, to)) return false
    this.others.delete(to)
    if (role === 'owner') this.owners = [...this.owners, to]
    else this.others.set(to, role)
    return true
  }

  #drop(by: Name, to: Name): boolean {
    const isOwner = this.owners.includes(to)
    const rest = this.owners.filter((name) => name !== to)
    if (isOwner && rest.length === 0) return false
    // The first owner leaves by a transfer alone; another who removes them takes their place.
    if (this.owners[0] === to && by === to) return false
    const isFirst = this.owners[0] === to
    if (isOwner) this.owners = isFirst ? [by, ...rest.filter((name) => name !== by)] : rest
    this.others.delete(to)
    if (this.offer?.to === to || this.offer?.by === to) this.offer = undefined
    this.#endLinks()
    return true
  }

  /** Links end with the ownership of those who made them. */
  #endLinks(): void {
    for (const link of this.links) if (!this.owners.includes(link.by)) link.isGood = false
  }

  #accept(by: Name): boolean {
    const { offer } = this
    if (offer?.to !== by || !this.owners.includes(offer.by)) return false
    this.owners = this.owners
      .filter((name) => name !== by)
      .map((name) => (name === offer.by ? by : name))
    this.others.delete(by)
    this.offer = undefined
    this.#endLinks()
    return true
  }
}

/** A deposit of a fresh set of users. */
async function setting() {
  const stamp = `${Date.now()}${Math.floor(Math.random() * 1e6)}`
  const users = new Map<Name, User>(names.map((name) => [name, daemon.as(`${name}${stamp}`)]))
  const of = (name: Name): User => {
    const user = users.get(name)
    if (!user) throw new Error('there is such a user')
    return user
  }
  const ids = new Map<Name, string>()
  for (const name of names)
    ids.set(name, bodyOf<{ readonly user: string }>(await of(name).get('/me'), 200).user)
  const draft = await of('ann').createDraft({ title: `History ${stamp}` })
  return { of, ids, draft, stamp, path: `/deposits/${draft.id}` }
}

type Setting = Awaited<ReturnType<typeof setting>>

/** @param links of the model, before the step */
async function run(
  given: Setting,
  secrets: Link[],
  links: readonly { readonly isGood: boolean }[],
  taken: Step,
): Promise<boolean> {
  const { of, ids, path, stamp } = given
  const by = of(taken.by)
  const email = (name: Name) => `${name}${stamp}@example.org`
  const isDone = async (reply: Promise<{ readonly status: number }>) => (await reply).status < 300
  switch (taken.do) {
    case 'give':
      return isDone(
        by.post(`${path}/people`, { json: { user: email(taken.to), role: taken.role } }),
      )
    case 'take':
      return isDone(by.delete(`${path}/people/${ids.get(taken.to)}`))
    case 'offer':
      return isDone(by.post(`${path}/transfer`, { json: { user: email(taken.to) } }))
    case 'accept':
      return isDone(by.post(`${path}/transfer/accept`))
    case 'disable':
    case 'enable':
      await daemon.operate(`user ${taken.do}`, { email: email(taken.by) })
      return true
    case 'link': {
      const reply = await by.post(`${path}/links`, { json: { role: taken.role } })
      if (reply.status === 201) secrets.push(reply.body as Link)
      return reply.status === 201
    }
    case 'revoke': {
      const at = links.findIndex(({ isGood }) => isGood)
      return (await by.delete(`${path}/links/${secrets[at]?.id ?? '0'}`)).status === 204
    }
  }
}

interface Link {
  readonly id: string
  readonly url: string
}

/** Who reads, changes and finds the deposit, by the service and by the model. */
async function compare(
  { of, path, draft, stamp }: Setting,
  secrets: readonly Link[],
  model: Model,
) {
  const seen: unknown[] = []
  const wanted: unknown[] = []
  for (const name of names) {
    const role = model.disabled.has(name) ? undefined : model.roleOf(name)
    const user = of(name)
    const reads = (await user.get(path)).status === 200
    const changes = (await user.patch(path, [])).status === 200
    const isOut = model.disabled.has(name)
    const listed = !isOut && (await user.search()).hits.hits.some(({ id }) => id === draft.id)
    const found = isOut ? 0 : (await user.search(`q=title:${stamp}`)).hits.total
    seen.push([name, reads, changes, listed, found])
    const mayChange = role === 'owner' || role === 'editor'
    wanted.push([name, role !== undefined, mayChange, role !== undefined, role ? 1 : 0])
  }
  for (const [at, { url }] of secrets.entries()) {
    const cookie = `deposit_link=${new URL(url).searchParams.get('key')}`
    const read = await send('GET', daemon.url + path, { headers: { cookie } })
    const changed = await send('PATCH', daemon.url + path, {
      json: [],
      headers: { cookie, 'content-type': 'application/json-patch+json' },
    })
    seen.push([at, read.status === 200, changed.status === 200])
    const link = model.links[at]
    const isGood = link?.isGood === true && !model.disabled.has(link.by)
    wanted.push([at, isGood, isGood && link.role === 'editor'])
  }
  expect(seen).toEqual(wanted)
}

describe('any history of people and links', () => {
  it(
    'lets read, change and find what a small model says',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (history) => {
          const given = await setting()
          const model = new Model()
          const secrets: Link[] = []
          for (const taken of history) {
            const before = model.links.map((link) => ({ ...link }))
            const isAllowed = model.take(taken)
            expect([taken, await run(given, secrets, before, taken)]).toEqual([taken, isAllowed])
          }
          await compare(given, secrets, model)
        }),
        { numRuns: runs, endOnFailure: true },
      )
    },
    Math.max(600_000, runs * 1000),
  )
})
