import type { Database } from '../ports/database.ts'
import type { ProvidedIdentifier } from '../ports/identifiers.ts'
import type { Difference, Provider } from '../ports/provider.ts'
import { wantedOf, type Teller } from './wanted.ts'

/** An identifier beside what its provider says of it. */
export interface Compared {
  readonly identifier: ProvidedIdentifier
  readonly differences: readonly Difference[]
  /** Why the provider could not be asked. */
  readonly failure?: string
  /** The provider was not asked: it had failed too often before. */
  readonly isLeftOut?: true
}

interface CompareParts extends Teller {
  readonly database: Database
  readonly providers: readonly Provider[]
}

/** After as many failures, one after another, a provider is not asked any more. */
export const mostFailures = 3

/** Identifiers read at once. */
const batchSize = 200

/**
 * Compares every identifier with its provider, and changes nothing.
 *
 * @param all reserved ones as well, which nobody may find there
 */
export async function* compareIdentifiers(
  parts: CompareParts,
  { all, signal }: { readonly all: boolean; readonly signal: AbortSignal },
): AsyncGenerator<Compared> {
  const { list } = parts.database.read.identifiers
  const failures = new Map<string, number>()
  const next = async (identifier: ProvidedIdentifier): Promise<Compared> => {
    const { provider } = identifier
    const before = failures.get(provider) ?? 0
    if (before >= mostFailures) return { ...leftOut, identifier }
    const compared = await compare(parts, identifier, signal)
    failures.set(provider, compared.failure === undefined ? 0 : before + 1)
    return compared
  }
  for (let after = ''; ;) {
    const batch = await list({ after, limit: batchSize })
    for (const identifier of batch) {
      signal.throwIfAborted()
      const isKnown = identifier.status !== 'reserved' || identifier.registered !== undefined
      if (all || isKnown) yield await next(identifier)
    }
    after = batch.at(-1)?.value ?? ''
    if (batch.length < batchSize) return
  }
}

const leftOut = { differences: [], failure: 'not asked any more', isLeftOut: true } as const

async function compare(
  parts: CompareParts,
  identifier: ProvidedIdentifier,
  signal: AbortSignal,
): Promise<Compared> {
  const provider = parts.providers.find(({ name }) => name === identifier.provider)
  if (!provider) {
    return { identifier, differences: [], failure: `${identifier.provider} is not configured` }
  }
  try {
    const wanted = await wantedOf(parts.database.read, identifier, parts)
    return { identifier, differences: await provider.check(identifier.value, wanted, signal) }
  } catch (error) {
    signal.throwIfAborted()
    const failure = error instanceof Error ? error.message : String(error)
    return { identifier, differences: [], failure }
  }
}
