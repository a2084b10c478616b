import { adviceTable } from '../../core/base/advice.ts'
import { problems, type ProblemCode } from '../../core/contract/problems.ts'
import { refusals, type Refusal } from '../../core/contract/refusals.ts'
import type { ProblemBody } from '../../core/contract/schemas.ts'
import { faultLine } from '../output/fault-line.ts'

/** For what the service says in the terms of its interface: the same for a person at a terminal. */
const messages: Partial<Record<ProblemCode, string>> = {
  deposit_not_found: 'There is no deposit with this id.',
  deposit_deleted: 'The deposit was deleted.',
}

/** The refusals of the service, with the commands that lead on from each. */
export const ownRefusals = adviceTable({
  published: (id: string) => `The deposit is published: run \`deposit edit ${id}\` first.`,
  sealed: (id: string) =>
    `The record is registered, and so sealed: \`deposit action ${id} newversion\` opens a draft of its next version.`,
  published_already: (id: string) =>
    `The deposit is published already; to change it, run \`deposit edit ${id}\` first.`,
  nothing_edited: () => 'The deposit is published: it has no changes.',
  published_files: (id: string) =>
    `The files of a published deposit cannot change: \`deposit action ${id} newversion\` opens a draft of its next version, with the same files.`,
  published_kept: (id: string) =>
    `A published deposit cannot be deleted: its record is public. To correct its metadata, run \`deposit edit ${id}\`; to change its files, \`deposit action ${id} newversion\`.`,
  edited_kept: (id: string) =>
    `A deposit that was published cannot be deleted: its record is public. \`deposit discard ${id}\` gives up the changes since.`,
  never_published: (id: string) =>
    `The draft was never published: run \`deposit publish ${id}\` first.`,
  edited: (id: string) =>
    `The deposit is open for changes: run \`deposit publish ${id}\` or \`deposit discard ${id}\` first.`,
  nothing_to_discard: (id: string) =>
    `The draft was never published: there is nothing to go back to. \`deposit delete ${id}\` deletes it.`,
  nothing_to_merge: () => refusals.nothing_to_merge.message,
  files_frozen: (id: string) =>
    `The files of a deposit that was published are frozen: \`deposit action ${id} newversion\` opens a draft of its next version, with the same files.`,
  edit_not_published: () => 'This is already a draft; change it directly.',
  registered_already: () => refusals.registered_already.message,
} satisfies Record<Refusal, (id: string) => string>)

const byMessage: ReadonlyMap<string, (id: string) => string> = new Map(
  Object.entries(refusals).flatMap(([name, { message }]) =>
    isRefusal(name) ? [[message, ownRefusals[name]] as const] : [],
  ),
)

/**
 * All that the service says of a problem, in the words of the command line where it has some. A
 * newer service may say what no table here knows: that is told as it is.
 *
 * @param id of the deposit, for the commands that are named
 */
export function inOurWords(problem: Omit<ProblemBody, 'status'>, id: string): string {
  const { message, code, errors = [], request_id: request } = problem
  const origin = request ? `${code}, request ${request}` : code
  const ours = errors.map((fault) => sayRefusal(fault.message, id))
  const faults = errors.flatMap((fault, at) =>
    fault.message === message ? (ours[at] ?? []) : (ours[at] ?? faultLine(fault)),
  )
  const isWhole = ours.some((said) => said !== undefined)
  const head = sayMessage(problem)
  const said =
    faults.length === 0
      ? head
      : isWhole
        ? faults.join(' ')
        : `${head.replace(/\.$/, '')}: ${faults.join(' ')}`
  return `${said} (${origin})`
}

/** As {@link inOurWords}, of one fault that a rehearsal found. */
export function sayRefusal(message: string, id: string): string | undefined {
  return byMessage.get(message)?.(id)
}

/** The service may say more than the table does: which deposit, or which scope. */
function sayMessage({
  message,
  code,
}: {
  readonly message: string
  readonly code: string
}): string {
  const known = Object.entries(problems).find(([name]) => name === code)
  return known?.[1].message === message
    ? (new Map<string, string>(Object.entries(messages)).get(code) ?? message)
    : message
}

function isRefusal(name: string): name is Refusal {
  return Object.hasOwn(refusals, name)
}
