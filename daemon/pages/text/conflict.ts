/** Texts about changes of two that do not fit together. They are loaded when there are some. */
export const conflict = {
  'conflict.saved': 'Someone else saved changes',
  'conflict.savedExplain':
    'You both changed these fields. Choose which version to keep. All other changes are already merged.',
  'conflict.publishedTitle': 'Both versions, side by side',
  'conflict.publishedExplain':
    'The record was changed after you started editing. Choose which version of each field to keep. Nothing is published until you confirm.',
  'conflict.mine': 'Yours',
  'conflict.theirs': 'Theirs',
  'conflict.allMine': 'Take all of yours',
  'conflict.allTheirs': 'Take all of theirs',
  'conflict.before': 'Before the changes',
  'conflict.nothing': '(nothing)',
  'conflict.settle': 'Use these versions',
} as const
