import type {
  DownloadLinkBody,
  FileBody,
  UploadListBody,
} from '../../../../core/contract/schemas.ts'
import type { TrashedFileBody } from '../../../../core/contract/history.ts'
import { parseFields } from '../../../../core/contract/uploads.ts'
import type { Deposit } from './deposits.ts'
import { call, callJson, callList, nextOf, toPath } from './http.ts'
import { track } from './pending.ts'
import { readSession } from './session.ts'

/** A file as the daemon shows it. */
export type DepositFile = Readonly<FileBody>

/** An upload that has not all of its bytes yet. */
export type UnfinishedUpload = Readonly<UploadListBody[number]>

const tus = { 'tus-resumable': '1.0.0' }

/** Files of the first part of a long list: about 100 kB. */
const glimpse = 200

/** The files of one deposit. */
export function fileApi({ links }: Pick<Deposit, 'links'>) {
  const list = links['files'] ?? ''
  return {
    /** The revision of the deposit, which a change of its files raises too. */
    revision: async () => (await callJson<Pick<Deposit, 'revision'>>(links['self'] ?? '')).revision,
    /** @param onPart told of the beginning of a long list, the first part soon on a slow line too */
    list: async (onPart?: (part: readonly DepositFile[]) => void) => {
      if (onPart) {
        const response = await call(`${list}?size=${glimpse}`)
        const first = (await response.json()) as readonly DepositFile[]
        if (nextOf(response) === undefined) return first
        onPart(first)
      }
      return callList<DepositFile>(list, {}, onPart)
    },
    sort: (ids: readonly string[]) =>
      track(callList<DepositFile>(list, { method: 'PUT', body: ids.map((id) => ({ id })) })),
    rename: ({ links: own }: DepositFile, filename: string) =>
      track(callJson<DepositFile>(own.self, { method: 'PUT', body: { filename } })),
    /** Deletes the file that the page shows, and no later one of its name. */
    remove: ({ links: own, checksum }: DepositFile, keepalive = false) => {
      const headers = { 'if-match': `"${checksum}"` }
      return track(call(own.self, { method: 'DELETE', headers, keepalive }))
    },
    uploads: () => callList<UnfinishedUpload>(links['uploads'] ?? ''),
    /** The facts given of the file when its upload was begun. */
    fieldsOf: async ({ links: own }: UnfinishedUpload) => {
      const response = await call(own.self, { method: 'HEAD', headers: tus })
      return parseFields(response.headers.get('upload-metadata') ?? '')
    },
    /** Files that were deleted and can be brought back. */
    trash: () => callList<TrashedFileBody>(links['trash'] ?? ''),
    /** @param filename another name; absent for the one it had */
    restore: ({ links: own }: TrashedFileBody, filename?: string) =>
      track(
        callJson<DepositFile>(own.self, {
          method: 'POST',
          body: filename === undefined ? {} : { filename },
        }),
      ),
    removeTrashed: ({ links: own }: TrashedFileBody) => call(own.self, { method: 'DELETE' }),
    emptyTrash: () => call(links['trash'] ?? '', { method: 'DELETE' }),
    giveUp: ({ links: own }: UnfinishedUpload) =>
      call(own.self, { method: 'DELETE', headers: tus }),
  }
}

export type FileApi = ReturnType<typeof fileApi>

/** A link that downloads a file once, with no token: for what is too large to hold in memory. */
export async function linkDownload(download: string): Promise<string> {
  // The cookie of a link to the deposit goes with it.
  if (readSession() === undefined) return toPath(download)
  const { url } = await callJson<DownloadLinkBody>(download, { method: 'POST' })
  return toPath(url)
}

/** The bytes of a file, for this page alone. */
export async function readBytes(download: string, signal?: AbortSignal): Promise<Blob> {
  const headers = { accept: '*/*' }
  const response = await call(download, { headers, ...(signal && { signal }) })
  return response.blob()
}
