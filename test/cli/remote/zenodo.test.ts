import { demoToken } from '../../support/services/invenio/store.ts'
import { startZenodo } from '../../support/services/zenodo/zenodo.ts'
import { behavesAsRepository, type Held } from './behaviour.ts'

interface ZenodoState {
  readonly document: { readonly access_right?: string }
  readonly files: readonly { readonly key: string; readonly md5?: string }[]
}

/** As a service of the Invenio family tells its state. */
interface ZenodoItem {
  readonly draft?: ZenodoState
  readonly published?: ZenodoState
}

const rights: Readonly<Record<string, Held['access']>> = { open: 'public', embargoed: 'embargoed' }

function toHeld({ draft, published }: ZenodoItem): Held {
  const { document = {}, files = [] } = published ?? draft ?? {}
  return {
    isPublished: published !== undefined,
    access: rights[document.access_right ?? ''] ?? 'restricted',
    files: Object.fromEntries(files.map((file) => [file.key, file.md5 ?? ''])),
  }
}

for (const manner of ['today', 'documented'] as const) {
  behavesAsRepository({
    kind: 'zenodo',
    start: () => startZenodo({ manner, lag: 1 }),
    token: demoToken.token,
    held: (state) => (state as readonly ZenodoItem[]).map(toHeld),
    sendsBytes: /^PUT \/api\/files\//,
    publishes: /^POST .*\/actions\/publish$/,
    hasFolders: false,
    takesEmptyFiles: false,
  })
}
