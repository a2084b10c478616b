/** Texts about files that are to be closed until a day that has come. They are loaded when there are some. */
export const pastDay = {
  'fault.pastDay':
    'This day has passed: the files would be public at once. Choose a day to come, or leave it empty.',
  'pastDay.explain':
    '{day} has come. If you publish now, everybody can have the files at once. What do you want?',
  'pastDay.open': 'Files open to everybody',
  'pastDay.other': 'Closed until another day',
  'pastDay.closed': 'Closed without a day',
} as const
