import type { Scene } from './scene.ts'
import type { Visit } from './visit.ts'

/** A page in one of its states. */
export interface State {
  readonly name: string
  readonly open: (visit: Visit, scene: Scene) => Promise<void>
}

/** Pages that show with whom a draft is shared, or that are shared by a link. */
export const sharingStates: readonly State[] = [
  {
    name: 'a draft that is shared',
    open: async ({ page, api }) => {
      const draft = await api('POST', '/deposits/', { title: 'Storm surge of 1953' })
      await api('POST', `/deposits/${draft.id}/people`, { user: 'bob@example.org', role: 'editor' })
      await api('POST', `/deposits/${draft.id}/links`, { role: 'reader', label: 'Reviewer 2' })
      await page.goto(`/deposit/${draft.id}`)
      await page.getByRole('button', { name: 'Revoke Reviewer 2' }).waitFor()
    },
  },
  {
    name: 'a draft that a link shows',
    open: async ({ page, api, upload }) => {
      const draft = await api('POST', '/deposits/', {
        title: 'Storm surge of 1953',
        description: 'Levels.',
        keywords: ['tides'],
        license: 'CC-BY-4.0',
      })
      await upload(draft, 'levels.csv', 'a,b')
      const path = `/deposits/${draft.id}/links`
      const { url } = (await api('POST', path, { role: 'reader' })) as { readonly url?: string }
      await page.goto(url ?? '')
      await page.getByText('You see this deposit by a link').waitFor()
    },
  },
]
