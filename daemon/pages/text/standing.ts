/** Texts for those who read a deposit and do not change it. */
export const standing = {
  'standing.reader':
    'You can read this draft and download its files. Its owners can let you change it.',
  'standing.reviewer': 'You see this draft because it is waiting for review.',
  'standing.curator': 'You see this deposit as a curator.',
  'reading.label': 'Metadata',
  'reading.none': 'Nothing is filled in yet.',
} as const
