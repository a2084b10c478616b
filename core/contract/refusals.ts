interface RefusalWords {
  readonly message: string
  /** Actions that solve it, the first one first; empty if nothing has to be done. */
  readonly actions: readonly string[]
}

/**
 * Refusals by the state of a deposit, with the actions that solve them. A named action succeeds, or
 * is refused for a reason of this table that names the next one.
 *
 * @see Contract §3; `test/e2e/advice.test.ts`, which follows each
 */
export const refusals = {
  published: {
    message: 'The deposit is published: open it with the action edit first.',
    actions: ['edit'],
  },
  sealed: {
    message:
      'The record is locked for good, so it cannot be changed: the action newversion opens a draft of its next version.',
    actions: ['newversion'],
  },
  published_already: {
    message: 'The deposit is published already. To change it, open it with the action edit.',
    actions: ['edit'],
  },
  nothing_edited: {
    message: 'The deposit is published: it has no changes.',
    actions: [],
  },
  published_files: {
    message:
      'The files of a published deposit cannot change: the action newversion opens a draft of its next version, with the same files.',
    actions: ['newversion'],
  },
  published_kept: {
    message:
      'A published deposit cannot be deleted: its record is public. The action edit opens it to correct its metadata, newversion to change its files.',
    actions: ['edit', 'newversion'],
  },
  withdrawn_kept: {
    message:
      'A deposit whose record was withdrawn is kept for its tombstone. The action withdraw with destroy_bytes removes its files for good.',
    actions: [],
  },
  edited_kept: {
    message:
      'A deposit that was published cannot be deleted: its record is public. The action discard gives up the changes since.',
    actions: ['discard'],
  },
  never_published: {
    message: 'The draft was never published: publish it first.',
    actions: ['publish'],
  },
  edited: {
    message: 'The deposit is open for changes: publish or discard them first.',
    actions: ['publish', 'discard'],
  },
  nothing_to_discard: {
    message: 'The draft was never published: there is nothing to go back to. It can be deleted.',
    actions: [],
  },
  nothing_to_merge: {
    message: 'The draft was never published: there is nothing to merge with.',
    actions: [],
  },
  files_frozen: {
    message:
      'The files of a deposit that was published are frozen: the action newversion opens a draft of its next version, with the same files.',
    actions: ['newversion'],
  },
  nothing_to_undo: {
    message: 'No change of the metadata is kept: there is nothing to undo.',
    actions: [],
  },
  nothing_since_published: {
    message:
      'The metadata were not changed since the deposit was opened: there is nothing to undo. To bring back an older state, name its revision; the history lists them.',
    actions: [],
  },
  edit_not_published: {
    message: 'The deposit is a draft: it can be changed as it is.',
    actions: [],
  },
  identified_already: {
    message: 'The deposit was published: its record has its identifiers.',
    actions: [],
  },
  nothing_to_reserve: {
    message: 'This service registers no DOIs: the record gets its address when it is published.',
    actions: [],
  },
  withdrawn: {
    message: 'The record was withdrawn: the action restore-record brings it back.',
    actions: ['restore-record'],
  },
  withdrawn_for_good: {
    message:
      'The record was withdrawn and its files are gone for good: the action newversion opens a draft of its next version.',
    actions: ['newversion'],
  },
  withdrawn_already: {
    message: 'The record was withdrawn already.',
    actions: [],
  },
  not_withdrawn: {
    message: 'The record was not withdrawn: everybody can read it.',
    actions: [],
  },
  destroyed_files: {
    message:
      'The files are those of a version that was withdrawn for personal data or copyright, and destroyed. Remove from the draft what that was withdrawn for. If they may be published now, add a file that says why.',
    actions: [],
  },
  submitted: {
    message:
      'The draft waits for review, so it cannot change: the action take-back makes it a draft that can be changed again.',
    actions: ['take-back'],
  },
  submitted_already: {
    message: 'The draft is submitted already: it waits for review.',
    actions: [],
  },
  not_submitted: {
    message: 'The draft is not submitted for review: the action submit does that.',
    actions: ['submit'],
  },
  published_reviewed: {
    message: 'The deposit is published: there is nothing to review. The action edit opens it.',
    actions: ['edit'],
  },
  review_required: {
    message:
      'This service publishes what was reviewed: the action submit sends the draft to the reviewers.',
    actions: ['submit'],
  },
  no_reviews: {
    message: 'This service has no reviews: the action publish publishes the draft.',
    actions: ['publish'],
  },
  registered_already: {
    message: 'The record is locked for good already.',
    actions: [],
  },
} as const satisfies Record<string, RefusalWords>

/** Why the state of a deposit refuses an operation. */
export type Refusal = keyof typeof refusals
