/** The fields of `usage`, as a reader is told them. */
const kinds = {
  files: 'files',
  uploads: 'unfinished uploads',
  metadata: 'metadata and revisions',
  answers: 'answers kept for an Idempotency-Key',
} as const

/** Bytes by kind; an older server does not tell all of them. */
export type Usage = Readonly<Partial<Record<keyof typeof kinds, number>>>

/** Bytes, and words for their kind. */
export type Amount = readonly [bytes: number, kind: string]

/**
 * The subject of a refusal for a quota.
 *
 * @param email of the caller; absent where the quota is that of another owner
 */
export function quotaOf(email = 'the owner'): string {
  return `The quota of ${email}`
}

/** Whether a refusal is for the quota of the caller: every further change that needs room meets it. */
export function isOfOwnQuota(message: string): boolean {
  return message.startsWith(quotaOf('')) && !message.startsWith(`${quotaOf()} is `)
}

/** The amounts that are not 0. */
export function amountsOf(usage: Usage): readonly Amount[] {
  const all = Object.entries(kinds) as [keyof typeof kinds, string][]
  return all.map(([kind, words]) => [usage[kind] ?? 0, words] as const).filter(isThere)
}

function isThere([bytes]: Amount): boolean {
  // What a server sends may be anything.
  return typeof bytes === 'number' && bytes > 0
}
