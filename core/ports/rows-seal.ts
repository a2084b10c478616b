/**
 * A mark that rows get when they are closed, and lose with their first change. What is kept beside
 * them and got the same mark at that time has seen all their changes.
 */
export interface RowsSeal {
  /** The mark that the rows had when they were opened; 0 where they had none. */
  readonly found: number
  /** The mark that the rows get when they are closed, never 0. They get none that nobody asked for. */
  readonly next: () => number
  /** They get none: something kept beside them has missed a change. */
  readonly withhold: () => void
}
