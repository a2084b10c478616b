import { describe, expect, it } from 'vitest'
import { startInstitution } from '../support/institution.ts'
import { forgetSession, hasBrowser, patience, visit } from './visit.ts'

describe.skipIf(!hasBrowser)('the pages of an institution', { timeout: patience }, () => {
  it('sign people in at its own issuer, and nowhere else', async () => {
    await using institution = await startInstitution()
    const own = { ...institution.env, DEPOSIT_ISSUER_PAGES_CLIENT: 'coast-pages' }
    await using v = await visit({}, own)
    const { page, daemon } = v
    await institution.addPages(`${daemon.url}/deposit/signed-in`)
    await forgetSession(page)

    await page.goto('/deposit/new')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Title').fill('Signed in elsewhere')
    expect(new URL(page.url()).pathname).toBe('/deposit/new')
    await page.getByRole('button', { name: 'Create draft' }).click()
    await page.getByRole('heading', { level: 1, name: 'Signed in elsewhere' }).waitFor()

    expect(v.complaints).toEqual([])
    const shown = await fetch(`${daemon.url}/deposit`, { headers: { accept: 'text/html' } })
    const policy = shown.headers.get('content-security-policy') ?? ''
    expect(policy).toContain(`connect-src 'self' ${institution.issuer};`)
  })
})
