import type { State } from './sharing-states.ts'

/** Pages in German, whose words are longer. */
export const germanStates: readonly State[] = [
  {
    name: 'the list in German',
    open: async ({ page }) => {
      await page.goto('/deposit')
      await page.locator('.deposit-row').first().waitFor()
    },
  },
  {
    name: 'a draft in German',
    open: async ({ page }, { draft }) => {
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Vorschau temperature.csv' }).waitFor()
    },
  },
  {
    name: 'a record in German',
    open: async ({ page }, { published }) => {
      await page.goto(`/records/${published.metadata._deposit.value}`)
      await page.getByRole('button', { name: 'Vorschau temperature.csv' }).waitFor()
    },
  },
  {
    name: 'the code of a device in German',
    open: async ({ page }) => {
      await page.goto('/device')
      await page.getByLabel('Code').fill('BCDF-GHJK')
      await page.getByRole('button', { name: 'Weiter' }).click()
      await page.getByText('Kein Programm wartet auf diesen Code.').waitFor()
    },
  },
]
