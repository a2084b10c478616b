import type { Page } from '../page.ts'

export function EditPage({ page }: { readonly page: Page }) {
  return <p>{page.id}</p>
}
