import { isJsonArray, isJsonObject, type Json } from '../../core/base/json.ts'
import { readRepository } from '../../core/adapters/datacite-api.ts'
import type { ConfigFaults } from '../config/faults.ts'
import type { DataciteSettings } from '../config/identifier-settings.ts'

/** Time for an answer, for somebody waits for it. Milliseconds. */
const patienceMs = 5000

/** A line for the operator. */
interface Told {
  readonly kind: 'note' | 'warning'
  readonly text: string
}

/**
 * Asks DataCite whether it takes the account, and which prefixes that has. Nothing is changed there.
 *
 * @param faults told of settings that it does not take
 * @see https://github.com/datacite/lupo `app/serializers/repository_serializer.rb`
 */
export async function askDatacite(
  settings: DataciteSettings,
  version: string,
  faults: ConfigFaults,
): Promise<Told | undefined> {
  const { account, prefix, url } = settings
  const asked = { ...settings, userAgent: () => `deposit/${version}` }
  const answer = await readRepository(asked, AbortSignal.timeout(patienceMs)).catch(reasonOf)
  if (typeof answer === 'string') return unasked(url, answer)
  const { status, body } = answer
  if (status === 401 || status === 403) {
    faults.add(
      `DataCite does not take the account ${account} with its password (${status}): see DEPOSIT_DATACITE_ACCOUNT and DEPOSIT_DATACITE_PASSWORD_FILE.`,
    )
    return undefined
  }
  if (status === 404 && body !== undefined) {
    faults.add(`DEPOSIT_DATACITE_ACCOUNT: DataCite knows no account ${account} at ${url}.`)
    return undefined
  }
  const prefixes = status === 200 ? prefixesIn(body) : undefined
  if (!prefixes) return unasked(url, `it answers ${status}, and not as DataCite does`)
  if (prefixes.includes(prefix)) {
    return { kind: 'note', text: `DataCite takes the account ${account} and the prefix ${prefix}.` }
  }
  const has = prefixes.length === 0 ? 'none' : prefixes.join(', ')
  faults.add(
    `DEPOSIT_DOI_PREFIX: ${prefix} is not a prefix of the account ${account}. It has ${has}.`,
  )
  return undefined
}

function unasked(url: string, reason: string): Told {
  const text = `DataCite cannot be asked at ${url}: ${reason}. The daemon starts all the same; DOIs wait until it answers.`
  return { kind: 'warning', text }
}

function prefixesIn(body: Json | undefined): readonly string[] | undefined {
  const [data] = [body].map((each) => (isJsonObject(each) ? each['data'] : undefined))
  const related = isJsonObject(data) ? data['relationships'] : undefined
  const prefixes = isJsonObject(related) ? related['prefixes'] : undefined
  const list = isJsonObject(prefixes) ? prefixes['data'] : undefined
  if (!isJsonArray(list)) return undefined
  return list.flatMap((each) =>
    isJsonObject(each) && typeof each['id'] === 'string' ? [each['id']] : [],
  )
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${patienceMs / 1000} s`
  const { cause, message } = error
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}
