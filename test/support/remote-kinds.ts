import type { KindName } from '../../cli/remote/kinds.ts'
import { demoToken } from './services/invenio/store.ts'
import type { FakeService } from './services/service.ts'
import { startRdm } from './services/rdm/rdm.ts'
import { startZenodo } from './services/zenodo/zenodo.ts'

/** A deposit or record at a repository, in the same words for all kinds. */
export interface Held {
  readonly isPublished: boolean
  /** Whether anybody can read its files: also later, when an embargo ends. */
  readonly access: 'public' | 'embargoed' | 'restricted'
  /** MD5 of its whole files by name. */
  readonly files: Readonly<Record<string, string>>
}

/** A kind of repository under test. */
export interface KindUnderTest {
  readonly kind: KindName
  readonly start: () => Promise<FakeService>
  readonly token: string
  readonly collection?: string
  /** All that the service holds. */
  readonly held: (state: unknown) => readonly Held[]
  /** Requests that send bytes of files. */
  readonly sendsBytes: RegExp
  readonly publishes: RegExp
  readonly hasFolders: boolean
  /** A new version is the same deposit there, and not another. */
  readonly versionsInOne?: true
  readonly takesEmptyFiles: boolean
  /** Further metadata that it requires. */
  readonly metadata?: string
}

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

const zenodo = (manner: 'today' | 'documented'): KindUnderTest => ({
  kind: 'zenodo',
  start: () => startZenodo({ manner, limit: Infinity }),
  token: demoToken.token,
  held: (state) => (state as readonly ZenodoItem[]).map(toHeld),
  sendsBytes: /^PUT \/api\/files\//,
  publishes: /^POST .*\/actions\/publish$/,
  hasFolders: false,
  takesEmptyFiles: false,
})

interface RdmState {
  readonly document: {
    readonly access?: {
      readonly record?: string
      readonly files?: string
      readonly embargo?: { readonly active?: boolean }
    }
  }
  readonly files: readonly {
    readonly key: string
    readonly md5?: string
    readonly isCommitted?: boolean
  }[]
}

interface RdmItem {
  readonly draft?: RdmState
  readonly published?: RdmState
}

function toHeldByRdm({ draft, published }: RdmItem): Held {
  const { document = {}, files = [] } = published ?? draft ?? {}
  const { record, files: ofFiles, embargo } = document.access ?? {}
  const isOpen = record !== 'restricted' && ofFiles !== 'restricted'
  const limited = embargo?.active === true ? 'embargoed' : 'restricted'
  const whole = files.filter(({ isCommitted }) => isCommitted)
  return {
    isPublished: published !== undefined,
    access: isOpen ? 'public' : limited,
    files: Object.fromEntries(whole.map((file) => [file.key, file.md5 ?? ''])),
  }
}

/** Services that stand in for repositories of others, by the names of tests. */
export const remoteKinds: Readonly<Record<string, KindUnderTest>> = {
  'Zenodo of today': zenodo('today'),
  'Zenodo as documented': zenodo('documented'),
  InvenioRDM: {
    kind: 'rdm',
    start: () => startRdm({ limit: Infinity }),
    token: demoToken.token,
    held: (state) => (state as readonly RdmItem[]).map(toHeldByRdm),
    sendsBytes: /^PUT .*\/content$/,
    publishes: /^POST .*\/actions\/publish$/,
    hasFolders: false,
    takesEmptyFiles: false,
  },
}
