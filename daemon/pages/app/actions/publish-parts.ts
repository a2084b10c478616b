/** Loaded when somebody is about to publish. */
export { JustPublished } from './just-published.tsx'
export { PublishDialog } from './publish-dialog.tsx'
