import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { adminViews } from '../../daemon/pages/text/admin-views.ts'
import { de } from '../../daemon/pages/text/de/de.ts'
import { en } from '../../daemon/pages/text/en.ts'
import { makeScene } from './scene.ts'
import { imports } from '../../daemon/pages/text/imports.ts'
import { listSelection } from '../../daemon/pages/text/list-selection.ts'
import { past } from '../../daemon/pages/text/past.ts'
import { uploads } from '../../daemon/pages/text/uploads.ts'
import { hasBrowser, patience, visit } from './visit.ts'

it.skipIf(!hasBrowser)(
  'somebody whose browser prefers German deposits, publishes and reads in German alone',
  { timeout: patience },
  async () => {
    await using v = await visit({ locale: 'de-DE' }, { DEPOSIT_UI_LANGUAGES: 'en,de' })
    const { page } = v
    const scene = await makeScene(v)

    await page.goto('/deposit')
    await page.locator('.deposit-row').first().waitFor()
    await speaksGerman(page)
    await page.getByRole('link', { name: 'Neue Ablage' }).click()
    await page.getByLabel('Titel').fill('Pegelstände in Cuxhaven')
    await speaksGerman(page)
    await page.getByRole('button', { name: 'Entwurf anlegen' }).click()

    await page.getByRole('heading', { name: 'Das Wichtigste' }).waitFor()
    await page.getByLabel('Art der Ressource').selectOption({ label: 'Datensatz' })
    await page.getByRole('button', { name: 'Person oder Organisation hinzufügen' }).click()
    await page.getByText('Gespeichert', { exact: true }).waitFor()
    await speaksGerman(page)
    await page.getByRole('button', { name: 'Veröffentlichen…' }).click()
    await page.getByRole('dialog').getByText('Vorher empfohlen').waitFor()
    await speaksGerman(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Veröffentlichen' }).click()
    await page.getByRole('link', { name: 'Eintrag ansehen' }).click()
    await page.getByText('Zum ersten Mal veröffentlicht').waitFor()
    await speaksGerman(page)

    for (const path of [
      '/',
      '/records?q=temperature',
      `/deposit/${scene.draft.id}`,
      `/deposit/${scene.published.id}`,
      `/records/${scene.published.metadata._deposit.value}`,
      '/deposit/account',
      '/admin/users',
      '/admin/audit',
      '/nirgends',
    ]) {
      await page.goto(path)
      await page.waitForLoadState('networkidle')
      await speaksGerman(page)
    }
    expect(v.complaints).toEqual([])
  },
)

it.skipIf(!hasBrowser)(
  'a person chooses a language at the foot of a page, by keyboard, and it is kept',
  { timeout: patience },
  async () => {
    await using v = await visit({}, { DEPOSIT_UI_LANGUAGES: 'en,de' })
    const { page } = v
    await page.goto('/deposit?status=draft')
    await page.getByRole('link', { name: 'Deutsch' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Ihre Ablagen' }).waitFor()

    expect(new URL(page.url()).search).toBe('?status=draft')
    await page.goto('/deposit/new')
    await page.getByRole('button', { name: 'Entwurf anlegen' }).waitFor()
    await page.getByRole('link', { name: 'English' }).click()
    await page.getByRole('button', { name: 'Create draft' }).waitFor()
  },
)

it.skipIf(!hasBrowser)('a page in English loads no German', { timeout: patience }, async () => {
  await using v = await visit({}, { DEPOSIT_UI_LANGUAGES: 'en,de' })
  const asked: string[] = []
  v.page.on('request', (request) => asked.push(request.url()))
  await v.page.goto('/deposit/new')
  await v.page.getByRole('button', { name: 'Create draft' }).waitFor()

  expect(asked.filter((url) => url.includes('/assets/')).length).toBeGreaterThan(3)
  expect(asked.filter((url) => /\/assets\/de-/.test(url))).toEqual([])
})

/** English texts that no German text is the same as. */
const english: ReadonlySet<string> = new Set(
  Object.values<string>({
    ...en,
    ...adminViews,
    ...imports,
    ...past,
    ...uploads,
    ...listSelection,
  }).filter((text) => !text.includes('{') && text.length > 3 && !isGerman(text)),
)

function isGerman(text: string): boolean {
  return (Object.values(de.texts) as readonly string[]).includes(text)
}

/** No text, label or hint of the page is one of the English ones. */
async function speaksGerman(page: Page): Promise<void> {
  expect(await page.evaluate<string>('document.documentElement.lang')).toBe('de')
  const said = await page.evaluate<readonly string[]>(`
    const texts = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      if (!walker.currentNode.parentElement.closest('script, pre, code, noscript'))
        texts.push(walker.currentNode.data.trim())
    }
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
      for (const name of ['aria-label', 'title', 'placeholder'])
        texts.push((element.getAttribute(name) ?? '').trim())
    }
    texts
  `)
  expect(said.filter((text) => english.has(text))).toEqual([])
}
