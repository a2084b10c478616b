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
  /** @throws {TooManyRequests} none is left; nothing is counted */
  readonly requireLeft: (name: string) => Promise<void>
  /** Counts what has failed already. */
  readonly count: (name: string) => Promise<void>
}

/** @param seconds length of the window */
export function guessLimit(most: number, seconds: number = window): GuessLimit {
  const limiter = new RateLimiterMemory({ points: most, duration: seconds })
  return {
    begin: async (name) => {
      try {
        await limiter.consume(name)
      } catch (error) {
        throw error instanceof RateLimiterRes ? refusal(error) : error
      }
    },
    forgive: async (name) => {
      await limiter.reward(name)
    },
    requireLeft: async (name) => {
      const state = await limiter.get(name)
      if (state && state.consumedPoints >= most) throw refusal(state)
    },
    count: async (name) => {
      await limiter.penalty(name)
    },
  }
}

function refusal({ msBeforeNext }: RateLimiterRes): TooManyRequests {
  return new TooManyRequests(Math.ceil(msBeforeNext / 1000))
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
