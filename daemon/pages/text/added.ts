/** Texts about files that were added, loaded with the files. */
export const added = {
  'files.gone.one': '{count} file cannot be brought back: it is gone for good.',
  'files.gone.other': '{count} files cannot be brought back: they are gone for good.',
  'files.leftOut.one': 'Left out {count} hidden or temporary file: {names}',
  'files.leftOut.other': 'Left out {count} hidden or temporary files: {names}',
  'files.takeThem': 'Upload them too',
  'files.noted': 'Close',
  'files.twins': '{names} differ only in case: some systems can keep only one of them.',
  'files.notForWindows': '{name} cannot be stored by Windows: a download there renames it.',
  'files.moreWarnings.one': 'and {count} more warning about names',
  'files.moreWarnings.other': 'and {count} more warnings about names',
  'upload.away': 'Waiting for the service, at {percent} %',
} as const
