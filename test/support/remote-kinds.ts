import type { KindName } from '../../cli/remote/kinds.ts'
import { startDataverse } from './services/dataverse/dataverse.ts'
import { demoKey, type DataverseOptions } from './services/dataverse/store.ts'
import { startFigshare } from './services/figshare/figshare.ts'
import { demoToken as figshareToken } from './services/figshare/store.ts'
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
  /** Further options of `deposit remote add`. */
  readonly options?: readonly string[]
  /** All that the service holds. */
  readonly held: (state: unknown) => readonly Held[]
  /** Requests that send bytes of files. */
  readonly sendsBytes: RegExp
  readonly publishes: RegExp
  /** Statuses with which it refuses to publish what is published. */
  readonly publishedAlready: readonly number[]
  readonly hasFolders: boolean
  /** Of a kind that is tried whole in another way: with fewer faults. */
  readonly isVariant?: true
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
  publishedAlready: [403, 404],
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

interface Dataset {
  readonly versions: readonly {
    readonly number?: unknown
    readonly files: readonly {
      readonly label: string
      readonly directoryLabel?: string
      readonly restricted: boolean
      readonly checksum: { readonly value: string }
    }[]
  }[]
}

function toHeldByDataverse({ versions }: Dataset): Held {
  const { number, files = [] } = versions.at(-1) ?? {}
  return {
    isPublished: number !== undefined,
    access: files.every(({ restricted }) => restricted) ? 'restricted' : 'public',
    files: Object.fromEntries(
      files.map(({ label, directoryLabel: folder, checksum }) => [
        folder === undefined ? label : `${folder}/${label}`,
        checksum.value,
      ]),
    ),
  }
}

const dataverse = (options: DataverseOptions): KindUnderTest => ({
  kind: 'dataverse',
  start: () => startDataverse(options),
  token: demoKey,
  options: ['--collection', 'root', '--contact', 'ada@example.org'],
  held: (state) => (state as readonly Dataset[]).map(toHeldByDataverse),
  sendsBytes: /^(?:POST .*\/(?:add\?|replace$)|PUT \/s3\/)/,
  publishes: /^POST .*\/actions\/:publish/,
  publishedAlready: [403],
  hasFolders: true,
  takesEmptyFiles: true,
  versionsInOne: true,
})

interface FigshareFile {
  readonly name: string
  readonly status: string
  readonly computedMd5: string
}

interface Article {
  readonly files: readonly FigshareFile[]
  readonly isChanged: boolean
  readonly versions: readonly { readonly files: readonly FigshareFile[] }[]
}

function toHeldByFigshare({ files, versions, isChanged }: Article): Held {
  return {
    isPublished: versions.length > 0 && !isChanged,
    access: 'public',
    files: Object.fromEntries(
      files
        .filter(({ status }) => status === 'available')
        .map(({ name, computedMd5 }) => [name, computedMd5]),
    ),
  }
}

/** Services that stand in for repositories of others, by the names of tests. */
export const remoteKinds = {
  'Zenodo of today': zenodo('today'),
  'Zenodo as documented': { ...zenodo('documented'), isVariant: true },
  InvenioRDM: {
    kind: 'rdm',
    start: () => startRdm({ limit: Infinity }),
    token: demoToken.token,
    held: (state) => (state as readonly RdmItem[]).map(toHeldByRdm),
    sendsBytes: /^PUT .*\/content$/,
    publishes: /^POST .*\/actions\/publish$/,
    publishedAlready: [404],
    hasFolders: false,
    takesEmptyFiles: false,
  },
  Dataverse: dataverse({}),
  figshare: {
    kind: 'figshare',
    start: () => startFigshare({ partSize: 300_000 }),
    token: figshareToken,
    held: (state) => (state as readonly Article[]).map(toHeldByFigshare),
    sendsBytes: /^PUT \/upload\//,
    publishes: /^POST .*\/publish$/,
    publishedAlready: [400],
    hasFolders: false,
    takesEmptyFiles: false,
    versionsInOne: true,
    metadata: 'subjects: [{subject: Oceanography}]\n',
  },
  'Dataverse with an object store': {
    ...dataverse({ direct: true, partSize: 300_000, workflow: true }),
    isVariant: true,
  },
} satisfies Readonly<Record<string, KindUnderTest>>
