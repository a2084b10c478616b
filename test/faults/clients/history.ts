/** A request to a deposit that several clients read and write, as its client saw it. */
export interface Event {
  readonly kind: 'read' | 'write'
  /** Milliseconds of one clock. */
  readonly began: number
  readonly ended: number
  /** The revision in the answer: the one a write made, or a read saw. */
  readonly revision: number
  /** The value that was written or read. */
  readonly value: string
  /** The revision in the condition of the write. */
  readonly expected?: number
}

/**
 * The reasons why the events cannot have happened one after another, each at a moment between its
 * beginning and its end; none if they can. The revisions give the order, so deciding is easy.
 *
 * @see Herlihy and Wing, "Linearizability: a correctness condition for concurrent objects", 1990
 */
export function contradictions(events: readonly Event[]): readonly string[] {
  const ordered = [...events].sort(byRevision)
  return [...valueFaults(ordered), ...conditionFaults(ordered), ...timeFaults(ordered)]
}

/** A write makes a revision, and its reads come after it. */
function byRevision(one: Event, other: Event): number {
  return one.revision - other.revision || rank(one) - rank(other)
}

const rank = ({ kind }: Event): number => (kind === 'write' ? 0 : 1)

/** Each revision is made once, and every read sees the written value. */
function valueFaults(ordered: readonly Event[]): readonly string[] {
  const written = new Map<number, string>()
  const faults: string[] = []
  for (const { kind, revision, value } of ordered) {
    const known = written.get(revision)
    if (kind === 'write' && known !== undefined) faults.push(`revision ${revision} was made twice`)
    if (kind === 'read' && known !== undefined && known !== value) {
      faults.push(`revision ${revision} was read as ${value}, and written as ${known}`)
    }
    if (kind === 'write') written.set(revision, value)
  }
  return faults
}

function conditionFaults(ordered: readonly Event[]): readonly string[] {
  return ordered
    .filter(({ expected, revision }) => expected !== undefined && revision !== expected + 1)
    .map(({ expected, revision }) => `on condition of ${expected}, revision ${revision} was made`)
}

/** No event ends before one begins that it comes after; reads of one revision are equal. */
function timeFaults(ordered: readonly Event[]): readonly string[] {
  const faults: string[] = []
  let floor = -Infinity
  let next = { floor, revision: -1 }
  for (const { kind, began, ended, revision } of ordered) {
    if (revision > next.revision) floor = next.floor
    if (ended < floor) faults.push(`revision ${revision} was seen before what it comes after`)
    if (kind === 'write') floor = Math.max(floor, began)
    next = { floor: Math.max(next.floor, began), revision }
  }
  return faults
}
