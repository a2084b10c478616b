import { UsageFailure } from '../failure.ts'
import { quoted } from '../output/plain.ts'

/** Why a name of a folder cannot be sent, and what a person does about it. */
const reasons = {
  link: {
    said: 'links are not followed',
    next: 'follow them with --follow-links, or leave them out with --exclude',
  },
  special: {
    said: 'devices, pipes and sockets are no files',
    next: 'leave them out with --exclude',
  },
  outside: {
    said: 'links lead out of the folder to what is no file of its repository, or to hidden files',
    next: 'put copies of the files there, or leave the links out with --exclude',
  },
  dangling: {
    said: 'links lead to nothing',
    next: 'fetch the files (`datalad get`, `git annex get`, `dvc pull`), or use --exclude',
  },
  circle: {
    said: 'links lead back to a folder around them',
    next: 'leave them out with --exclude',
  },
  misnamed: {
    said: 'names are not UTF-8',
    next: 'rename them (`convmv` renames many), or leave them out with --exclude',
  },
  unreadable: {
    said: 'you may not read them',
    next: 'change their permissions, or leave them out with --exclude',
  },
} as const

/** Something in a folder that would be missing, if it were left out without a word. */
export interface RefusedName {
  readonly name: string
  readonly reason: keyof typeof reasons
}

/** Of each reason; the others are counted. */
const maxTold = 10

/**
 * A link is refused rather than skipped: a data set whose files are links would be published
 * without them.
 */
export function refuseNames(refused: readonly RefusedName[]): UsageFailure {
  const groups = [...Map.groupBy(refused, ({ reason }) => reason)]
  return new UsageFailure({
    tried: 'take the files',
    said: groups.map(([reason, group]) => `${reasons[reason].said}: ${listOf(group)}`).join('; '),
    next: `${groups.map(([reason]) => reasons[reason].next).join('; ')}; nothing was sent`,
  })
}

function listOf(group: readonly RefusedName[]): string {
  const told = group.slice(0, maxTold).map(({ name, reason }) => tell(name, reason))
  const more = group.length - told.length
  return [...told, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

/** The bytes of a name that is not UTF-8 are escaped already. */
function tell(name: string, reason: RefusedName['reason']): string {
  return reason === 'misnamed' ? `"${name}"` : quoted(name).slice(1, -1)
}
