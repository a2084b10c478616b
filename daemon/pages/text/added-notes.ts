/** Texts about names of files that were added. They are loaded when the first files are. */
export const addedNotes = {
  'files.leftOut.one': 'Left out {count} hidden or temporary file: {names}',
  'files.leftOut.other': 'Left out {count} hidden or temporary files: {names}',
  'files.takeThem': 'Upload them too',
  'files.noted': 'Close',
  'files.twins': '{names} differ only in case: some systems can keep only one of them.',
  'files.notForWindows': '{name} cannot be stored by Windows: a download there renames it.',
  'files.moreWarnings.one': 'and {count} more warning about names',
  'files.moreWarnings.other': 'and {count} more warnings about names',
} as const
