import type { imports as english } from '../imports.ts'

/** The texts of `imports.ts` in German. */
export const imports: Readonly<Record<keyof typeof english, string>> = {
  'import.title': 'Metadaten übernehmen',
  'import.explain':
    'Aus BibTeX, CITATION.cff, .zenodo.json oder dem, was eine DOI liefert: DataCite JSON oder XML, CSL JSON. Nichts wird geändert, bevor Sie es gesehen haben.',
  'import.paste': 'Fügen Sie den Text ein, oder ziehen Sie eine Datei hierher',
  'import.choose': 'Datei wählen',
  'import.found': 'Gefunden in {format}. Wählen Sie, was übernommen wird:',
  'import.replaces': 'Anstelle von:',
  'import.notTaken': 'Nicht übernommen: {fields}',
  'import.do': 'Übernehmen',
  'import.doiHint':
    'Wählen Sie sie nur, wenn diese Daten diese DOI schon haben: Der Eintrag bekommt dann keine eigene.',
  'import.nothingNew': 'Das Formular hat das alles schon.',
  'import.entries.one': 'Es gibt {count} Eintrag. Übernehmen aus:',
  'import.entries.other': 'Es gibt {count} Einträge. Übernehmen aus:',
  'import.done.one': '{count} Feld übernommen.',
  'import.done.other': '{count} Felder übernommen.',
  'import.undone': 'Die Felder sind wieder wie vorher.',
}
