/** Texts about typed text that is not saved. They are loaded when there is some. */
export const aside = {
  'aside.submitted': 'Not saved: the draft was submitted for review meanwhile. You had typed:',
  'aside.published': 'Not saved: the draft was published meanwhile. You had typed:',
  'aside.discarded': 'Not saved: the changes of the draft were discarded meanwhile. You had typed:',
  'aside.closed': 'Not saved: you cannot change this draft any more. You had typed:',
  'aside.foundFrom':
    'You have unsaved changes from {time} UTC, and the draft was changed since. You had typed:',
  'aside.found': 'You have unsaved changes, and the draft was changed since. You had typed:',
  'aside.take': 'Keep my changes',
  'aside.drop': 'Throw away',
} as const
