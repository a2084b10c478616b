/** Texts of taking metadata over from a file or a text of others, which are loaded with the dialog. */
export const imports = {
  'import.title': 'Import metadata',
  'import.explain':
    'From BibTeX, CITATION.cff, .zenodo.json, or what a DOI gives: DataCite JSON or XML, CSL JSON. Nothing is changed before you have seen it.',
  'import.paste': 'Paste the text, or drop a file here',
  'import.choose': 'Choose a file',
  'import.found': 'Found in {format}. Choose what to import:',
  'import.replaces': 'In place of:',
  'import.notTaken': 'Not imported: {fields}',
  'import.do': 'Import',
  'import.doiHint':
    'Choose it only if these data have this DOI already: the record then gets none of its own.',
  'import.nothingNew': 'The form has all of it already.',
  'import.entries.one': 'There is {count} entry. Import from:',
  'import.entries.other': 'There are {count} entries. Import from:',
  'import.done.one': '{count} field imported.',
  'import.done.other': '{count} fields imported.',
  'import.undone': 'The fields are as they were.',
} as const
