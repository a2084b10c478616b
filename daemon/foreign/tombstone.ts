import type { TombstoneBody } from '../../core/contract/withdrawal.ts'

/**
 * What is left of a record, in the words of InvenioRDM, which Zenodo has as well.
 *
 * @see https://inveniordm.docs.cern.ch/operate/ops/record_deletion/
 */
export function toInvenioTombstone({ at, by, reason, note, citation }: TombstoneBody): object {
  return {
    removal_reason: { id: reason },
    note: note ?? '',
    removed_by: { user: by },
    removal_date: at,
    citation_text: citation,
    is_visible: true,
  }
}
