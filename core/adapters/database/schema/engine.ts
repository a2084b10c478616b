/** Where a migration runs; most are the same everywhere. */
export type Engine = 'sqlite' | 'postgres'
