import { collectGarbage } from '../../../core/index.ts'
import { count, size } from './amounts.ts'
import type { Work } from './work.ts'

/** `depositd gc`: prints the ids of the blobs it removed. */
export const gc: Work = async ({ parts }, _options, { tell, signal }) => {
  const collected = await collectGarbage(parts, (id) => tell('result', id), signal)
  const { blobs, young } = collected
  tell('note', `Removed ${count(blobs, 'blob')} without a row (${size(collected.size)}).`)
  if (young > 0) tell('note', `Left ${count(young, 'blob')} younger than a day.`)
  return 'done'
}
