import { problem, refused } from '../errors/errors.ts'
import { findSecondDoi } from '../identifiers/named-doi.ts'
import { reserveIdentifiers, reservedValue } from '../identifiers/wanted.ts'
import type { DepositAction } from './action.ts'

/**
 * Makes the identifiers of the record known before it is published, so that they can be written into
 * its files. Asked again, they are the same; deleting the draft gives them up.
 */
export const reserve: DepositAction = {
  summary: 'Reserve the DOI that the record will have',

  async run(deposit, { unit, providers, mintRecord, now }) {
    if (deposit.record) throw refused('reserve', 'identified_already')
    if (providers.length === 0) throw refused('reserve', 'nothing_to_reserve')
    if (providers.some(isOfDois)) {
      const known = (await unit.identifiers.ofDeposits([deposit.id])).get(deposit.id)
      const faults = findSecondDoi(deposit.metadata, known?.find(isOfDois)?.value)
      if (faults.length > 0) throw problem('invalid_document', { faults })
    }
    let value = await reservedValue(unit.identifiers, deposit.id)
    if (value === undefined) {
      const pid = mintRecord()
      // New: it leads nowhere until the deposit is published.
      await unit.pids.insert({ ...pid, status: 'N' })
      value = pid.value
    }
    const identified = { value, concept: deposit.concept, deposit: deposit.id }
    await reserveIdentifiers(unit, providers, identified, now)
    return deposit
  },
}

function isOfDois({ scheme }: { readonly scheme: string }): boolean {
  return scheme === 'doi'
}
