import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { proveOwner } from '../../core/contract/owner-proof.ts'
import { send } from '../support/http.ts'
import { forgetSession, hasBrowser, patience, visit } from './visit.ts'

describe.skipIf(!hasBrowser)('a page opened with a ticket', { timeout: patience }, () => {
  it('is signed in, once, and removes the ticket from the address', async () => {
    await using v = await visit()
    const { page, daemon } = v
    const ticket = await newTicket(daemon)
    await forgetSession(page)

    await page.goto(`/deposit?fresh#ticket=${ticket}`)
    await page.getByText('Nothing here yet').waitFor()
    expect(page.url()).not.toContain(ticket)

    const again = await send('POST', `${daemon.url}/oauth/ticket`, { json: { ticket } })
    expect(again.status).toBe(401)
  })
})

/** The request of `deposit open` as the owner of the machine. */
async function newTicket({ home, url }: { home: string; url: string }): Promise<string> {
  const key = (await readFile(join(home, 'owner.key'), 'utf8')).trim()
  const path = '/local/ticket'
  const proof = proveOwner(key, { method: 'POST', path, host: new URL(url).host })
  const { body } = await send('POST', url + path, { headers: { authorization: proof } })
  return (body as { readonly ticket: string }).ticket
}
