/** Texts of taking metadata over from a file or a text of others, which are loaded with the dialog. */
export const imports = {
  'import.title': 'Import metadata',
  'import.explain':
    'From BibTeX, CITATION.cff, .zenodo.json, or what a DOI gives: DataCite JSON or XML, CSL JSON. Nothing is changed before you have seen it.',
  'import.paste': 'Paste the text, or drop a file here',
  'import.choose': 'Choose a file',
  'import.found': 'Found in {format}. Choose what to take over:',
  'import.replaces': 'In place of:',
  'import.notTaken': 'Not taken over: {fields}',
  'import.do': 'Take over',
  'import.done.one': 'Took over {count} field.',
  'import.done.other': 'Took over {count} fields.',
  'import.undone': 'The fields are as they were.',
} as const
