import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { TooManyRequests } from './refusals.ts'

const window = 10 * 60

/** How many attempts each name of a kind has in a window. */
export interface GuessLimit {
  /**
   * Counts an attempt before it is made, so that many at once are no way around the limit.
   *
   * @throws {TooManyRequests} there were too many
   */
  readonly begin: (name: string) => Promise<void>
  /** Takes an attempt back: it was no guess. */
  readonly forgive: (name: string) => Promise<void>
}

/** @param seconds length of the window */
export function guessLimit(most: number, seconds: number = window): GuessLimit {
  const limiter = new RateLimiterMemory({ points: most, duration: seconds })
  return {
    begin: async (name) => {
      try {
        await limiter.consume(name)
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error
        throw new TooManyRequests(Math.ceil(error.msBeforeNext / 1000))
      }
    },
    forgive: async (name) => {
      await limiter.reward(name)
    },
  }
}

/** Runs `guess` within all of the limits; one that succeeds is counted by none of them. */
export async function withinLimits<Found>(
  limits: readonly (readonly [GuessLimit, string])[],
  guess: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  for (const [limit, name] of limits) await limit.begin(name)
  const found = await guess()
  if (found !== undefined) for (const [limit, name] of limits) await limit.forgive(name)
  return found
}
