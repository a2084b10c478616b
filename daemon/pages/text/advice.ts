/**
 * The texts of the pages that tell a person what to do next. Each is followed by
 * `test/pages/advice.test.ts`, which does not compile while one of them has no row there.
 */
export const advice = {
  'signIn.kept': 'What you typed is kept in this browser. Sign in again to go on.',
  'list.nothingHint': 'Try fewer words, or all deposits instead of those of one status.',
  'form.otherHint': 'They are kept as they are. Change them with "deposit patch".',
  'save.copyAdvice': 'What you typed is kept in this browser. Copy it into a new draft.',
  'upload.chooseAgain':
    'Choose the same file to send the rest, or delete what has arrived. A file that has changed is sent from the beginning.',
  'upload.stream':
    'A file of unknown length that another program sends. Finish it there, or delete it.',
  'upload.part': 'A part of a file that another program sends. Finish it there, or delete it.',
  'upload.otherFile':
    '{name} has {size}, and the upload was begun for {wanted}. Choose the same file, or delete the upload.',
  'upload.beside':
    'Another upload of {name} is not finished. Delete it in the list if no program is sending it.',
  'upload.unfinished':
    'has not arrived yet: wait for it, choose the file in its row, or delete the upload.',
} as const
