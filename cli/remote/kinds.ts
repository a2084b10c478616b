import type { RemoteHttp } from './port/remote-http.ts'
import type { Repository } from './port/repository.ts'

/** Which service a remote is. */
export interface RemoteSettings {
  /** As the user named it. */
  readonly name: string
  readonly kind: KindName
  /** Without a slash at its end. */
  readonly url: string
  /** Where deposits go there: the alias of a Dataverse collection, a group of figshare. */
  readonly collection?: string
  /** E-mail address of the person to ask, for Dataverse. */
  readonly contact?: string
}

/** A kind of repository. */
export interface RemoteKind {
  /** For a person. */
  readonly title: string
  /** Undefined where there are many. */
  readonly url?: string
  /** The header with the token. */
  readonly headers: (token: string) => Readonly<Record<string, string>>
  /** Its hosts, where it has several that its documentation names: they may have the token too. */
  readonly hosts?: RegExp
  /** Whether a remote names a collection. */
  readonly collection: 'required' | 'optional' | 'none'
  readonly open: (http: RemoteHttp, settings: RemoteSettings) => Promise<Repository>
}

export const kinds = {
  zenodo: {
    title: 'Zenodo',
    url: 'https://zenodo.org',
    headers: bearer,
    collection: 'none',
    open: async (http) => (await import('./zenodo/zenodo.ts')).Zenodo.open(http),
  },
  rdm: {
    title: 'InvenioRDM',
    headers: bearer,
    collection: 'none',
    open: async (http) => (await import('./rdm/rdm.ts')).Rdm.open(http),
  },
  dataverse: {
    title: 'Dataverse',
    headers: (token) => ({ 'x-dataverse-key': token }),
    collection: 'required',
    open: async (http, { collection = '', contact }) =>
      (await import('./dataverse/dataverse.ts')).Dataverse.open(http, { collection, contact }),
  },
  figshare: {
    title: 'figshare',
    url: 'https://api.figshare.com',
    headers: (token) => ({ authorization: `token ${token}` }),
    // Its uploads and downloads have hosts of their own.
    hosts: /^([\w-]+\.)?figshare\.com$/,
    collection: 'optional',
    open: async (http, { collection }) =>
      (await import('./figshare/figshare.ts')).Figshare.open(http, collection),
  },
} satisfies Readonly<Record<string, RemoteKind>>

export type KindName = keyof typeof kinds

function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` }
}
