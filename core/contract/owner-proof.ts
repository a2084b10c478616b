import { createHmac, timingSafeEqual } from 'node:crypto'

/** A request behind the key of the owner of a home. */
export interface OwnerRequest {
  readonly method: string
  readonly path: string
  /** Host and port, as the header says: what a stranger was told is of no use elsewhere. */
  readonly host: string
}

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

function signature(key: string, { method, path, host }: OwnerRequest, timeMs: number): string {
  const said = [method.toUpperCase(), host.toLowerCase(), path, timeMs].join('\n')
  return createHmac('sha256', key).update(said).digest('base64url')
}
