import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon({ env: { DEPOSIT_REVIEW: 'required' } })
afterAll(() => daemon[Symbol.asyncDispose]())

const users = {
  ada: daemon.as('ada'),
  rolf: daemon.as('rolf', { roles: ['reviewer'] }),
  cora: daemon.as('cora', { roles: ['curator'] }),
  root: daemon.as('root', { admin: true }),
}
type Name = keyof typeof users
const names = Object.keys(users) as Name[]

const kinds = [
  'change',
  'submit',
  'take-back',
  'return',
  'accept',
  'publish',
  'edit',
  'discard',
] as const
type Kind = (typeof kinds)[number]

interface Step {
  readonly by: Name
  readonly kind: Kind
  /** Revisions that an acceptance is behind. */
  readonly behind: number
}

/** A deposit of `ada`, as the rules have it. */
class Model {
  state: 'draft' | 'submitted' | 'published' = 'draft'
  title = 0
  submitter: Name | undefined
  /** Changed it since it was last published. */
  makers = new Set<Name>()
  published: number | undefined

  /** Whether a step is done; it is made then. */
  step({ by, kind, behind }: Step, next: number): boolean {
    const { state } = this
    const isOwner = by === 'ada' || by === 'root'
    const isReviewer = by !== 'ada'
    switch (kind) {
      case 'change': {
        const isCorrection =
          state === 'submitted' && (by === 'cora' || (by === 'root' && this.submitter !== 'root'))
        if (!(state === 'draft' && isOwner) && !isCorrection) return false
        this.title = next
        this.makers.add(by)
        return true
      }
      case 'submit':
        if (!isOwner || state !== 'draft') return false
        this.submitter = by
        return this.to('submitted')
      case 'take-back':
        return isOwner && state === 'submitted' && this.to('draft')
      case 'return':
        return isReviewer && state === 'submitted' && this.to('draft')
      case 'accept':
        if (!isReviewer || state !== 'submitted' || behind > 0) return false
        if (by !== 'root' && this.makers.has(by)) return false
        this.published = this.title
        return this.to('published')
      case 'publish':
        return false
      case 'edit':
        return isOwner && state === 'published' && this.to('draft')
      case 'discard':
        if (!isOwner || state !== 'draft' || this.published === undefined) return false
        this.title = this.published
        return this.to('published')
    }
  }

  to(state: Model['state']): true {
    this.state = state
    if (state === 'published') this.makers.clear()
    return true
  }
}

async function run(id: string, { by, kind, behind }: Step, next: number): Promise<boolean> {
  const user = users[by]
  const at = `/deposits/${id}`
  if (kind === 'change') return (await user.put(at, { title: String(next) })).status < 300
  const { revision } = await users.root.show({ id })
  const json =
    kind === 'return' ? { message: 'No.' } : { revision: Math.max(-1, revision - behind) }
  const sent = kind === 'return' || kind === 'accept' ? { json } : {}
  return (await user.post(`${at}/actions/${kind}`, sent)).status < 300
}

const step: fc.Arbitrary<Step> = fc.record({
  by: fc.constantFrom(...names),
  kind: fc.constantFrom(...kinds),
  behind: fc.constantFrom(0, 0, 0, 1),
})

const runs = Number(process.env['DEPOSIT_TEST_RUNS'] ?? 15)

it(
  'publishes under `required` what was submitted and accepted, and nothing else',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const model = new Model()
        const { id } = await users.ada.createDraft({ title: '0' })
        for (const [at, each] of steps.entries()) {
          const isDone = await run(id, each, at + 1)
          expect([each, isDone]).toEqual([each, model.step(each, at + 1)])
          const shown: DepositBody = await users.root.show({ id })
          const path = shown.links['record']
          const record = path === undefined ? undefined : await daemon.visitor.get(path)
          const metadata: object | undefined = (record?.body as DepositBody | undefined)?.metadata
          expect(metadata && Reflect.get(metadata, 'title')).toBe(
            model.published === undefined ? undefined : String(model.published),
          )
        }
      }),
      { numRuns: runs },
    )
  },
  Math.max(600_000, runs * 1000),
)
