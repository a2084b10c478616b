import type { StoredRemote } from './remotes.ts'

/** Names a remote in journals: its name may come to stand for another service. */
export function placeOf({ remote }: { readonly remote: StoredRemote }): string {
  return `${remote.kind} ${remote.url} ${remote.collection ?? ''}`.trim()
}
