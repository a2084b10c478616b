import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** A request that is signed with the owner key of a home. */
export interface OwnerRequest {
  readonly method: string
  readonly path: string
  /** The `Host` header: binds the proof to this host, so that it cannot be replayed at another. */
  readonly host: string
}

/** Header with a proof for the issuer, where `Authorization` is in use. */
export const ownerProofHeader = 'owner-proof'

/** Lifetime of a proof: both programs read the same clock. */
const goodForMs = 60_000

/**
 * The `Authorization` of a request by the owner of a home. It proves knowledge of the key without
 * revealing it to another program on the port.
 *
 * @param nowMs milliseconds since 1970
 */
export function proveOwner(key: string, request: OwnerRequest, nowMs = Date.now()): string {
  return `Owner ${nowMs} ${signature(key, request, nowMs)}`
}

/**
 * True if {@link proveOwner} made the header with this key, for this request, less than a minute
 * ago.
 */
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

/** Path of {@link proveDaemon}: `GET` with `?challenge=`, and `&lock=` for the daemon of one home. */
export const daemonProofPath = '/local/proof'
/** Approves a device, with the proof of the owner. */
export const approvalPath = '/local/approve'
/** Makes a ticket that signs a browser in, with the proof of the owner. */
export const ticketPath = '/local/ticket'

/** The content of a daemon's proof. */
export interface DaemonClaim {
  /** 256 fresh random bits in base64url. */
  readonly challenge: string
  /** The `Host` header: another program cannot relay the challenge to the daemon. */
  readonly host: string
  readonly pid: number
  readonly version: string
}

/** True for a well-formed challenge. */
export function isChallenge(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{43}$/.test(value)
}

/** Proves that the daemon knows the owner's key, before a client sends it a token. */
export function proveDaemon(key: string, { challenge, host, pid, version }: DaemonClaim): string {
  return mac(key, ['the daemon', challenge, host.toLowerCase(), pid, version])
}

/** True if {@link proveDaemon} made `given` with this key, for this claim. */
export function isDaemonProof(key: string, claim: DaemonClaim, given: string): boolean {
  const [expected, proof] = [Buffer.from(proveDaemon(key, claim)), Buffer.from(given)]
  return proof.length === expected.length && timingSafeEqual(proof, expected)
}

/** A daemon as its `daemon.json` names it, which may be out of date. */
export interface AnnouncedDaemon {
  readonly url: string
  readonly pid: number
  readonly version: string
  readonly started: string
}

/** Reads a `daemon.json`; undefined where it names no daemon. */
export function parseAnnouncement(text: string): AnnouncedDaemon | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isAnnouncement(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isAnnouncement(value: unknown): value is AnnouncedDaemon {
  if (typeof value !== 'object' || value === null) return false
  if (!('pid' in value) || !Number.isSafeInteger(value.pid) || Number(value.pid) <= 0) return false
  if (!('version' in value) || typeof value.version !== 'string') return false
  return 'url' in value && typeof value.url === 'string' && URL.canParse(value.url)
}

/**
 * Asks an announced daemon for its proof. False for another program on its port, and for the daemon of
 * a home that this one, with its key and its `daemon.json`, is a copy of.
 *
 * @param lock the identity of the lock file of the home
 * @param ask sends `GET` with this path to the daemon, and returns the `proof` of the answer
 */
export async function provesItself(
  key: string,
  lock: string | undefined,
  { url, pid, version }: AnnouncedDaemon,
  ask: (path: string) => Promise<string>,
): Promise<boolean> {
  if (lock === undefined) return false
  const challenge = randomBytes(32).toString('base64url')
  const proof = await ask(`${daemonProofPath}?challenge=${challenge}&lock=${lock}`)
  return isDaemonProof(key, { challenge, host: new URL(url).host, pid, version }, proof)
}

function signature(key: string, { method, path, host }: OwnerRequest, timeMs: number): string {
  return mac(key, [method.toUpperCase(), host.toLowerCase(), path, timeMs])
}

function mac(key: string, said: readonly (string | number)[]): string {
  return createHmac('sha256', key).update(said.join('\n')).digest('base64url')
}
