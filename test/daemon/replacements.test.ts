import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DepositBody, ProblemBody } from '../../core/contract/schemas.ts'
import { operateHere } from '../support/depositd.ts'
import { doiDaemon, doiOf, type DoiDaemon } from '../support/doi-daemon.ts'
import { bodyOf } from '../support/http.ts'
import type { User } from '../support/user.ts'

let fixture: DoiDaemon
let ada: User

beforeAll(async () => {
  fixture = await doiDaemon()
  ada = fixture.daemon.as('ada')
})
afterAll(() => fixture[Symbol.asyncDispose]())

interface Named {
  readonly deposit: DepositBody
  readonly value: string
  /** Ways to name the record, of which each means the same. */
  readonly names: readonly string[]
}

async function publish(title: string): Promise<Named> {
  const deposit = await ada.createPublished({ title })
  const { value: doi } = await doiOf(ada, deposit, 'registered')
  const { id: value } = await ada.record(deposit)
  const { origin } = fixture.daemon
  const addresses = [`${origin}/records/${value}`, `${origin}/api/records/${value}?revision=1`]
  const alias = `${origin.replace('127.0.0.1', 'localhost')}/records/${value}`
  const dois = [doi, doi.toUpperCase(), `doi:${doi}`, `https://doi.org/${doi}`]
  return { deposit, value, names: [value, ...addresses, alias, ...dois] }
}

const withdraw = ({ deposit: { id } }: Named, replaced_by: string) =>
  ada.post(`/deposits/${id}/actions/withdraw`, { json: { reason: 'retracted', replaced_by } })

describe('the replacement of a record that is withdrawn', () => {
  it('is a record of this service, by each of its names', async () => {
    const { names, value } = await publish('Right levels')
    for (const name of names) {
      const wrong = await publish('Wrong levels')
      bodyOf(await withdraw(wrong, name), 202)
      const { tombstone } = bodyOf<ProblemBody>(
        await fixture.daemon.visitor.get(`/records/${wrong.value}`),
        410,
      )
      expect(tombstone?.replaced_by?.url, name).toContain(value)
    }
  })

  it('is not itself, by none of its names', async () => {
    const wrong = await publish('Wrong levels')
    for (const name of wrong.names) {
      const { errors } = bodyOf<ProblemBody>(await withdraw(wrong, name), 400)
      expect(errors, name).toMatchObject([
        { field: '/replaced_by', message: 'A record cannot be replaced by itself.' },
      ])
    }
  })

  it('is not a record that nobody can read, by none of its names', async () => {
    const gone = await publish('Withdrawn levels')
    bodyOf(await withdraw(gone, 'https://example.org/levels'), 202)
    const draft = await ada.createDraft({ title: 'Draft of levels' })
    const { pids } = bodyOf<DepositBody>(await ada.act(draft, 'reserve'), 201)
    const { origin } = fixture.daemon
    const wrong = await publish('Wrong levels')
    const names = [
      ...gone.names,
      pids.doi?.value ?? '',
      '10.5072/none-such',
      `${origin}/records/none-such`,
      `${origin}/deposits/${wrong.deposit.id}`,
    ]
    for (const name of names) {
      const { errors } = bodyOf<ProblemBody>(await withdraw(wrong, name), 400)
      expect(errors, name).toMatchObject([{ field: '/replaced_by' }])
    }
  })

  it('is not the newest of all versions, where that is itself', async () => {
    const wrong = await publish('Wrong levels')
    const concept = wrong.deposit.pids.concept.value
    const { errors } = bodyOf<ProblemBody>(await withdraw(wrong, concept), 400)
    expect(errors).toMatchObject([{ field: '/replaced_by' }])

    const draft = bodyOf<DepositBody>(await ada.act(wrong.deposit, 'newversion'), 201)
    await ada.publish(draft)
    bodyOf(await withdraw(wrong, concept), 202)
  })

  it.each(['10.1234/levels', 'doi:10.1234/levels', 'https://doi.org/10.1234/levels'])(
    'is a DOI from elsewhere: %s',
    async (name) => {
      const wrong = await publish('Wrong levels')
      bodyOf(await withdraw(wrong, name), 202)
    },
  )

  it.each(['doi:levels', 'https://doi.org/levels', 'https://', 'levels', 'ftp://example.org/a'])(
    'is not a text that is neither: %s',
    async (name) => {
      bodyOf(await withdraw(await publish('Wrong levels'), name), 400)
    },
  )

  it('is judged in the same way for the operator', async () => {
    const { home, env } = fixture
    const right = await publish('Right levels')
    const wrong = await publish('Wrong levels')
    const asked = ['record', 'withdraw', wrong.value, '--reason', 'test', '--replaced-by']
    for (const name of wrong.names) {
      const { status, stderr } = await operateHere(home, [...asked, name], env)
      expect([status, stderr], name).toMatchObject([1, expect.stringContaining('by itself')])
    }
    expect(await operateHere(home, [...asked, right.names[1] ?? ''], env)).toMatchObject({
      status: 0,
    })
  })
})
