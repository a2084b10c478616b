import { problems, type ProblemCode } from '../../core/contract/problems.ts'
import { refusals, type Refusal } from '../../core/contract/refusals.ts'
import type { ProblemBody } from '../../core/contract/schemas.ts'
import { faultLine } from '../output/fault-line.ts'

/** For what the service says in the terms of its interface: the same for a person at a terminal. */
const messages: Partial<Record<ProblemCode, string>> = {
  deposit_not_found: 'There is no deposit with this id.',
  deposit_deleted: 'The deposit was deleted.',
}

const nextVersion = '`deposit action ID newversion` opens a draft of its next version'

/** `ID` stands for the deposit. */
const refused: Readonly<Record<Refusal, string>> = {
  published: 'The deposit is published: run `deposit edit ID` first.',
  sealed: `The record is registered, and so sealed: ${nextVersion}.`,
  published_already: 'The deposit is published already; to change it, run `deposit edit ID` first.',
  nothing_edited: 'The deposit is published: it has no changes.',
  published_files: `The files of a published deposit cannot change: ${nextVersion}, with the same files.`,
  published_kept:
    'A published deposit cannot be deleted: its record is public. To correct its metadata, run ' +
    '`deposit edit ID`; to change its files, `deposit action ID newversion`.',
  edited_kept:
    'A deposit that was published cannot be deleted: its record is public. `deposit discard ID` ' +
    'gives up the changes since.',
  never_published: 'The draft was never published: run `deposit publish ID` first.',
  edited:
    'The deposit is open for changes: run `deposit publish ID` or `deposit discard ID` first.',
  nothing_to_discard:
    'The draft was never published: there is nothing to go back to. `deposit delete ID` deletes it.',
  nothing_to_merge: refusals.nothing_to_merge.message,
  files_frozen: `The files of a deposit that was published are frozen: ${nextVersion}, with the same files.`,
  edit_not_published: 'This is already a draft; change it directly.',
  registered_already: refusals.registered_already.message,
}

const byMessage: ReadonlyMap<string, string> = new Map(
  Object.entries(refusals).flatMap(([name, { message }]) =>
    isRefusal(name) ? [[message, refused[name]] as const] : [],
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
  return byMessage.get(message)?.replaceAll(/\bID\b/g, id)
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
