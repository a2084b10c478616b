import type { Deposit } from '../api/deposits.ts'
import type { Page } from '../page.ts'

export function FilesSection(_props: { readonly page: Page; readonly deposit: Deposit }) {
  return null
}
