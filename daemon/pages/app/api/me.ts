import { callJson } from './http.ts'
import type { Page } from './page.ts'
import { readSession } from './session.ts'

/** A role on the service, beside those on a deposit. */
export type ServiceRole = 'administrator' | 'curator' | 'reviewer'

/** Who is signed in. */
export interface Me {
  /** Id of the user. */
  readonly user: string
  readonly email: string | null
  readonly name: string | null
  /** Bytes that are in use, and may be. */
  readonly used: number
  readonly quota: number
  readonly roles: readonly ServiceRole[]
}

let asked: { readonly token: string | undefined; readonly answer: Promise<Me> } | undefined

/** Asks once for each token: several parts of a page want to know. */
export function readMe({ routes }: Pick<Page, 'routes'>): Promise<Me> {
  const token = readSession()?.token
  if (asked && asked.token === token) return asked.answer
  const answer = callJson<Me>(routes.me)
  const mine = { token, answer }
  asked = mine
  answer.catch(() => {
    if (asked === mine) asked = undefined
  })
  return answer
}
