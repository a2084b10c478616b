import { dataciteApi } from '../../core/adapters/datacite-api.ts'
import { dataciteProvider, type Provider } from '../../core/index.ts'
import type { DaemonConfig } from '../config/config.ts'

/**
 * The providers of identifiers beside those of the records: DataCite where it is configured, and the
 * one that `DEPOSIT_PID_MINTER` names.
 *
 * @param origin of this service, for DataCite to know who asks
 */
export function openProviders(
  { identifiers: { datacite, provider } }: Pick<DaemonConfig, 'identifiers'>,
  version: string,
  origin: () => string,
): readonly Provider[] {
  const named = provider ? [provider] : []
  if (!datacite) return named
  const { prefix, resolver, ...account } = datacite
  const userAgent = (): string => `deposit/${version} (${origin()})`
  const api = dataciteApi({ ...account, userAgent })
  return [dataciteProvider({ prefix, api, ...(resolver !== undefined && { resolver }) }), ...named]
}
