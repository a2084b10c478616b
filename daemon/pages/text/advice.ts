/**
 * The texts of the pages that tell a person what to do next. Each is followed by
 * `test/pages/advice.test.ts`, which does not compile while one of them has no row there.
 */
export const advice = {
  'signIn.kept': 'Your changes are kept in this browser. Sign in again to continue.',
  'signIn.local':
    'If you started this service yourself, you need no passphrase: run "deposit open {id}" in a terminal.',
  'signIn.localList':
    'If you started this service yourself, you need no passphrase: run "deposit open" in a terminal.',
  'list.nothingHint': 'Try fewer words, or all deposits instead of those of one status.',
  'form.otherHint': 'This form cannot edit these fields. Change them with "deposit patch".',
  'import.unknown':
    'No metadata found in this text. Choose another file, or paste the whole of it.',
  'import.tooLarge': 'The file is larger than {most}. Choose the file with the metadata alone.',
  'save.copyAdvice': 'Your changes are kept in this browser. Copy them into a new draft.',
  'upload.chooseAgain':
    'Choose the same file to upload the rest, or delete the upload. A changed file is uploaded from the start.',
  'upload.stream': 'Another program is uploading this file. Finish it there, or delete it.',
  'upload.part': 'Another program is uploading a part of a file. Finish it there, or delete it.',
  'upload.otherFile':
    '{name} has {size}, but the upload began with {wanted}. Choose the same file, or delete the upload.',
  'upload.beside':
    'Another upload of {name} is not finished. Delete it in the list if no program is sending it.',
  'upload.unfinished':
    'is not uploaded yet: wait, choose the file in its row, or delete the upload.',
} as const
