import { isOfFile } from '../../../../core/contract/uploads.ts'
import { text } from '../../text/text.ts'
import type { FileApi, UnfinishedUpload } from '../api/files.ts'
import { ApiProblem } from '../api/http.ts'
import { say } from '../ui/messages.tsx'

/** Id of the element that shows an upload. */
export function uploadElement(id: string): string {
  return `upload-${id}`
}

/** Stands for the id of an upload that has not begun at the daemon. @param id in the queue */
export function localUpload(id: number): string {
  return `here-${id}`
}

/** Shows an upload that a fault speaks of, whether it is under way here or was begun elsewhere. */
export function revealUpload(id: string): void {
  const row = document.getElementById(uploadElement(id))
  row?.scrollIntoView({ block: 'center' })
  row?.focus({ preventScroll: true })
}

/** A file that is about to be sent. */
interface Chosen {
  readonly key: string
  readonly file: File
  readonly replaces: boolean
}

/**
 * The upload among `begun` that has the beginning of this state of the file. The others under its
 * name stay: another tab or program may be sending them.
 */
export async function findBegun(
  api: FileApi,
  begun: readonly UnfinishedUpload[],
  { key, file, replaces }: Chosen,
): Promise<UnfinishedUpload | undefined> {
  const wanted = { key, changed: file.lastModified, replace: replaces }
  let isBeside = false
  for (const upload of begun) {
    if (upload.filename !== key || upload.partial) continue
    const fields = await api.fieldsOf(upload).catch(ifGone)
    if (!fields) continue
    if (upload.filesize === file.size && isOfFile(fields, wanted)) return upload
    isBeside = true
  }
  if (isBeside) say(text('upload.beside', { name: key }))
  return undefined
}

/** Another tab may have finished or deleted it; or all its bytes are there, and its name is taken. */
function ifGone(error: unknown): undefined {
  if (error instanceof ApiProblem && [400, 404, 410].includes(error.status)) return undefined
  throw error
}
