import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** A request behind the key of the owner of a home. */
export interface OwnerRequest {
  readonly method: string
  readonly path: string
  /** Host and port, as the header says: what a stranger was told is of no use elsewhere. */
  readonly host: string
}

/** Carries a proof where `Authorization` is for something else: at the issuer. */
export const ownerProofHeader = 'owner-proof'

/** How long a proof is good for: both programs read the same clock. */
const goodForMs = 60_000

/**
 * The `Authorization` of a request by the owner of a home. It proves that its sender knows the
 * key without telling it, so that who listens on a port in the daemon's place learns nothing.
 *
 * @param nowMs milliseconds since 1970
 */
export function proveOwner(key: string, request: OwnerRequest, nowMs = Date.now()): string {
  return `Owner ${nowMs} ${signature(key, request, nowMs)}`
}

/** True where the header was made by {@link proveOwner} with this key, for this request, just now. */
export function isOwnerProof(
  key: string,
  request: OwnerRequest,
  header: string,
  nowMs = Date.now(),
): boolean {
  const [, time = '', given = ''] = /^Owner (\d{1,15}) ([\w-]{43})$/.exec(header) ?? []
  if (time === '' || Math.abs(nowMs - Number(time)) > goodForMs) return false
  return timingSafeEqual(Buffer.from(given), Buffer.from(signature(key, request, Number(time))))
}

/** Where a program asks the daemon for {@link proveDaemon}: `GET` with `?challenge=`. */
export const daemonProofPath = '/local/proof'

/** What the daemon of a home says of itself, and to which question. */
export interface DaemonClaim {
  /** 256 random bits in base64url, which nobody has asked before. */
  readonly challenge: string
  /** Host and port, as the header says: a stranger cannot have the daemon answer in its place. */
  readonly host: string
  readonly pid: number
  readonly version: string
}

/** True for what {@link proveDaemon} takes. */
export function isChallenge(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{43}$/.test(value)
}

/** Proves that the daemon knows the owner's key, before anybody sends it a token. */
export function proveDaemon(key: string, { challenge, host, pid, version }: DaemonClaim): string {
  return mac(key, ['the daemon', challenge, host.toLowerCase(), pid, version])
}

/** True where `given` was made by {@link proveDaemon} with this key, for this claim. */
export function isDaemonProof(key: string, claim: DaemonClaim, given: string): boolean {
  const [expected, proof] = [Buffer.from(proveDaemon(key, claim)), Buffer.from(given)]
  return proof.length === expected.length && timingSafeEqual(proof, expected)
}

/** A daemon as its `daemon.json` names it. */
export interface AnnouncedDaemon {
  readonly url: string
  readonly pid: number
  readonly version: string
}

/**
 * Asks an announced daemon for its proof. False for another program on its port.
 *
 * @param ask sends `GET` with this path to the daemon, and returns the `proof` of the answer
 */
export async function provesItself(
  key: string,
  { url, pid, version }: AnnouncedDaemon,
  ask: (path: string) => Promise<string>,
): Promise<boolean> {
  const challenge = randomBytes(32).toString('base64url')
  const proof = await ask(`${daemonProofPath}?challenge=${challenge}`)
  return isDaemonProof(key, { challenge, host: new URL(url).host, pid, version }, proof)
}

function signature(key: string, { method, path, host }: OwnerRequest, timeMs: number): string {
  return mac(key, [method.toUpperCase(), host.toLowerCase(), path, timeMs])
}

function mac(key: string, said: readonly (string | number)[]): string {
  return createHmac('sha256', key).update(said.join('\n')).digest('base64url')
}
