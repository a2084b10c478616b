type Arguments = () => Promise<readonly string[]> | readonly string[]

/** How a command is tested, each time with new deposits. */
export interface CommandCase {
  readonly works: Arguments
  /** Arguments that are invalid for the command. */
  readonly misused: readonly string[]
  /** A request that the server refuses, and the exit status; or why it can refuse none. */
  readonly refused: Refusal | string
  /** It prints its own format for programs, with and without `--json`. */
  readonly hasOwnFormat?: true
  readonly stdin?: string
  /** It starts or stops a daemon, so it has its own home, with a running daemon or none. */
  readonly ownHome?: 'running' | 'stopped'
}

export interface Refusal {
  readonly args: Arguments
  readonly status: number
  /** With an access token that the server does not know. */
  readonly token?: 'unknown'
  readonly stdin?: string
}

/** No deposit, file or folder has this name. */
export const nobody = 'none-of-this-name'
