import type { JsonObject } from '../api/json.ts'

/** Changes that are not at the daemon yet, with the document they were made to. */
export interface UnsavedWork {
  readonly base: JsonObject
  readonly document: JsonObject
  /** Of the deposit that it was typed into; unknown of what an earlier page kept. */
  readonly revision?: number
  /** Milliseconds since 1970. */
  readonly at?: number
}

const prefix = 'deposit.unsaved.'
const asidePrefix = 'deposit.aside.'

/** Keeps it where a closed tab does not take it along. */
export function keepUnsaved(id: string, work: UnsavedWork): void {
  store(prefix + id, work)
}

/** Keeps what is not to be saved before a person has looked at it. */
export function setAside(id: string, work: UnsavedWork): void {
  store(asidePrefix + id, work)
  dropUnsaved(id)
}

function store(key: string, work: UnsavedWork): void {
  try {
    localStorage.setItem(key, JSON.stringify(work))
  } catch (error) {
    // A browser that keeps nothing, or no more: it is still saved at the daemon.
    if (!(error instanceof DOMException)) throw error
  }
}

export function findUnsaved(id: string): UnsavedWork | undefined {
  return find(prefix + id)
}

export function findAside(id: string): UnsavedWork | undefined {
  return find(asidePrefix + id)
}

function find(key: string): UnsavedWork | undefined {
  const stored = localStorage.getItem(key)
  return stored === null ? undefined : (JSON.parse(stored) as UnsavedWork)
}

export function dropUnsaved(id: string): void {
  localStorage.removeItem(prefix + id)
}

export function dropAside(id: string): void {
  localStorage.removeItem(asidePrefix + id)
}
