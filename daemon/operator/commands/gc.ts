import { collectGarbage } from '../../../core/index.ts'
import { count, formatBytes } from '../../../core/base/amounts.ts'
import { describePlace } from '../../home/place.ts'
import type { OperatorCommand, Work } from '../command/operator-command.ts'

/** `depositd gc`: prints the ids of the blobs it removed. */
const gc: Work = async ({ parts, home }, _options, { tell, signal }) => {
  const removed: string[] = []
  const told = (id: string): void => {
    removed.push(id)
    tell('result', id)
  }
  const collected = await collectGarbage(parts, told, signal)
  const { blobs, young } = collected
  const amount = `${count(blobs, 'blob')} without a row (${formatBytes(collected.size)})`
  tell('note', `Removed ${amount} from ${describePlace(home)}.`)
  if (young > 0) tell('note', `Left ${count(young, 'blob')} younger than a day.`)
  return { ending: 'done', data: { removed, bytes: collected.size, young } }
}

export const gcCommand: OperatorCommand = {
  name: 'gc',
  summary: 'remove bytes that no row has named for a day; prints their ids',
  kind: 'long',
  run: gc,
}
