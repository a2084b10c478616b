import { isDeepStrictEqual } from 'node:util'
import type { Client } from './client.ts'
import type { DepositModel } from './deposit-model.ts'
import { listedIds, observe, type Observed, type Observers } from './observe.ts'
import type { Known, Operation } from './operation.ts'

/** The faults of a deposit that was found; there may be none. */
export interface Findings {
  /** Acknowledged but missing. */
  readonly lost: readonly string[]
  /** Neither the state before a request that was not acknowledged, nor the one after it. */
  readonly half: readonly string[]
  /** Files with bytes that were never uploaded to them. */
  readonly mismatched: readonly string[]
}

/**
 * Compares the state of the service with the promises to the client.
 *
 * @param deposits those to compare; all others must still be listed
 */
export async function compare(
  client: Client,
  observers: Observers,
  deposits: readonly Known[] = client.touched,
): Promise<Findings> {
  const { pending } = client
  const found: Observed[] = []
  const lost: string[] = []
  const half: string[] = []
  for (const known of deposits) {
    const observed = await tryObserve(observers, known.id)
    if (typeof observed === 'string') lost.push(observed)
    else {
      found.push(withTrash(observed, known, pending))
      const fault = faultOf(
        known,
        observed.known,
        pending?.target?.id === known.id ? pending : undefined,
      )
      if (fault !== undefined) (pending?.target?.id === known.id ? half : lost).push(fault)
    }
  }
  const appeared = await compareListing(client, observers)
  lost.push(...appeared.missing)
  half.push(...appeared.half)
  found.push(...appeared.found)
  client.settle(found.map(({ known }) => known))
  return { lost, half, mismatched: found.flatMap(({ mismatched }) => mismatched) }
}

async function tryObserve(observers: Observers, id: string): Promise<Observed | string> {
  try {
    return await observe(observers, id)
  } catch (error) {
    return `${id} cannot be read: ${String(error)}`
  }
}

/** Undefined if the deposit is as promised, or as the pending request was to make it. */
function faultOf(known: Known, found: Known, pending: Operation | undefined): string | undefined {
  const isBefore = isAs(found.model, known.model)
  if (isBefore && (Object.is(found.revision, known.revision) || isGone(known))) return undefined
  const isAfter = pending !== undefined && isAs(found.model, pending.becomes)
  const isRaised = found.revision > known.revision || pending?.keepsRevision === true
  if (isAfter && (isRaised || isGone(found))) return undefined
  return describe(known, found, pending)
}

/** The trash tells no earlier versions: they are seen once a file is brought back. */
function isAs(found: DepositModel, promised: DepositModel): boolean {
  const shown = (model: DepositModel) => ({ ...model, trash: model.trash.map(({ key }) => key) })
  return isDeepStrictEqual(shown(found), shown(promised))
}

/** What was found, with the versions in the trash that were promised. */
function withTrash(observed: Observed, known: Known, pending: Operation | undefined): Observed {
  const { model } = observed.known
  const promised = [...known.model.trash, ...(pending?.becomes.trash ?? [])]
  const trash = model.trash.map((file) => promised.find(({ key }) => key === file.key) ?? file)
  return { ...observed, known: { ...observed.known, model: { ...model, trash } } }
}

const isGone = ({ model }: Known): boolean => model.status === 'deleted'

function describe(known: Known, found: Known, pending: Operation | undefined): string {
  const asText = ({ revision, model }: Known): string => JSON.stringify({ revision, ...model })
  const after = pending ? `, or after ${pending.name} ${JSON.stringify(pending.becomes)}` : ''
  return `${known.id} is ${asText(found)}, and was promised as ${asText(known)}${after}`
}

interface Appeared {
  readonly missing: readonly string[]
  readonly half: readonly string[]
  readonly found: readonly Observed[]
}

/** One deposit more than was acknowledged may exist: that of a create whose answer was lost. */
async function compareListing(client: Client, observers: Observers): Promise<Appeared> {
  const listed = await listedIds(observers.owner)
  const isListed = new Set(listed)
  const known = new Map(client.deposits.map((deposit) => [deposit.id, deposit]))
  const isPending = ({ id }: Known): boolean => client.pending?.target?.id === id
  const missing = client.deposits
    .filter((deposit) => !isGone(deposit) && !isListed.has(deposit.id) && !isPending(deposit))
    .map(({ id }) => `${id} is not listed`)
  const strange = listed.filter((id) => !known.has(id))
  const found = await Promise.all(strange.map((id) => observe(observers, id)))
  const { pending } = client
  const expected = pending && !pending.target ? pending.becomes : undefined
  const half = found
    .filter(({ known: { model } }, at) => at > 0 || !isDeepStrictEqual(model, expected))
    .map(({ known: { id, model } }) => `${id} was never acknowledged: ${JSON.stringify(model)}`)
  return { missing, half, found }
}
