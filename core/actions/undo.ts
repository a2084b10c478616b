import { undoRequest, type UndoRequest } from '../contract/history.ts'
import {
  applyChanges,
  fieldsOfKept,
  keptDocument,
  type ChangeOperation,
} from '../deposit/changes.ts'
import type { Deposit } from '../deposit/deposit.ts'
import { textOfLong } from '../deposit/document.ts'
import { problem, refused, wrongField } from '../errors/errors.ts'
import type { HistoryReader } from '../ports/history.ts'
import { requireValid } from '../schemas/validate.ts'
import type { DepositAction } from './action.ts'
import { requireEditable } from './published-record.ts'

/**
 * Brings back the document before the last change, or that of an earlier revision. It is a change as
 * any other: an undo undoes it.
 *
 * @see Publication, "People and access", history
 */
export const undo: DepositAction = {
  summary: 'Undo the last change of the metadata, or bring back an earlier state',
  takes: undoRequest,
  canDoWithoutBody: true,
  updates: true,
  isLong: async (history, { id, found }) => {
    if (found && textOfLong(found) !== undefined) return true
    const changes = await history.list(id)
    return changes.reduce((sum, { bytes }) => sum + bytes, 0) > longBytes
  },

  async run(deposit, { unit, schemas, input, bringsBack, caller }) {
    if (typeof caller !== 'string' && caller.link)
      throw problem('permission_denied', { message: 'The holder of a link cannot undo changes.' })
    const draft = await requireEditable(deposit, 'undo', unit.pids)
    const { to } = (input ?? {}) as UndoRequest
    const { revision, patches } =
      to === undefined
        ? await lastChange(unit.history, deposit)
        : await changesSince(unit.history, deposit, to)
    const fields = fieldsOfKept(applyChanges(keptDocument(deposit), patches))
    // The operator may have taken the schema out of service since.
    const schema = fields.schema === null ? null : schemas.parseDepositUrl(fields.schema)
    requireValid(schemas, schema, fields.metadata)
    bringsBack(revision)
    return { ...draft, ...fields, schema }
  },
}

/** Bytes of a history that take tens of milliseconds to go back through. */
const longBytes = 512 * 1024

/** The revision whose document is brought back, and the way to it. */
interface WayBack {
  readonly revision: number
  readonly patches: readonly (readonly ChangeOperation[])[]
}

/** Actions that bring a document from its record: they are where a draft begins. */
const beginnings: ReadonlySet<string> = new Set(['publish', 'edit', 'merge'])

/** @throws {DepositError} invalid_action: nothing was changed since the draft began */
async function lastChange(history: HistoryReader, { id, record }: Deposit): Promise<WayBack> {
  const last = await history.latest(id)
  if (!last) throw refused('undo', 'nothing_to_undo')
  if (beginnings.has(last.action) || last.published !== record?.revision)
    throw refused('undo', 'nothing_since_published')
  return { revision: last.since, patches: [last.undo] }
}

/**
 * @throws {DepositError} malformed_request: `to` is no earlier revision
 * @throws {DepositError} invalid_action: the changes since then are not kept
 */
async function changesSince(
  history: HistoryReader,
  { id, revision }: Deposit,
  to: number,
): Promise<WayBack> {
  if (to >= revision) {
    const reason = `The deposit is at revision ${revision}: name an earlier one.`
    throw wrongField('malformed_request', 'to', reason)
  }
  const begin = await history.begin(id)
  if (begin === undefined) throw refused('undo', 'nothing_to_undo')
  if (to < begin) {
    const reason = `Changes are kept from revision ${begin} on: name that one, or a later one.`
    throw problem('invalid_action', { operation: 'undo', reason })
  }
  return { revision: to, patches: await history.wayBack(id, to) }
}
