import type { Random } from '../random.ts'
import { restorable } from './deposit-model.ts'
import type { Known, Operation } from './operation.ts'
import * as operations from './operations.ts'

type Choice = readonly [weight: number, plan: operations.Plan]

/** A client works on the newest of its deposits, so that each goes through its whole life. */
const atOnce = 8

/** One of the requests that a client may send now. */
export function nextOperation(deposits: readonly Known[], random: Random): Operation {
  const open = deposits.filter(({ model }) => model.status !== 'deleted').slice(-atOnce)
  const known = random.chance(open.length < atOnce ? 0.15 : 0.03) ? undefined : random.pick(open)
  if (!known) return operations.create(random)
  return weighted(choicesFor(known, deposits), random)(known, random)
}

function choicesFor(known: Known, deposits: readonly Known[]): readonly Choice[] {
  const { model, fileIds } = known
  const { status, files, published } = model
  // The ids of files that were copied into a new version are not known yet.
  const canSort = files.length > 1 && files.every(({ key }) => fileIds.has(key))
  const sharing = choicesForSharing(known, deposits)
  if (model.isSubmitted) return [...sharing, [2, operations.takeBack], [2, operations.accept]]
  if (status === 'published') {
    return [
      ...sharing,
      [4, operations.edit],
      ...(hasNextVersion(known, deposits) ? [] : [[1, operations.newVersion] as const]),
    ]
  }
  const document: readonly Choice[] = [
    [4, operations.replace],
    [4, operations.patch],
    ...(canSort ? [[2, operations.sort] as const] : []),
    [2, operations.publish],
    [1, operations.submit],
    ...sharing,
  ]
  // Once a deposit is published its files are frozen, and it cannot be deleted.
  if (published) return [...document, [3, operations.discard]]
  const restoring: readonly Choice[] = restorable(model).length > 0 ? [[2, operations.restore]] : []
  return [...document, ...restoring, ...choicesForFiles(files.length)]
}

function choicesForSharing(known: Known, deposits: readonly Known[]): readonly Choice[] {
  const { people, links } = known.model
  // A role that is taken or lowered goes on the open drafts of the next version as well.
  const isAlone = known.record === undefined || !hasNextVersion(known, deposits)
  const count = Object.keys(people).length
  return [
    ...(count < 10 ? [[1, isAlone ? operations.share : operations.invite] as const] : []),
    ...(count > 0 && isAlone ? [[1, operations.unshare] as const] : []),
    ...(links.length < 10 ? [[1, operations.link] as const] : []),
    ...(links.length > 0 ? [[1, operations.revoke] as const] : []),
  ]
}

/** A further one would begin with the newest of them, and not with this. */
function hasNextVersion({ record }: Known, deposits: readonly Known[]): boolean {
  return deposits.some(
    ({ predecessor, model }) => predecessor === record && model.status !== 'deleted',
  )
}

function choicesForFiles(count: number): readonly Choice[] {
  const adding: readonly Choice[] = [
    [6, operations.upload],
    [6, operations.putNew],
    [3, operations.bundle],
  ]
  const changing: readonly Choice[] = [
    [3, operations.putVersion],
    [3, operations.rename],
    [count > 10 ? 12 : 2, operations.removeFile],
  ]
  return [...adding, ...(count > 0 ? changing : []), [1, operations.remove]]
}

function weighted(choices: readonly Choice[], random: Random): operations.Plan {
  let left = random.fraction() * choices.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, plan] of choices) {
    left -= weight
    if (left < 0) return plan
  }
  return operations.patch
}
