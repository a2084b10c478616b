/** The machine and the home of a service or daemon, for an operator who looks for it. */
export interface Whereabouts {
  readonly host: string
  readonly home: string
}

/** Says which service a store of bytes belongs to. */
export interface ServiceMark extends Whereabouts {
  /** Id of the service, which its database knows as well. */
  readonly service: string
  /** ISO 8601, UTC. */
  readonly since: string
  /** The store that has the bytes of the service instead of this one, since they were moved. */
  readonly elsewhere?: string
  /** Bytes from before may be lost, as an operator said: ISO 8601, UTC. */
  readonly lost?: string
  /** The daemon that used the store last. Absent where earlier versions or commands made the mark. */
  readonly last?: LastUse
}

/** A use of a store that stays in its mark when it has ended. */
export interface LastUse extends Whereabouts {
  /** As that of {@link StoreUser}. */
  readonly run: string
  /** When it began: ISO 8601, UTC. */
  readonly since: string
}

/** A daemon or command that uses a store, as it says itself. */
export interface StoreUser extends Whereabouts {
  /** Tells homes apart, also after a restart. */
  readonly daemon: string
  /** `depositd`, or the command, as an operator calls it. */
  readonly program: string
  /**
   * Id of the process. A home knows those of its own processes, and a copy of it none that began later.
   * Empty where the program was an earlier version.
   */
  readonly run: string
}

/** One that is heard of, or was until it crashed. */
export interface StoreUse extends StoreUser {
  /** Time since it was last heard of, by the clock of the store. Milliseconds. */
  readonly ageMs: number
  readonly id: string
  /** When it was last heard of, by the clock of the store. */
  readonly seen: string
}

/** The mark of a store of bytes, beside its blobs and manifests. */
export interface StoreMarks extends AsyncDisposable {
  /** The name of the mark, for an operator who has to remove it. */
  readonly name: string
  /** The text that an operator writes there by hand to make a mark. */
  readonly textOf: (mark: Pick<ServiceMark, 'service'>) => string
  readonly read: () => Promise<ServiceMark | undefined>
  /**
   * Replaces an earlier mark.
   *
   * @returns false with `isNew` where there was one, on a store that can tell
   */
  readonly write: (mark: ServiceMark, options?: { readonly isNew?: boolean }) => Promise<boolean>
  readonly remove: () => Promise<void>
  /** Absent where the lock of the home keeps others out, or the store is not made yet. */
  readonly uses?: StoreUses
}

/** The users of a store that several machines can reach. */
export interface StoreUses {
  /** Says that this process uses the store, from now on or still. */
  readonly renew: (user: StoreUser) => Promise<void>
  /** The others. To be called after {@link renew}, which tells the time of the store. */
  readonly others: () => Promise<readonly StoreUse[]>
  /** Forgets others that have not been heard of for so long. */
  readonly forget: (ageMs: number) => Promise<void>
  /** Says that this process does not use the store any more. */
  readonly end: () => Promise<void>
}
