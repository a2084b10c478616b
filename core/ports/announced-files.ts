import type { FileKey } from '../files/file.ts'
import type { DepositId } from '../pid/deposit-pid.ts'

/**
 * Files that a client of InvenioRDM's interface said it would send to a draft, until it says that
 * their bytes are there. They mean nothing once the deposit is published.
 */
export interface AnnouncedFileReader {
  /** In the order of their names. */
  readonly list: (deposit: DepositId) => Promise<readonly FileKey[]>
}

export interface AnnouncedFileWriter extends AnnouncedFileReader {
  /** @param keys none of them is announced */
  readonly add: (deposit: DepositId, keys: readonly FileKey[], at: string) => Promise<void>
  /** @returns whether it was announced */
  readonly remove: (deposit: DepositId, key: FileKey) => Promise<boolean>
  /** As {@link remove}, where it makes no difference. */
  readonly forget: (deposit: DepositId, key: FileKey) => Promise<void>
}
