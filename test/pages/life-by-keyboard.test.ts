import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { focused, tabTo } from './keyboard.ts'
import { desktop, hasBrowser, patience, phone, visit } from './visit.ts'

describe.skipIf(!hasBrowser)(
  'the life of a deposit, with the keyboard alone',
  { timeout: patience },
  () => {
    it.for([
      ['a desk', desktop],
      ['a phone', phone],
    ] as const)('goes from the list to a record on %s', async ([, viewport]) => {
      await using v = await visit({ viewport })
      const { page } = v
      const press = (...keys: readonly string[]) => pressAll(page, keys)

      await page.goto('/deposit')
      await page.getByText('Nothing here yet').waitFor()
      await tabTo(page, 'New deposit')
      await press('Enter')
      await page.getByLabel('Title').waitFor()
      await tabTo(page, 'Title')
      await page.keyboard.type('Interviews with lighthouse keepers')
      await tabTo(page, 'Create draft')
      await press('Enter')
      await page.getByRole('heading', { name: 'Interviews with lighthouse keepers' }).waitFor()

      // Choosing files opens the browser's own dialog, which works with the keyboard, too.
      await tabTo(page, 'Choose files')
      const chosen = page.waitForEvent('filechooser')
      // Once this is answered, the browser has registered the listener above.
      expect(await focused(page)).toBe('Choose files')
      await press('Enter')
      const chooser = await chosen
      await chooser.setFiles([
        { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('first') },
        { name: 'b.txt', mimeType: 'text/plain', buffer: Buffer.from('second') },
      ])
      await page.getByRole('button', { name: 'Remove b.txt' }).waitFor()
      await page.getByRole('button', { name: 'Remove a.txt' }).waitFor()

      // A file is moved, and keeps the focus.
      const last = await page.locator('.files ol .file').last().getAttribute('data-id')
      await focus(page, `.files ol .file[data-id="${last}"] [data-move="-1"]`)
      await press('Enter')
      await expect
        .poll(() => page.locator('.files ol .file').first().getAttribute('data-id'))
        .toBe(last)
      await expect.poll(() => focused(page)).toMatch(/^Move down: /)

      // Keywords are added by Enter; elements of a list are reordered.
      await tabTo(page, 'Add a keyword')
      for (const word of ['interviews', 'lighthouses']) {
        await page.keyboard.type(word)
        await press('Enter')
      }
      for (const name of ['Keeper, A.', 'Keeper, B.']) {
        await tabTo(page, 'Add person or organisation')
        await press('Enter')
        await expect.poll(() => focused(page)).toMatch(/^Name/)
        await page.keyboard.type(name)
      }
      await tabTo(page, 'Move up: Person or organisation 2')
      await press('Enter')
      await expect.poll(() => focused(page)).toMatch(/^Move down: Person or organisation 1/)
      expect(await page.getByLabel(/^Name/).first().inputValue()).toBe('Keeper, B.')
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
      await expect
        .poll(async () => (await v.api('GET', `/deposits/${id}`)).metadata['keywords'])
        .toEqual(['interviews', 'lighthouses'])

      // Escape closes the dialog; Enter publishes.
      await tabTo(page, 'Publish…')
      await press('Enter')
      await page.getByRole('dialog').waitFor()
      await press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await expect.poll(() => focused(page)).toBe('Publish…')
      await press('Enter')
      await page.getByRole('dialog').waitFor()
      await tabTo(page, /^Publish$/)
      await press('Enter')
      await page.getByText('Published as').waitFor()

      // Arrow keys move through the list.
      await page.goto('/deposit')
      await page.getByRole('link', { name: 'Interviews with lighthouse keepers' }).waitFor()
      await press('Control+k')
      await expect.poll(() => focused(page)).toBe('Search deposits')
      await page.keyboard.type('nothing')
      await page.getByText('Nothing found').waitFor()
      await press('Control+a')
      await page.keyboard.type('lighth')
      await page.getByRole('link', { name: 'Interviews with lighthouse keepers' }).waitFor()
      await press('ArrowDown')
      await expect.poll(() => focused(page)).toBe('Interviews with lighthouse keepers')
      await press('Enter')
      await page.getByRole('button', { name: 'New version' }).waitFor()

      // Readers find the record, narrow the search, and widen it again.
      await page.goto('/')
      await tabTo(page, 'Search')
      await page.keyboard.type('lighthouse')
      await press('Enter')
      await page.getByRole('heading', { name: '1 record' }).waitFor()
      await tabTo(page, 'interviews')
      await press('Enter')
      await page.waitForURL(/keyword=interviews/)
      await tabTo(page, 'Remove: Keyword: interviews')
      await press('Enter')
      await page.waitForURL((url) => !url.searchParams.has('keyword'))
      await tabTo(page, 'Interviews with lighthouse keepers')
      await press('Enter')
      await page.waitForURL(/\/records\/./)
      expect(v.complaints).toEqual([])
    })
  },
)

async function pressAll(page: Page, keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

async function focus(page: Page, selector: string): Promise<void> {
  for (let steps = 0; steps < 150; steps += 1) {
    await page.keyboard.press('Tab')
    const isThere = `document.activeElement.matches(${JSON.stringify(selector)})`
    if (await page.evaluate<boolean>(isThere)) return
  }
  throw new Error(`Tab never leads to ${selector}`)
}
