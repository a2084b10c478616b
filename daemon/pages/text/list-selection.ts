/** Texts about several drafts of the list at once. They are loaded when the first is selected. */
export const listSelection = {
  'list.selection': 'Selected drafts',
  'list.selected.one': '{count} draft selected',
  'list.selected.other': '{count} drafts selected',
  'list.unselect': 'Clear selection',
  'list.deleteDrafts': 'Delete drafts…',
  'list.askDelete.one': 'Delete {count} draft?',
  'list.askDelete.other': 'Delete {count} drafts?',
  'list.explainDelete': 'These drafts are removed with all their files. This cannot be undone.',
  'list.moreDrafts.one': 'and {count} more',
  'list.moreDrafts.other': 'and {count} more',
  'list.confirmDelete': 'Delete drafts',
  'list.deleting': 'Deleting drafts: {done} of {total}',
  'list.deleted.one': 'Deleted {count} draft.',
  'list.deleted.other': 'Deleted {count} drafts.',
} as const
