// What is needed only once files were added: one part that is loaded then.
export { AddedNotesBox } from './added-notes.tsx'
export { examineSources, placedIn, warnOfNames } from './examine-sources.ts'
export { leaveOutUnchanged } from './unchanged.ts'
