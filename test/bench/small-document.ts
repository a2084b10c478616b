/** The document that is created over and over. */
export const smallDocument = {
  title: 'A small document for measuring',
  keywords: ['a', 'b'],
} as const
