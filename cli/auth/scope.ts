import { advice } from '../advice.ts'
import { isScope } from '../../core/contract/scopes.ts'
import { UsageFailure } from '../failure.ts'

/**
 * Scopes of the service as a person writes them, with spaces or commas between. None of them, or
 * `openid` alone, reads.
 *
 * @throws {UsageFailure} there is no such scope
 */
export function parseScope(given: string): string {
  const names = given.split(/[\s,]+/).filter((name) => name !== '' && name !== 'openid')
  const unknown = names.find((name) => !isScope(name))
  if (unknown === undefined) return names.join(' ')
  throw new UsageFailure({
    tried: 'ask for these scopes',
    said: `there is no scope "${unknown}"`,
    next: advice.nameScopes(),
  })
}
