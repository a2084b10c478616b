/** The document that is created repeatedly. */
export const smallDocument = {
  title: 'A small document for measuring',
  keywords: ['a', 'b'],
} as const
