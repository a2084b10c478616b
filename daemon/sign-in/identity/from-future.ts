import type { Clock } from '../../../core/index.ts'

/** How far apart clocks are that are kept right. Milliseconds. */
export const skewMs = 60_000

/**
 * True for what was issued after now: the clock was set back since, or the issuer's is ahead. How old
 * it is cannot be known, so it is refused until that time.
 *
 * @param issuedMs milliseconds since 1970
 */
export function isFromFuture(issuedMs: number, clock: Clock): boolean {
  return issuedMs > Date.parse(clock.forward()) + skewMs
}

/** True between the moment something was issued, with a lifetime of `lifetimeMs`, and its end. */
export function isInTime(
  { expires }: { readonly expires: string },
  lifetimeMs: number,
  clock: Clock,
): boolean {
  return expires > clock.forward() && !isFromFuture(Date.parse(expires) - lifetimeMs, clock)
}
