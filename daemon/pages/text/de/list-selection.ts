/** Mehrere Entwürfe der Liste auf einmal. */
export const listSelection = {
  'list.untitled': 'Entwurf ohne Titel vom {day}',
  'list.select': '{title} auswählen',
  'list.selection': 'Ausgewählte Entwürfe',
  'list.selected.one': '{count} Entwurf ausgewählt',
  'list.selected.other': '{count} Entwürfe ausgewählt',
  'list.unselect': 'Auswahl aufheben',
  'list.deleteDrafts': 'Entwürfe löschen…',
  'list.askDelete.one': '{count} Entwurf löschen?',
  'list.askDelete.other': '{count} Entwürfe löschen?',
  'list.explainDelete':
    'Diese Entwürfe werden mit allen ihren Dateien gelöscht. Das lässt sich nicht rückgängig machen.',
  'list.moreDrafts.one': 'und {count} weiterer',
  'list.moreDrafts.other': 'und {count} weitere',
  'list.confirmDelete': 'Entwürfe löschen',
  'list.deleting': 'Entwürfe werden gelöscht: {done} von {total}',
  'list.deleted.one': '{count} Entwurf gelöscht.',
  'list.deleted.other': '{count} Entwürfe gelöscht.',
} as const
