import type { FileBody } from '../../core/contract/schemas.ts'
import type { Progress } from '../output/progress.ts'
import { inParallel } from '../../core/base/in-parallel.ts'
import { toLoads, BundleUploader } from './upload-bundle.ts'
import { DigestThread } from './digester.ts'
import { Uploader, type Destination, type LocalFile } from './upload-file.ts'

/** More would take memory and save no time: one is read while another is stored. */
const bundlesAtOnce = 4

interface UploadOptions {
  /** Files that are sent at once. */
  readonly jobs: number
  readonly progress: Progress
}

/**
 * Sends files in parallel and returns what the server stored, in the order of `files`: bundles
 * first, then large files and those of refused bundles. After a failure, uploads under way finish
 * and no further one starts.
 */
export async function uploadFiles(
  to: Destination,
  files: readonly LocalFile[],
  { jobs, progress }: UploadOptions,
): Promise<readonly FileBody[]> {
  const stored = new Map<string, FileBody>()
  const keep = ({ key }: LocalFile, body: FileBody): void => {
    stored.set(key, body)
    progress.fileDone()
  }
  const { bundles, single } = toLoads(files)
  const bundler = new BundleUploader(to, progress.advance)
  const refused: LocalFile[] = []
  await inParallel(bundles, Math.min(jobs, bundlesAtOnce), () => async (bundle) => {
    const bodies = await bundler.upload(bundle)
    if (bodies === undefined) refused.push(...bundle)
    else for (const [file, body] of bodies) keep(file, body)
  })
  await using thread = new DigestThread()
  await inParallel([...refused, ...single], jobs, () => {
    const uploader = new Uploader(to, thread, progress.advance)
    return async (file) => keep(file, await uploader.upload(file))
  })
  return files.flatMap(({ key }) => stored.get(key) ?? [])
}
