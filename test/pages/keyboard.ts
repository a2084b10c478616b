import type { Page } from 'playwright-core'

/** Presses Tab until the element called `name` has the focus; every element must be reachable. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let steps = 0; steps < 150; steps += 1) {
    const called = await focused(page)
    if (typeof name === 'string' ? called.startsWith(name) : name.test(called)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never leads to "${String(name)}"`)
}

/** Leads to the element called `name` by Tab, and presses Enter. */
export async function pressEnterOn(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

/** The accessible name of the element with the focus. */
export function focused(page: Page): Promise<string> {
  return page.evaluate<string>(`(() => {
    const element = document.activeElement
    const label = element.labels?.[0]?.textContent
    return (element.getAttribute('aria-label') ?? label ?? element.textContent).trim()
  })()`)
}
