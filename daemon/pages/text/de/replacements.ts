/** Texts about files that took the places of others, in German. */
export const replacements = {
  'file.replacedHere': '{name} ist ersetzt.',
  'files.replacedHere.one': '{count} Datei ist ersetzt.',
  'files.replacedHere.other': '{count} Dateien sind ersetzt.',
  'files.broughtBack.one': 'Die Datei ist wieder wie zuvor.',
  'files.broughtBack.other': 'Die {count} Dateien sind wieder wie zuvor.',
}
