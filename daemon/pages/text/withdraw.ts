/** Texts of the question before a record is withdrawn. They are loaded with it. */
export const withdraw = {
  'withdraw.needsReason': 'Choose a reason.',
  'withdraw.note': 'Note, which everybody can read (optional)',
  'withdraw.replacedBy': 'Replaced by: a record of this service, a DOI or a web address (optional)',
  'withdraw.destroy':
    'Also remove the files for good: then nobody can restore the record, and its owners lose the files too.',
  'withdraw.confirmDestroy': 'Withdraw and remove the files',
} as const
