import { isSameService } from '../base/loopback.ts'
import { doiOf } from '../contract/foreign-values.ts'
import { wrongField, type DepositError } from '../errors/errors.ts'
import { storedArk } from '../identifiers/ark.ts'
import { recordPidType } from '../pid/record-minters.ts'
import type { UnitOfWork } from '../ports/database.ts'
import type { PublishedRecord } from '../record/record.ts'
import type { ActionContext } from './action.ts'

type Context = Pick<ActionContext, 'unit' | 'providers' | 'origin'>

/**
 * The replacement of a record as it is stored. Each name of a record of this service is judged alike:
 * its identifier, its addresses, its DOI in any form, its ARK. Of others, only the form is known.
 *
 * @returns the identifier of a record for an address of it; else what was given
 * @throws {DepositError} malformed_request: nobody could follow it
 */
export async function requireReplacement(
  given: string,
  record: PublishedRecord,
  context: Context,
): Promise<string> {
  const text = given.trim()
  const value = await findOwn(text, context)
  if (value === undefined) {
    if (!isForeign(text)) throw wrong(unknown)
    if (/[\s"'<>`]/.test(text)) throw wrong(unlinked)
    return text
  }
  await requirePublic(context.unit, value, record)
  return doiOf(text)?.toLowerCase() ?? value
}

/**
 * The value of the record or concept of this service that a text names; undefined where it names
 * something of others, or nothing.
 */
async function findOwn(
  text: string,
  { unit, providers, origin }: Context,
): Promise<string | undefined> {
  const url = URL.parse(text)
  if (url && isSameService(url, new URL(origin()))) {
    const [, value] = /\/records\/([^/]+)/.exec(url.pathname) ?? []
    if (value !== undefined) return value
    const ark = await findIdentifier(unit, url.pathname)
    if (ark !== undefined) return ark
    throw wrong('It is an address of this service, but not of a record.')
  }
  const known = await findIdentifier(unit, text)
  if (known !== undefined) return known
  const doi = doiOf(text)
  if (doi !== undefined && providers.some(({ isOwn }) => isOwn?.(doi))) throw wrong(unread)
  return /^[\w.-]+$/.test(text) ? text : undefined
}

/** The record or concept of a DOI or an ARK at the end of a text. */
async function findIdentifier({ identifiers }: UnitOfWork, text: string) {
  const [found] = /(?:10\.\d{4,9}|ark:\/?\d{5,9})\/\S+$/i.exec(text) ?? []
  if (found === undefined) return undefined
  const identifier = /^ark:/i.test(found) ? storedArk(found) : found.toLowerCase()
  return (await identifiers.find(identifier))?.subject
}

/** @throws {DepositError} malformed_request */
async function requirePublic(
  { pids, records }: UnitOfWork,
  value: string,
  record: PublishedRecord,
): Promise<void> {
  if (value === record.value) throw wrong('A record cannot be replaced by itself.')
  const isRead = async (name: string): Promise<boolean> => {
    const pid = await pids.find({ type: recordPidType, value: name })
    return pid?.objectType === 'rec' && (pid.status === 'K' || pid.status === 'R')
  }
  if (await isRead(value)) return
  const newest = await records.findNewest(value)
  if (newest?.value === record.value)
    throw wrong('It leads to the newest version, which is this record: name another version.')
  if (!newest || !(await isRead(newest.value))) throw wrong(unread)
}

/** A DOI or an address of the web. */
function isForeign(text: string): boolean {
  if (doiOf(text) !== undefined) return true
  const url = URL.parse(text)
  return (
    url !== null && /^https?:$/.test(url.protocol) && !/^(?:dx\.)?doi\.org$/i.test(url.hostname)
  )
}

const unread = 'It is not a record of this service that can be read.'
const unlinked =
  'It has blanks, quotes or brackets, which no address has: percent-encode them, as in https://example.org/a%20b.'
const unknown = `${unread.slice(0, -1)}, nor a DOI or an address.`

function wrong(said: string): DepositError {
  return wrongField('malformed_request', '/replaced_by', said)
}
