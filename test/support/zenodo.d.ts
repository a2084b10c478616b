/** The client for Zenodo by cheminfo, which brings no types. */
declare module 'zenodo' {
  interface Reply<Data> {
    readonly status: number
    readonly data: Data
  }

  export interface Deposition {
    readonly id: number
    readonly conceptrecid: string
    readonly state: string
    readonly submitted: boolean
    readonly title: string
    readonly doi?: string
    readonly metadata: Readonly<Record<string, unknown>>
    readonly files: readonly ListedFile[]
    readonly links: Readonly<Record<string, string>>
  }

  interface ListedFile {
    readonly id: string
    readonly filename: string
    readonly filesize: number
    readonly checksum: string
  }

  interface StoredFile {
    readonly key: string
    readonly checksum: string
    readonly version_id: string
    readonly size: number
  }

  type Named = { readonly id: number }

  class Zenodo {
    constructor(options: {
      readonly protocol: string
      readonly host: string
      readonly pathPrefix: string
      readonly token: string
    })

    readonly depositions: {
      readonly list: (options?: object) => Promise<Reply<readonly Deposition[]>>
      readonly create: (options?: { readonly metadata?: object }) => Promise<Reply<Deposition>>
      readonly retrieve: (options: Named) => Promise<Reply<Deposition>>
      readonly update: (
        options: Named & { readonly metadata: object },
      ) => Promise<Reply<Deposition>>
      readonly delete: (options: Named) => Promise<Reply<unknown>>
      readonly publish: (options: Named) => Promise<Reply<Deposition>>
      readonly edit: (options: Named) => Promise<Reply<Deposition>>
      readonly discard: (options: Named) => Promise<Reply<Deposition>>
      readonly newversion: (options: Named) => Promise<Reply<Deposition>>
      readonly files: (options: Named) => Promise<Reply<readonly ListedFile[]>>
      readonly sort: (
        options: Named & { readonly data: object },
      ) => Promise<Reply<readonly ListedFile[]>>
    }

    readonly files: {
      readonly upload: (options: {
        readonly deposition: Deposition
        readonly filename: string
        readonly data: Buffer
      }) => Promise<Reply<StoredFile>>
      readonly delete: (options: {
        readonly deposition: Deposition
        readonly versionId?: string
        readonly filename: string
      }) => Promise<Reply<unknown>>
    }
  }

  export default Zenodo
}
