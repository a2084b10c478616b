/** Texts about a draft that is published or submitted. They are loaded when somebody is about to. */
export const publishing = {
  'publish.becomes': 'What becomes public',
  'publish.title': 'Title',
  'publish.access': 'Who can read the files',
  'publish.public': 'Everybody',
  'publish.noFiles': 'No files',
  'publish.noLicense': 'None given',
  'publish.elsewhere': '{doi}, which exists elsewhere; this record gets none of its own.',
  'publish.preview': 'The record as it will read',
  'published.title': 'Published',
  'published.view': 'View the record',
  'published.cite': 'How to cite it',
  'published.next':
    'Cite it by its address. Choose Edit to correct the description, or New version to change the files.',
  'published.nextDoi':
    'Cite it by its DOI. Choose Edit to correct the description, or New version to change the files.',
  'publish.changed': 'The draft was changed meanwhile. Look at it again: this is how it is now.',
  'publish.warnings': 'You can publish now. Recommended before that:',
  'publish.afterWithdrawn':
    'The version before this one was withdrawn on {day}. Reason: {reason}. Publish this one only if it no longer has what that was withdrawn for.',
  'publish.seeWithdrawn': 'What is said of the withdrawal',
  'explain.publish':
    'The record and its files become public under an address that can be cited. The description can be edited later; the files can be changed only in a new version.',
  'explain.publishAgain':
    'The record keeps its address and its files. Its description becomes what you see here; everybody can read the one before it under its date.',
  'publish.explainClosed':
    'The record becomes public under an address that can be cited; its files stay closed. The description can be edited later; the files can be changed only in a new version.',
  'publish.explainUntil':
    'The record becomes public under an address that can be cited; its files stay closed until {day}. The description can be edited later; the files can be changed only in a new version.',
  'publish.own': '{value}, reserved for this record',
  'publish.before': '{day}. A new version begins with the date of the one before.',
  'publish.today': 'Make it today',
} as const
