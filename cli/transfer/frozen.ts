import type { DepositBody } from '../../core/contract/schemas.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { statusOf } from '../output/deposit-facts.ts'

/** For a rehearsal: the server would refuse a change of metadata. @throws {Failure} */
export function requireDraft(deposit: DepositBody): void {
  const { id } = deposit
  if (statusOf(deposit) === 'draft') return
  const next = `open it with \`deposit edit ${id}\`, and run the command again`
  throw refused(id, 'it is published', next)
}

/** The same for its files: they are those of the record once it was published. @throws {Failure} */
export function requireOpenFiles(deposit: DepositBody): void {
  const { id, metadata } = deposit
  if (statusOf(deposit) === 'draft' && metadata._deposit?.value === undefined) return
  const next =
    `\`deposit action ${id} newversion\` prints the id of a draft with the same files: ` +
    'run the command with that one'
  throw refused(id, 'it was published, and its files are frozen', next)
}

function refused(id: string, said: string, next: string): Failure {
  return new Failure({ tried: `change ${id}`, said, next }, { exitCode: exitCodes.refused })
}
