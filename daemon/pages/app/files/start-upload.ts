import type { DetailedError, Upload } from 'tus-js-client'
import { readSession } from '../session/session.ts'

export interface UploadOptions {
  readonly endpoint: string
  readonly key: string
  /** True for a new version of a file that is there already. */
  readonly replaces: boolean
  /** Told how many bytes the daemon has taken. */
  readonly onProgress: (sent: number) => void
  readonly onDone: () => void
  /** Told what went wrong, and the code of the problem where the daemon gave one. */
  readonly onFailure: (message: string, code: string | undefined) => void
}

/** Milliseconds before each new attempt after the connection broke. */
const retryDelays = [500, 1_000, 3_000, 8_000, 20_000]

/**
 * Prepares an upload by the tus protocol. One that was begun before, in this browser and for the
 * same file, goes on where it stopped. The program for it comes when it is first needed.
 *
 * @see https://tus.io/protocols/resumable-upload
 */
export async function startUpload(file: File, options: UploadOptions): Promise<Upload> {
  const { Upload: TusUpload } = await import('tus-js-client')
  const { endpoint, key, replaces, onProgress, onDone, onFailure } = options
  const upload = new TusUpload(file, {
    endpoint,
    retryDelays,
    metadata: { name: key, ...(replaces && { replace: 'true' }) },
    fingerprint: async () => ['deposit', endpoint, key, file.size, file.lastModified].join('|'),
    removeFingerprintOnSuccess: true,
    onBeforeRequest: (request) => {
      const token = readSession()?.token
      if (token !== undefined) request.setHeader('Authorization', `Bearer ${token}`)
    },
    onShouldRetry: ({ originalResponse }) => {
      const status = originalResponse?.getStatus() ?? 0
      return status === 0 || status === 423 || status === 429 || status >= 500
    },
    onProgress,
    onSuccess: onDone,
    onError: (error) => onFailure(...describe(error)),
  })
  const [previous] = await upload.findPreviousUploads()
  if (previous && !replaces) upload.resumeFromPreviousUpload(previous)
  return upload
}

function describe(error: Error | DetailedError): readonly [string, string | undefined] {
  const body = 'originalResponse' in error ? error.originalResponse?.getBody() : undefined
  if (body === undefined || !body.startsWith('{')) return [error.message, undefined]
  const { message = error.message, code } = JSON.parse(body) as Partial<Record<string, string>>
  return [message, code]
}
