import { render, type ComponentType } from 'preact'
import { keepRenewing } from './api/renewal.ts'
import { askOtherTabs, readSession, redeemTicket } from './api/session.ts'
import { speakLanguageOfPage } from './page-language.ts'
import { Account, SignInGate } from './session/sign-in-gate.tsx'
import { readPage, type Page } from './api/page.ts'
import { Toasts } from './ui/messages.tsx'

type PageComponent = ComponentType<{ readonly page: Page }>

/** Each page comes with what it needs and no more. */
const pages: Readonly<Record<Page['page'], () => Promise<PageComponent>>> = {
  index: async () => (await import('./list/list-page.tsx')).ListPage,
  new: async () => (await import('./new-page.tsx')).NewPage,
  edit: async () => (await import('./edit/edit-page.tsx')).EditPage,
  admin: async () => (await import('./admin/admin-gate.tsx')).AdminGate,
  account: async () => (await import('./account/account-page.tsx')).AccountPage,
  'signed-in': async () => (await import('./session/signed-in-page.tsx')).SignedInPage,
}

await speakLanguageOfPage()
const page = readPage()
const [root, account] = [document.getElementById('app'), document.getElementById('account')]
await redeemTicket()
if (page.page !== 'signed-in') {
  if (!readSession()) await askOtherTabs()
  keepRenewing(async (session) => {
    const { renewSession } = await import('./session/sign-in.ts')
    await renewSession(page, session)
  })
}
const Shown = await pages[page.page]()
if (root) {
  root.replaceChildren()
  render(
    <>
      {page.page === 'signed-in' ? (
        <Shown page={page} />
      ) : (
        <SignInGate page={page}>
          <Shown page={page} />
        </SignInGate>
      )}
      <Toasts />
    </>,
    root,
  )
}
if (account) render(<Account page={page} />, account)
