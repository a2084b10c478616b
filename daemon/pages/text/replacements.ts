/** Texts about files that took the places of others. They are loaded when the first one does. */
export const replacements = {
  'file.replacedHere': 'Replaced {name}.',
  'files.replacedHere.one': 'Replaced {count} file.',
  'files.replacedHere.other': 'Replaced {count} files.',
  'files.broughtBack.one': 'The file is as it was before.',
  'files.broughtBack.other': 'The {count} files are as they were before.',
} as const
