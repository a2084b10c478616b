import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { choosePassphrase, passphrase } from '../support/colleague.ts'
import { forgetSession, hasBrowser, patience, visit } from './visit.ts'

const moved = {
  DEPOSIT_RECORDS_UI_ENDPOINTS: JSON.stringify({
    depid: { route: '/desk/<pid_value>' },
    recid: { route: '/catalogue/<pid_value>' },
  }),
}

describe.skipIf(!hasBrowser)(
  'DEPOSIT_RECORDS_UI_ENDPOINTS moves the pages',
  { timeout: patience },
  () => {
    it('with every link on them, from the list to a record and its next version', async () => {
      await using v = await visit({}, moved)
      const { page } = v

      for (const open of ['/', '/catalogue']) {
        await page.goto(open)
        await expectNoLinkToPreset(page)
      }
      await page.goto('/desk')
      await page.getByText('Nothing here yet').waitFor()
      await expectNoLinkToPreset(page)
      await page.getByRole('link', { name: 'New deposit' }).first().click()
      await page.getByLabel('Title').fill('Elsewhere')
      await expectNoLinkToPreset(page)
      await page.getByRole('button', { name: 'Create draft' }).click()
      await page.getByRole('heading', { level: 1, name: 'Elsewhere' }).waitFor()
      expect(pathOf(page)).toMatch(/^\/desk\/[0-9a-f]{32}$/)

      await page.getByRole('button', { name: 'Publish…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
      await page.locator('.where a').first().click()
      await page.getByRole('link', { name: 'Edit this record' }).waitFor()
      expect(pathOf(page)).toMatch(/^\/catalogue\//)
      await expectNoLinkToPreset(page)
      await page.getByRole('link', { name: 'Edit this record' }).click()
      await page.getByRole('button', { name: 'New version' }).click()
      await page.getByText('Previous version').waitFor()
      await page.getByRole('button', { name: 'Delete draft…' }).waitFor()
      await expectNoLinkToPreset(page)
      await page.getByRole('button', { name: 'Delete draft…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete draft' }).click()
      await page.waitForURL('**/desk')

      await page.goto('/desk/nothing')
      await expectNoLinkToPreset(page)
      for (const gone of ['/deposit', '/deposit/new', '/records/nothing']) {
        expect((await page.goto(gone))?.status(), gone).toBe(404)
      }
      expect(v.complaints).toEqual([])
    })

    it('with the page to which a sign-in returns', async () => {
      await using v = await visit({}, moved)
      const { page, daemon } = v
      const printed = await daemon.operate('user add', { email: 'eve@example.org' })
      await choosePassphrase(page, printed.at(-1) ?? '')
      await forgetSession(page)

      await page.goto('/desk/new')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByLabel('E-mail address').fill('eve@example.org')
      await page.getByLabel('Passphrase').fill(passphrase)
      await page.getByRole('button', { name: 'Sign in' }).click()

      await page.getByRole('button', { name: 'Create draft' }).waitFor()
      expect(pathOf(page)).toBe('/desk/new')
    })
  },
)

function pathOf(page: Page): string {
  return new URL(page.url()).pathname
}

async function expectNoLinkToPreset(page: Page): Promise<void> {
  const paths = await page.evaluate<readonly string[]>(
    '[...document.links].map(({ pathname }) => pathname)',
  )
  expect(paths.length).toBeGreaterThan(0)
  expect(paths.filter((path) => /^\/(?:deposit|records)(?:\/|$)/.test(path))).toEqual([])
}
