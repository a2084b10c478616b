import { collectGarbage } from '../../../core/index.ts'
import type { Work } from './work.ts'

/** `depositd gc`: prints the ids of the blobs it removed. */
export const gc: Work = async ({ parts }, _options, { tell, signal }) => {
  const collected = await collectGarbage(parts, (id) => tell('result', id), signal)
  const { blobs, size, young } = collected
  tell('note', `Removed ${blobs} blobs that no row names (${size} bytes).`)
  if (young > 0) tell('note', `Left ${young} that are younger than a day.`)
  return 'done'
}
