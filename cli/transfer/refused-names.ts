import { advice, type RefusedNameReason } from '../advice.ts'
import { UsageFailure } from '../failure.ts'
import { quoted } from '../plain.ts'
import { firstOf } from '../output/units.ts'

/** Why a name of a folder cannot be sent. */
const reasons: Readonly<Record<RefusedNameReason, string>> = {
  link: 'links are not followed',
  special: 'devices, pipes and sockets cannot be sent',
  outside:
    'links lead out of the folder, to hidden files or files that its repository does not track',
  dangling: 'links lead to nothing',
  circle: 'links lead back to a folder around them',
  misnamed: 'names are not UTF-8',
  unreadable: 'you may not read them',
}

/** A name in a folder that cannot be sent, and must not be skipped silently. */
export interface RefusedName {
  readonly name: string
  readonly reason: RefusedNameReason
}

/** Links are refused, not skipped: a data set of links would be published without its files. */
export function refuseNames(refused: readonly RefusedName[]): UsageFailure {
  const groups = [...Map.groupBy(refused, ({ reason }) => reason)]
  return new UsageFailure({
    tried: 'take the files',
    said: groups.map(([reason, group]) => `${reasons[reason]}: ${listOf(group)}`).join('; '),
    next: advice.excludeNames(groups.map(([reason]) => reason)),
  })
}

function listOf(group: readonly RefusedName[]): string {
  const names = group.map(({ name, reason }) => tell(name, reason))
  return firstOf(names, 10).join(', ')
}

/** Quotes a name; a name that is not UTF-8 is escaped already. */
function tell(name: string, reason: RefusedName['reason']): string {
  return reason === 'misnamed' ? `"${name}"` : quoted(name).slice(1, -1)
}
