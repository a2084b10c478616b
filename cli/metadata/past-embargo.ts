import { isOpenAt, isOwnAccess, toFileAccess } from '../../core/contract/file-access.ts'
import type { Finding } from '../output/finding.ts'

/** An embargo that is over before anything was published: its year may be mistyped. */
export function findPastEmbargo({ access }: { readonly access?: unknown }): readonly Finding[] {
  if (!isOwnAccess(access)) return []
  const { files, until } = toFileAccess(access)
  const isPast = isOpenAt({ files, ...(until && { until }) }, new Date().toISOString())
  if (files !== 'restricted' || until === undefined || !isPast) return []
  const message =
    `until is ${until}, which is past: publishing makes the files public. To keep them closed, ` +
    'write a day to come, or leave until out. If they are open, write access: {files: public}'
  return [{ field: '/access/until', message }]
}
