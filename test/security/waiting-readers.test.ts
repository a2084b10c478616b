import { afterAll, describe, expect, it } from 'vitest'
import { bodyOf, type Reply } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'
import { User } from '../support/user.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())

/** Requests that wait for each other, each for the turn of its user. */
const many = 60

/** A large draft of Ada, whom somebody else reads it of, and the reader's id and token. */
async function setting(name: string) {
  const ada = daemon.as(`ada-${name}`)
  const draft = await ada.createDraft({ title: 'Before', notes: 'x'.repeat(1_000_000) })
  const path = `/deposits/${draft.id}`
  const eve = daemon.as(`eve-${name}`)
  const { user } = bodyOf<{ readonly user: string }>(await eve.get('/me'), 200)
  const json = { user: `eve-${name}@example.org`, role: 'reader' }
  bodyOf(await ada.post(`${path}/people`, { json }), 201)
  const made = bodyOf<{ readonly id: string; readonly token: string }>(
    await eve.post('/tokens/', { json: { scope: '' } }),
    201,
  )
  const reader = new User(daemon.url, async () => made.token)
  return { ada, path, eve, user, token: made.id, reader }
}

type Setting = Awaited<ReturnType<typeof setting>>

const endings: Readonly<Record<string, (made: Setting) => Promise<Reply>>> = {
  role: ({ ada, path, user }) => ada.delete(`${path}/people/${user}`),
  token: ({ eve, token }) => eve.delete(`/tokens/${token}`),
}

const questions: Readonly<Record<string, (made: Setting) => string>> = {
  'the draft': ({ path }) => path,
  'the draft indented': ({ path }) => `${path}?prettyprint=1`,
  lists: () => '/deposits/?size=50',
}

describe('One who waits for a large answer', () => {
  const cases = Object.keys(endings).flatMap((ending) =>
    Object.keys(questions).map((question) => [ending, question] as const),
  )
  it.for(cases)('is not told after the end of their %s what changed: %s', async (given, _) => {
    const [ending, question] = given
    const made = await setting(`${ending}-${question.replaceAll(' ', '-')}`)
    const { ada, path, reader } = made
    const url = questions[question]?.(made) ?? ''
    const asked = Array.from({ length: many }, () => reader.get(url).catch(() => undefined))
    await Promise.race(asked)

    expect((await endings[ending]?.(made))?.status).toBe(204)
    const headers = { 'content-type': 'application/merge-patch+json' }
    const changed = await ada.send('PATCH', path, { json: { title: 'Afterwards' }, headers })
    expect(changed.status).toBe(200)

    const replies = await Promise.all(asked)
    const told = replies.map((reply) => reply?.bytes.toString() ?? '')
    expect(told.filter((text) => text.includes('Before')).length).toBeGreaterThan(0)
    expect(told.filter((text) => text.includes('Afterwards'))).toEqual([])
  })
})
