import type { JsonObject } from '../api/json.ts'

/** Changes that are not at the daemon yet, with the document they were made to. */
export interface UnsavedWork {
  readonly base: JsonObject
  readonly document: JsonObject
}

const prefix = 'deposit.unsaved.'

/** Keeps it where a closed tab does not take it along. */
export function keepUnsaved(id: string, work: UnsavedWork): void {
  try {
    localStorage.setItem(prefix + id, JSON.stringify(work))
  } catch (error) {
    // A browser that keeps nothing, or no more: it is still saved at the daemon.
    if (!(error instanceof DOMException)) throw error
  }
}

export function findUnsaved(id: string): UnsavedWork | undefined {
  const stored = localStorage.getItem(prefix + id)
  return stored === null ? undefined : (JSON.parse(stored) as UnsavedWork)
}

export function dropUnsaved(id: string): void {
  localStorage.removeItem(prefix + id)
}
