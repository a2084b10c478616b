import type { PublishedDeposit } from '../deposit/deposit.ts'
import type { Receiver } from './signals.ts'

/**
 * The receiver that indexes a deposit, with its record, after it was published. It does nothing
 * when the deposit is not published.
 *
 * @see Specification, "Events"
 */
export function indexAfterPublish(
  index: (deposit: PublishedDeposit) => Promise<void>,
): Receiver<'postAction'> {
  return async ({ action, deposit }) => {
    if (action === 'publish' && deposit.status === 'published') await index(deposit)
  }
}
